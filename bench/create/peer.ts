import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { count } from '#bench/lib/figures.ts';
import type { Run } from '#bench/lib/interleave.ts';
import { createScript } from '#bench/lib/lua.ts';
import { onAppCore } from '#bench/lib/machine.ts';
import { describeExit, run } from '#scripts/lib/running.ts';
import { freePorts } from '#test/support/free-ports.ts';

/** Another product on the core of the measured API, to be loaded by the same client. */
export interface Peer {
  /** Creates, one a call, or `linksPerCall` in one call of the product. */
  createRun(options: { name: string; atOnce: number; linksPerCall?: number }): Run;
  stop(): Promise<void>;
}

/** As rows name it. */
export const peerName = 'Chhoto';

const startDeadlineMs = 10_000;
const pollMs = 50;
const settleMs = 500;
const stopSteps = [{ signal: 'SIGTERM', waitMs: 5_000 }] as const;

/**
 * Starts Chhoto, a shortener in Rust that keeps its links in SQLite: generated slugs, the journal as a WAL and synced at each
 * commit, so that an answered link is on disk as one of Waymark is.
 */
export async function startChhoto(program: string, folder: string): Promise<Peer> {
  const own = join(folder, 'chhoto');
  mkdirSync(own);
  const file = join(own, 'urls.sqlite');
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const apiKey = randomBytes(32).toString('hex');
  const running = run({
    ...onAppCore(program, []),
    cwd: own,
    env: {
      PATH: process.env.PATH,
      RUST_LOG: 'error',
      CHHOTO_DB_URL: file,
      CHHOTO_LISTEN_ADDRESS: '127.0.0.1',
      CHHOTO_LISTEN_PORT: String(port),
      CHHOTO_API_KEY: apiKey,
      CHHOTO_SLUG_STYLE: 'UID',
      CHHOTO_SQLITE_USE_WAL_MODE: 'True',
      CHHOTO_SQLITE_ENSURE_ACID: 'True',
      CHHOTO_DISABLE_FRONTEND: 'True',
    },
  });
  const stop = async (): Promise<void> => void (await running.stop(stopSteps));
  const answers = (async () => {
    const endsAt = performance.now() + startDeadlineMs;
    while (performance.now() < endsAt) {
      if (await fetch(`${url}/api/version`).catch(() => undefined)) return true;
      await sleep(pollMs);
    }
    return false;
  })();
  const started = await Promise.race([answers, running.exited]);
  if (started !== true) {
    await stop();
    throw new Error(`${program} ${started === false ? 'does not answer' : describeExit(started)}`);
  }

  const countLinks = (): number => {
    using db = new DatabaseSync(file, { readOnly: true });
    return Number(db.prepare('select count(*) as links from urls').get()!.links);
  };
  let known = 0;
  /** Compares the links that were made since the last run with the answers. They stay: it is no slower with them. */
  const check = async (requests: number, atOnce: number, linksPerCall: number): Promise<string | undefined> => {
    await sleep(settleMs);
    const links = countLinks();
    const made = links - known;
    known = links;
    const isMatch = made >= requests * linksPerCall && made <= (requests + atOnce) * linksPerCall;
    if (isMatch) return undefined;
    return `clients counted ${count(requests * linksPerCall)} links, and there are ${count(made)}`;
  };
  const row = `'{"longlink":"https://example.com/' .. run .. "/" .. n`;
  const bodyOf = (links: number): string =>
    links === 1
      ? `${row} .. '"}'`
      : `(function()
           local rows = {}
           for i = 1, ${links} do rows[i] = ${row} .. "-" .. i .. '"}' end
           return "[" .. table.concat(rows, ",") .. "]"
         end)()`;
  return {
    createRun({ name, atOnce, linksPerCall = 1 }) {
      const script = createScript({
        path: '/api/new',
        body: bodyOf(linksPerCall),
        headers: { 'X-API-Key': apiKey },
      });
      return {
        name,
        pid: running.pid!,
        load: { url, connections: atOnce, script },
        check: ({ requests }) => check(requests, atOnce, linksPerCall),
      };
    },
    stop,
  };
}
