import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { freePorts } from '#test/support/free-ports.ts';
import { type App, startApp } from '#bench/lib/app.ts';
import type { Bench } from '#bench/lib/bench.ts';
import {
  type BenchDatabase,
  linkHost,
  makeLinks,
  numberedSlugs,
  prepareDatabase,
  startBenchPostgres,
} from '#bench/lib/database.ts';
import { describeRatio, milliseconds, percentile, ratioOf, spreadOf } from '#bench/lib/figures.ts';
import { createFindings } from '#bench/lib/findings.ts';

const links = 2_000;
const callsEach = 300;
const quickCallsEach = 20;
const noLimit = '1000000000';
/** Most time that a call of this checkout may take beside the other one. A choice: cold calls can afford an ORM. */
const mostRatio = 1.3;

/** A call to time. `count` is different each time. */
interface Call {
  name: string;
  method: string;
  /** How many calls are made for one of the others; 1 by default. */
  share?: number;
  path(count: number): string;
  body?(count: number): object;
}

const callsOn = (ids: readonly string[]): readonly Call[] => {
  const link = (count: number): string => `/short-link/${ids[count % ids.length]!}`;
  return [
    { name: 'GET /short-link/{id}', method: 'GET', path: link },
    { name: 'GET /short-link/list', method: 'GET', path: (count) => `/short-link/list?limit=20&page=${count % 50}` },
    { name: 'PATCH /short-link/{id}', method: 'PATCH', path: link, body: (count) => ({ title: `Title ${count}` }) },
    {
      name: 'PATCH /short-link/bulk (50)',
      share: 0.1,
      method: 'PATCH',
      path: () => '/short-link/bulk',
      body: (count) => ({
        links: ids
          .slice((count * 50) % 1_000)
          .slice(0, 50)
          .map((id) => ({ id, title: `Bulk ${count}` })),
      }),
    },
    {
      name: 'POST /short-link',
      method: 'POST',
      path: () => '/short-link',
      body: (count) => ({ destination: { type: 'link', value: `https://example.com/calls/${count}` } }),
    },
    {
      name: 'POST /short-link/bulk (50)',
      share: 0.1,
      method: 'POST',
      path: () => '/short-link/bulk',
      body: (count) => ({
        links: Array.from({ length: 50 }, (_, row) => ({
          destination: { type: 'link', value: `https://example.com/calls/${count}/${row}` },
        })),
      }),
    },
    { name: 'POST /folder', method: 'POST', path: () => '/folder', body: (count) => ({ name: `Folder ${count}` }) },
  ];
};

/** Times calls of the API one after the other, of this checkout and of another one in turn, on one database. */
export const bench: Bench = async ({ folder, signal, isQuick, beside, timing }) => {
  const findings = createFindings();
  const postgres = await startBenchPostgres(join(folder, 'data'));
  const closing: (() => Promise<unknown>)[] = [() => postgres.stop()];
  try {
    const database = await prepareDatabase(postgres.url);
    closing.push(() => database.db.close());
    const ids = [...(await makeLinks(database, numberedSlugs('c', links))).values()];
    const agent = new Agent({ keepAlive: true });
    closing.push(async () => agent.destroy());
    const start = async (name: string, checkout?: string): Promise<string> => {
      const { app, url } = await startApi({ name, folder, database, checkout });
      closing.push(() => app.stop());
      return url;
    };
    const here = await start('here');
    const there = beside === undefined ? undefined : await start('beside', beside);
    const calls = isQuick ? quickCallsEach : callsEach;
    let count = 0;
    for (const call of callsOn(ids)) {
      const time = async (base: string): Promise<number> => {
        const times: number[] = [];
        for (let asked = 0; asked < calls * (call.share ?? 1); asked += 1) {
          signal.throwIfAborted();
          count += 1;
          const startedAt = performance.now();
          await ask(agent, `${base}${call.path(count)}`, call.method, database.apiKey, call.body?.(count));
          times.push(performance.now() - startedAt);
          // A plan allows 100 folders.
          if (count % 50 === 0) await database.db.query('delete from folders where not is_default');
        }
        return percentile(times, 0.5);
      };
      const own: number[] = [];
      const others: number[] = [];
      for (let round = 0; round <= timing.rounds; round += 1) {
        const [one, other] = [await time(here), there === undefined ? undefined : await time(there)];
        // The first round warms up.
        if (round === 0) continue;
        own.push(one);
        if (other !== undefined) others.push(other);
      }
      const ratio = others.length === 0 ? undefined : ratioOf(own, others);
      findings.add({
        id: 'calls',
        what: call.name,
        figure: `p50 ${milliseconds(spreadOf(own).median)}`,
        baseline: others.length === 0 ? '' : `p50 ${milliseconds(spreadOf(others).median)}`,
        ratio: ratio === undefined ? '' : describeRatio(ratio),
        goal: `≤ ${mostRatio}`,
        isMet: ratio === undefined ? null : ratio.median <= mostRatio,
      });
    }
  } finally {
    for (const step of closing.toReversed()) await step();
  }
  return findings.outcome();
};

async function startApi({
  name,
  folder,
  database,
  checkout,
}: {
  name: string;
  folder: string;
  database: BenchDatabase;
  checkout: string | undefined;
}): Promise<{ app: App; url: string }> {
  const [port] = await freePorts(1);
  const dataDir = join(folder, name);
  mkdirSync(dataDir);
  const app = await startApp({
    name,
    checkout,
    script: 'server.ts',
    isMeasured: true,
    env: {
      SERVE: 'api',
      PORT: String(port),
      DATABASE_URL: database.url,
      SECRET_KEY: secretKey,
      // No server listens there: these calls need no workflow.
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      EDGE_URL: `https://${linkHost}`,
      WAYMARK_DATA_DIR: dataDir,
      RATE_LIMIT_PER_SECOND: noLimit,
      RATE_LIMIT_PER_MINUTE: noLimit,
      THREAT_SCAN_WAIT_MS: '0',
      LOG_LEVEL: 'error',
    },
  });
  return { app, url: `http://127.0.0.1:${port}` };
}

// Both processes open what the other one has sealed.
const secretKey = randomBytes(32).toString('base64url');

/** Makes a call. @throws Error for an answer that is no success. */
function ask(agent: Agent, url: string, method: string, apiKey: string, body?: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) };
    const asked = request(url, { agent, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode! < 300) resolve();
        else reject(new Error(`${method} ${url}: ${response.statusCode} ${Buffer.concat(chunks).toString()}`));
      });
    });
    asked.on('error', reject);
    asked.end(body && JSON.stringify(body));
  });
}
