import { Agent, request } from 'node:http';
import { fillWithLinks } from '#bench/create/large.ts';
import type { Bench } from '#bench/lib/bench.ts';
import { count, milliseconds, percentile } from '#bench/lib/figures.ts';
import { createFindings } from '#bench/lib/findings.ts';
import { createStage, noRateLimits } from '#bench/lib/stage.ts';

const links = 1_000_000;
const quickLinks = 20_000;
// Of the newest links: a list without them has to pass all of them.
const archivedLinks = 200_000;
const quickArchivedLinks = 2_000;
const requestsEach = 200;
const quickRequestsEach = 10;
const quickMs = 50;
const slowMs = 1_000;

/** A list request. `matching`: SQL condition of its links, on `short_links l`. */
interface Query {
  name: string;
  query: string;
  matching: string;
  mostMs: number;
}

const term = (search: string, mostMs = quickMs): Query => ({
  name: `search=${search}`,
  query: `search=${encodeURIComponent(search)}`,
  matching: `l.search_text like '%${search}%'`,
  mostMs,
});

const queries = (folderId: string): readonly Query[] => [
  { name: 'all', query: '', matching: 'true', mostMs: quickMs },
  { name: 'all, page 10', query: 'page=9', matching: 'true', mostMs: quickMs },
  term('g00abcd'),
  term('00abc'),
  term('abc'),
  term('large/12345'),
  term('large/9999'),
  term('nothing at all'),
  term('example', slowMs),
  term('12', slowMs),
  { name: 'a folder that has all', query: `folderIds=${folderId}`, matching: 'true', mostMs: slowMs },
];

/** Lists of an organization that has put its newest links away. */
const archiveQueries: readonly Query[] = [
  { name: 'all, the newest archived', query: '', matching: 'not l.is_archived', mostMs: slowMs },
  { name: 'the archive', query: 'isArchived=true', matching: 'l.is_archived', mostMs: slowMs },
  { name: 'the archive, page 10', query: 'isArchived=true&page=9', matching: 'l.is_archived', mostMs: slowMs },
];

/** Measures the list of an organization with a million links: L1. */
export const bench: Bench = async (options) => {
  const findings = createFindings();
  const { signal, isQuick } = options;
  await using stage = await createStage(options, { hasTemporal: false, settings: noRateLimits });
  const { database } = stage;
  await fillWithLinks(database, isQuick ? quickLinks : links);
  const { rows } = await database.db.query<{ id: string }>('select id from folders where is_default');
  const app = await stage.start('API', 'server.ts', {
    env: { SERVE: 'api', LOG_LEVEL: 'error' },
    isMeasured: true,
  });
  const agent = new Agent({ keepAlive: true });
  stage.defer(() => agent.destroy());
  const measureQuery = async (query: Query): Promise<void> => {
    signal.throwIfAborted();
    const { db } = database;
    const expected = await db.query<{ count: number }>(
      `select count(*) as count from short_links l where ${query.matching}`,
    );
    const matches = expected.rows[0]!.count;
    const times: number[] = [];
    for (let round = 0; round <= (isQuick ? quickRequestsEach : requestsEach); round += 1) {
      const startedAt = performance.now();
      const seen = await ask(agent, `${app.url}/short-link/list?${query.query}`, database.apiKey);
      if (seen !== matches) throw new Error(`${query.name}: ${seen} are counted, and there are ${matches}`);
      // The first request pays for planning its statements.
      if (round > 0) times.push(performance.now() - startedAt);
    }
    const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
    findings.add({
      id: 'L1',
      what: `${query.name} (${count(matches)})`,
      figure: `p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)}`,
      baseline: '',
      ratio: '',
      goal: `p95 ≤ ${milliseconds(query.mostMs)}`,
      isMet: p95 <= query.mostMs,
    });
  };
  for (const query of queries(rows[0]!.id)) await measureQuery(query);
  await database.db.query(
    `update short_links set is_archived = true
     where id in (select id from short_links order by created_at desc, id desc limit $1)`,
    [isQuick ? quickArchivedLinks : archivedLinks],
  );
  await database.db.query('vacuum analyze short_links');
  for (const query of archiveQueries) await measureQuery(query);
  return findings.outcome();
};

/** Requests a list. @returns its count. */
function ask(agent: Agent, url: string, apiKey: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, headers: { 'x-api-key': apiKey } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve((JSON.parse(text) as { count: number }).count);
        else reject(new Error(`${response.statusCode} ${text}`));
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}
