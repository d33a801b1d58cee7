import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeMultipart } from './upload.ts';

/** Where a running product answers. `host` is that of its links. */
export interface ProductAddress {
  apiPort: number;
  edgePort: number;
  host: string;
}

/** Calls by what they did, each with how often it was answered how: a status, or `error` for none. */
export type Tally = Record<string, Record<string, number>>;

/** Something that makes calls until it is stopped. */
export interface Caller {
  /** Ends it after the calls under way. @returns what they came to. */
  stop(): Promise<Tally>;
}

interface Call {
  port: number;
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

interface Reply {
  status: number;
  text: string;
}

const agent = (): Agent => new Agent({ keepAlive: true, maxSockets: 64 });
const json = 'application/json';
const restAfterRefusalMs = 25;
// A visit by a person; bots are passed over by counts, not by doors.
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

function send(via: Agent, { port, method = 'GET', path, headers = {}, body }: Call): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request({ agent: via, host: '127.0.0.1', port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

let counter = 0;
const destination = () => ({ type: 'link', value: `https://site${(counter += 1)}.example/${counter}` });
const post = (port: number, path: string, key: string, body: unknown): Call => ({
  port,
  method: 'POST',
  path,
  headers: { 'x-api-key': key, 'content-type': json },
  body: JSON.stringify(body),
});

/** Counts calls and their answers. */
function createTally() {
  const tally: Tally = {};
  return {
    tally,
    note(what: string, answer: number | 'error'): void {
      const row = (tally[what] ??= {});
      row[answer] = (row[answer] ?? 0) + 1;
    },
  };
}

/**
 * Starts an organization that takes all it can get: imports, bulk calls with passwords and with huge rules, short searches,
 * statistics, sign-ins, guesses at a link's password, each as fast as it is answered.
 * @param slug of its link with a password.
 */
export function startGreedy({ apiPort, edgePort, host }: ProductAddress, key: string, slug: string): Caller {
  const stopping = new AbortController();
  const via = agent();
  const { tally, note } = createTally();
  const rules = (count: number) =>
    Array.from({ length: count }, (_, priority) => ({ priority, countries: ['DE'], destination: destination() }));
  const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
  const file = () => {
    const lines = many(2_000, () => destination().value).join('\n');
    const { payload, headers } = writeMultipart([{ filename: 'a.csv', type: 'text/csv', content: `url\n${lines}\n` }]);
    return {
      port: apiPort,
      method: 'POST',
      path: '/short-link/import',
      headers: { ...headers, 'x-api-key': key },
      body: payload,
    };
  };
  const read = (path: string): Call => ({ port: apiPort, path, headers: { 'x-api-key': key } });
  const works: [what: string, atOnce: number, make: () => Call][] = [
    ['import', 4, file],
    [
      'bulk with passwords',
      4,
      () =>
        post(apiPort, '/short-link/bulk', key, {
          links: many(10, () => ({ destination: destination(), password: 'secret' })),
        }),
    ],
    [
      'bulk with huge rules',
      4,
      () =>
        post(apiPort, '/short-link/bulk', key, {
          links: many(50, () => ({ destination: destination(), rules: rules(50) })),
        }),
    ],
    ['search', 6, () => read('/short-link/list?search=e')],
    ['statistics', 4, () => read('/stats/overview?groupBy=uniqueVisitors')],
    [
      'sign-in',
      8,
      () => ({
        port: apiPort,
        method: 'POST',
        path: '/auth/login',
        headers: { 'content-type': json },
        body: JSON.stringify({ email: `nobody${(counter += 1)}@example.com`, password: 'a wrong password' }),
      }),
    ],
    [
      'guess',
      8,
      () => ({
        port: edgePort,
        method: 'POST',
        path: `/${slug}`,
        headers: { host, 'content-type': 'application/x-www-form-urlencoded', 'user-agent': userAgent },
        body: `password=guess${(counter += 1)}`,
      }),
    ],
  ];
  const repeat = async (what: string, make: () => Call): Promise<void> => {
    while (!stopping.signal.aborted) {
      const status = await send(via, make()).then(
        (reply) => reply.status,
        () => 'error' as const,
      );
      note(what, status);
      if (status === 'error' || status >= 400) await sleep(restAfterRefusalMs);
    }
  };
  const running = works.flatMap(([what, atOnce, make]) => many(atOnce, () => repeat(what, make)));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
      via.destroy();
      return tally;
    },
  };
}

/** What an organization that makes, reads and visits links has seen: times in milliseconds, by what it did. */
export interface Experience {
  tally: Tally;
  times: Record<string, number[]>;
  /** Answers that were no success. */
  failures: string[];
}

/**
 * Makes, reads, lists, changes and visits links, one call after the other, for so long or so many rounds.
 * @param pauseMs between calls.
 */
export async function beVictim(
  { apiPort, edgePort, host }: ProductAddress,
  key: string,
  { rounds, pauseMs = 0 }: { rounds: number; pauseMs?: number },
): Promise<Experience> {
  const via = agent();
  const { tally, note } = createTally();
  const times: Record<string, number[]> = {};
  const failures: string[] = [];
  async function call(what: string, one: Call, expected: number): Promise<Reply> {
    const startedAt = performance.now();
    const reply = await send(via, one);
    (times[what] ??= []).push(performance.now() - startedAt);
    note(what, reply.status);
    if (reply.status !== expected) failures.push(`${what}: ${reply.status} ${reply.text.slice(0, 300)}`);
    if (pauseMs > 0) await sleep(pauseMs);
    return reply;
  }
  const headers = { 'x-api-key': key };
  for (let round = 0; round < rounds; round += 1) {
    const made = await call('create', post(apiPort, '/short-link', key, { destination: destination() }), 201);
    if (made.status !== 201) continue;
    const { id, slug } = JSON.parse(made.text) as { id: string; slug: string };
    await call('read', { port: apiPort, path: `/short-link/${id}`, headers }, 200);
    await call('list', { port: apiPort, path: '/short-link/list', headers }, 200);
    const visit = { port: edgePort, path: `/${slug}`, headers: { host, 'user-agent': userAgent } };
    await call('first visit', visit, 302);
    await call('visit', visit, 302);
  }
  via.destroy();
  return { tally, times, failures };
}
