import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Calls that run SQL by hand, by folder; the goal is below 120 in all. A folder's number goes down when a statement becomes an entity, a repository's query or
 * Kysely; a number that must go up needs a reason of its own (CONTRIBUTING.md, ADR 5). Not
 * counted: the plumbing of `db/connection` and `db/notifications`, migrations, and the begin, commit and savepoints of a transaction.
 */
const byHand: Record<string, number> = {
  db: 10,
  'db/accounts': 1,
  'db/clicks': 19,
  'db/deletions': 6,
  'db/domains': 1,
  'db/health': 4,
  'db/imports': 4,
  'db/links': 8,
  'db/links/visits': 7,
  'db/organizations': 4,
  'db/reports': 1,
  'db/stats': 9,
  'db/threats': 16,
  'db/webhooks': 15,
  'edge/lookup': 2,
  'edge/shipper': 1,
  relay: 1,
  'scripts/cli/shell': 5,
  'scripts/embedded/postgres': 2,
  'scripts/supervisor': 1,
};

const rooms = ['activities', 'api', 'commands', 'db', 'edge', 'relay', 'scripts', 'start'];
const plumbing = new Set(['db/connection', 'db/migrations', 'db/notifications']);
const type = String.raw`(?:<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)?`;
// Statements go out by `query` on whatever connection, by `send` of a transaction (mails and answers are sent too), by a
// cursor, or as a raw statement of Kysely's.
const calls = new RegExp(
  String.raw`\w[!?\])]*\.query${type}\(\s*(?<argument>[^\n]*)|\b(?:sql|tx|em|db)\.send\(|\breadByCursor\(|${'`'}\.execute\(`,
  'g',
);
const control = /^[`'](?:begin|commit|rollback|savepoint|release)\b/;
/** A procedure of tRPC's. */
const procedure = /^(?:async )?\(/;

interface Statement {
  file: string;
  /** The comments that say why it is by hand: above it in its function, above that function, or at the head of the file. */
  reasons: string[];
}

const statements = globSync(rooms.map((room) => `${room}/**/*.ts`))
  .toSorted()
  .filter((file) => !plumbing.has(dirname(file)))
  .flatMap(readStatements);

function readStatements(file: string): Statement[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(calls)]
    .filter(({ groups: { argument = '' } = {} }) => !control.test(argument) && !procedure.test(argument))
    .map(({ index }) => ({ file, reasons: reasonsAt(text, index) }));
}

function reasonsAt(text: string, index: number): string[] {
  // What is between the blank line above its declaration and the statement.
  const before = text.slice(0, index);
  const starts = [...before.matchAll(/^(?:export |async |function|const |class |interface |type )/gm)];
  const start = starts.at(-1)?.index ?? 0;
  const own = before.slice(Math.max(0, before.lastIndexOf('\n\n', start)));
  return [
    ...commentsOf(own),
    ...commentsOf(before).filter((comment) => comment.includes('every statement of this file')),
  ];
}

/** The comments that begin with "By hand", each as one line. */
function commentsOf(text: string): string[] {
  return [...text.matchAll(/^ *\/\/ By hand\b.*(?:\n *\/\/ .*)*/gm)].map(([comment]) =>
    comment.replaceAll(/\s*\n *\/\/ /g, ' '),
  );
}

describe('statements by hand', () => {
  it('each folder runs as many statements by hand as this list says, and all fewer than 120', () => {
    const counts: Record<string, number> = {};
    for (const { file } of statements) counts[dirname(file)] = (counts[dirname(file)] ?? 0) + 1;
    expect(counts).toEqual(byHand);
    expect(statements.length).toBeLessThan(120);
  });

  it('each statement says why it is by hand: the benchmark that runs it, the edge, or why no other way will do', () => {
    const reason = /\bbench rows? |\bloads no ORM\b|\bno benchmark runs (?:it|them)\b/;
    const silent = statements.filter(({ reasons }) => !reasons.some((text) => reason.test(text)));
    expect(silent.map(({ file, reasons }) => `${file}: ${reasons.join(' ')}`)).toEqual([]);
  });

  it('each row of a benchmark that a comment cites is in bench/README.md and in the folder that the page names', () => {
    const rows = readRows();
    expect(rows.size).toBeGreaterThan(15);
    const cited = globSync([...rooms, 'adapters', 'core', 'workflows'].map((room) => `${room}/**/*.ts`)).flatMap(
      (file) =>
        [...readFileSync(file, 'utf8').matchAll(/\bbench rows? ((?:`?\w+`?(?:\s*\/\/)?(?:,\s*| and )?)+)/g)].flatMap(
          ([, names = '']) =>
            [...names.matchAll(/`(\w+)`|\b([A-Z]\d)\b|^(\w+)/g)].map((found) => ({
              file,
              row: found[1] ?? found[2] ?? found[3] ?? '',
            })),
        ),
    );
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter(({ row }) => !rows.has(row))).toEqual([]);
    for (const [row, folder] of rows) {
      // A whole benchmark.
      if (folder === `bench/${row}`) continue;
      const sources = globSync(`${folder}/*.ts`).map((file) => readFileSync(file, 'utf8'));
      expect(`${row} ${sources.some((text) => text.includes(`'${row}'`))}`).toBe(`${row} true`);
    }
  });
});

/** The rows of the table "What is measured", each with the folder that measures it. */
function readRows(): Map<string, string> {
  const table = readFileSync('bench/README.md', 'utf8').matchAll(
    /^\| ([^|]+?) +\| [^|]+ \| `npm [^|]+ \| `(bench\/\w+)` +\|$/gm,
  );
  return new Map(
    [...table].flatMap(([, names = '', folder = '']) =>
      names.split(', ').flatMap((name) => {
        const [, letter, from, to] = /^([A-Z])(\d) to [A-Z](\d)$/.exec(name) ?? [];
        if (letter === undefined) return [[name.replaceAll('`', ''), folder] as const];
        return Array.from(
          { length: Number(to) - Number(from) + 1 },
          (_, at) => [`${letter}${Number(from) + at}`, folder] as const,
        );
      }),
    ),
  );
}
