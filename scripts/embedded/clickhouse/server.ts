import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * ClickHouse's HTTP interface over chdb, for tests, benchmarks and trying: as much of it as `@clickhouse/client` speaks. One
 * query at a time. A process of its own: chdb has one data folder per process, and a drill can kill it.
 *
 * `node server.ts <folder of the packages> <folder of the data> <port>`; the password comes from CLICKHOUSE_PASSWORD. It ends
 * with its standard input.
 */

interface Session {
  queryAsync(query: string, options: { format: string }): Promise<{ bytes(): Uint8Array }>;
  query(query: string): unknown;
}
type EngineError = Error & { clickhouseCode?: number };

const [packages, dataDir, port] = process.argv.slice(2) as [string, string, string];
const password = process.env.CLICKHOUSE_PASSWORD ?? '';
const require = createRequire(join(packages, 'package.json'));
const { Session } = require('chdb') as { Session: new (path: string) => Session };
const session = new Session(dataDir);
const linesFolder = join(dataDir, 'user_files');
await rm(linesFolder, { recursive: true, force: true });
await mkdir(linesFolder);

// Of the connection, or of answers in streams: the engine has no such settings for one query.
const ignored =
  /^(query|query_id|session_id|database|user|password|default_format|compress|enable_http_compression|wait_end_of_query|buffer_size|send_progress_in_http_headers|http_.*|role)$/;

let last: Promise<unknown> = Promise.resolve();

/** Runs work when all work before it is done. */
function inOrder<T>(work: () => Promise<T>): Promise<T> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  if (pathname === '/ping') return void response.end('Ok.\n');
  if (!isAllowed(request, searchParams)) return fail(response, 516, 'Authentication failed. (AUTHENTICATION_FAILED)');
  const lines = join(linesFolder, randomUUID());
  const query = await readQuery(request, searchParams.get('query'), lines);
  const settings = [...searchParams].filter(([name]) => !ignored.test(name));
  const format = searchParams.get('default_format') ?? 'TabSeparated';
  try {
    const bytes = await inOrder(async () => {
      session.query(`USE "${searchParams.get('database') ?? 'default'}"`);
      if (settings.length > 0)
        session.query(`SET ${settings.map(([name, value]) => `${name} = ${quoted(value)}`).join(', ')}`);
      try {
        return (await session.queryAsync(query, { format })).bytes();
      } finally {
        const own = settings.filter(([name]) => !name.startsWith('param_'));
        if (own.length > 0) session.query(`SET ${own.map(([name]) => `${name} = DEFAULT`).join(', ')}`);
      }
    });
    response.setHeader('x-clickhouse-query-id', searchParams.get('query_id') ?? '');
    response.setHeader('content-type', 'text/plain; charset=UTF-8');
    response.end(bytes);
  } catch (error) {
    const { clickhouseCode = 1_002, message } = error as EngineError;
    fail(response, clickhouseCode, message.replace(/^Code: \d+\. DB::Exception: /, ''));
  } finally {
    await rm(lines, { force: true });
  }
}

/** Reads the text to run. What `input()` reads it writes to a file, since the engine takes no such lines from a text. */
async function readQuery(request: IncomingMessage, head: string | null, lines: string): Promise<string> {
  const [, before, structure, after, format] =
    /^(insert .*) from input\(('(?:[^'\\]|\\.)*')\)(.*) format (\w+)$/s.exec(head ?? '') ?? [];
  if (structure !== undefined) {
    await writeFile(lines, request);
    return `${before} from file(${quoted(lines)}, ${format}, ${structure})${after}`;
  }
  const body = await text(request);
  return head === null ? body : body === '' ? head : `${head}\n${body}`;
}

function isAllowed(request: IncomingMessage, parameters: URLSearchParams): boolean {
  const { authorization = '', 'x-clickhouse-key': key } = request.headers;
  const basic = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
  const given = key ?? parameters.get('password') ?? basic.slice(basic.indexOf(':') + 1);
  return given === password;
}

function fail(response: ServerResponse, code: number, message: string): void {
  response.statusCode = code === 516 ? 403 : code === 60 || code === 81 ? 404 : code === 62 ? 400 : 500;
  response.setHeader('x-clickhouse-exception-code', code);
  response.end(`Code: ${code}. DB::Exception: ${message}\n`);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(error as Error));
});
server.listen(Number(port), '127.0.0.1', () => console.log('ready'));
process.stdin.resume().once('end', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
