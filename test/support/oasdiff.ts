import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '#config/load.ts';

const version = '1.37.0';

/**
 * Finds oasdiff, which compares two descriptions of an API, in the cache folder. With `FETCH_TOOLS` set, as by `.ci/nightly`, Go builds
 * it there.
 */
export function findOasdiff(): string | undefined {
  const { FETCH_TOOLS, WAYMARK_CACHE_DIR } = process.env;
  const folder = join(loadConfig({ WAYMARK_CACHE_DIR }).WAYMARK_CACHE_DIR, `oasdiff-${version}`);
  const program = join(folder, 'oasdiff');
  if (existsSync(program)) return program;
  try {
    if (FETCH_TOOLS === undefined) throw new Error('FETCH_TOOLS=1 builds it, with Go.');
    mkdirSync(folder, { recursive: true });
    const env = { ...process.env, GOBIN: folder };
    execFileSync('go', ['install', `github.com/oasdiff/oasdiff@v${version}`], { env, stdio: 'pipe' });
    return program;
  } catch (error) {
    console.warn(`There is no oasdiff: its tests are skipped. ${(error as Error).message}`);
    return undefined;
  }
}

interface Change {
  operation: string;
  path: string;
  text: string;
}

type Document = Record<string, unknown> & {
  paths: Record<string, unknown>;
  'x-webhooks': Record<string, { post: { requestBody: object } }>;
};

// Clients are told to allow for new values of answers (docs/api/README.md). What a field's text looks like may loosen.
const severities = `response-property-enum-value-added info
response-property-pattern-removed info
api-operation-id-removed err
`;

/** Lists what a client of `before` cannot do, send or read by `after`, a line each. `folder` takes the files of the comparison. */
export function findBreakingChanges(program: string, folder: string, before: Document, after: Document): string[] {
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const files = [
    write('before.json', JSON.stringify(withEvents(before))),
    write('after.json', JSON.stringify(withEvents(after))),
  ];
  const levels = write('severity-levels.txt', severities);
  const options = ['--format', 'json', '--flatten-allof', '--severity-levels', levels];
  const output = execFileSync(program, ['breaking', ...files, ...options], { encoding: 'utf8' });
  const changes = JSON.parse(output || '[]') as Change[] | { changes: Change[] };
  const lines = (Array.isArray(changes) ? changes : changes.changes).map(
    ({ operation, path, text }) => `${operation} ${path}: ${text}`,
  );
  return [...new Set(lines)].toSorted();
}

/** OpenAPI 3.0 knows no webhooks: an event is compared as the answer of a path. */
function withEvents({ paths, 'x-webhooks': events, ...document }: Document): object {
  const described = Object.entries(events).map(([type, { post }]) => [
    `/event/${type}`,
    { get: { responses: { 200: { description: '', ...post.requestBody } } } },
  ]);
  return { ...document, paths: { ...paths, ...Object.fromEntries(described) } };
}
