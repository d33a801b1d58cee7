import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '#config/load.ts';
import { bundleWorkflows } from '#scripts/bundle-workflows.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { startTemporal } from '#scripts/embedded/temporal/temporal.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { type App, startApp } from '#bench/lib/app.ts';
import type { BenchOptions } from '#bench/lib/bench.ts';
import {
  type BenchDatabase,
  emptyLinks,
  linkHost,
  makeLinks,
  numberedSlugs,
  prepareDatabase,
  startBenchPostgres,
} from '#bench/lib/database.ts';

/** A server under load, and the database that it writes to. */
export interface Target extends App {
  name: string;
  url: string;
  database: BenchDatabase;
}

/** PostgreSQL, Temporal and a worker beside the client, and the measured API on its own core. */
export interface Stage extends AsyncDisposable {
  options: BenchOptions;
  /** Without links. */
  database: BenchDatabase;
  /** Fastify with a route that does one INSERT. */
  bare(): Promise<Target>;
  /** The API as `npm start` runs it, without rate limits; `waitMs`: THREAT_SCAN_WAIT_MS, its default where absent. */
  api(name: string, database: BenchDatabase, waitMs?: number): Promise<Target>;
}

const knownLinks = 1_000;
const noLimit = '1000000000';

/** Starts everything but the servers to be measured. */
export async function createStage(options: BenchOptions): Promise<Stage> {
  const { folder, signal } = options;
  const dataDir = join(folder, 'data');
  const [temporalPort] = await freePorts(1);
  const { TEMPORAL_CLI: cli, WAYMARK_CACHE_DIR: cacheDir } = loadConfig({ ...process.env, WAYMARK_DATA_DIR: dataDir });
  const binary = await findTemporalBinary({ cli, cacheDir, onProgress: (line) => console.log(line), signal });
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of closing.toReversed()) await step();
  };

  try {
    await bundleWorkflows();
    const temporal = await startTemporal({ binary: binary.path, dataDir, port: temporalPort!, signal });
    closing.push(() => temporal.stop());
    const postgres = await startBenchPostgres(dataDir);
    closing.push(() => postgres.stop());
    const database = await prepareDatabase(postgres.url);
    closing.push(() => database.db.close());
    // Gives the planner statistics, as autovacuum does a minute after the first links; they stay when rows go.
    await makeLinks(database, numberedSlugs('s', knownLinks));
    await emptyLinks(database);

    let started = 0;
    const environment = (url: string): NodeJS.ProcessEnv => {
      const own = join(folder, String((started += 1)));
      mkdirSync(own);
      return {
        DATABASE_URL: url,
        // A database stores the fingerprint of its key.
        SECRET_KEY: secretKey,
        TEMPORAL_ADDRESS: temporal.address,
        // One organization makes the links of a whole day of many: past its budget no verdict would be known within the call.
        THREAT_SCANS_PER_DAY: '1000000000',
        // Each database has a worker of its own.
        TEMPORAL_TASK_QUEUE: new URL(url).pathname.slice(1),
        EDGE_URL: `https://${linkHost}`,
        WAYMARK_DATA_DIR: own,
        RATE_LIMIT_PER_SECOND: noLimit,
        RATE_LIMIT_PER_MINUTE: noLimit,
      };
    };
    const secretKey = randomBytes(32).toString('base64url');
    const env = environment(database.url);
    const worker = await startApp({ name: 'worker', script: 'worker.ts', env, isMeasured: false });
    closing.push(() => worker.stop());

    const start = async (name: string, script: string, on: BenchDatabase, env: NodeJS.ProcessEnv): Promise<Target> => {
      const [port] = await freePorts(1);
      const all = { ...environment(on.url), ...env, PORT: String(port) };
      const app = await startApp({ name, script, env: all, isMeasured: true });
      closing.push(() => app.stop());
      return { ...app, name, url: `http://127.0.0.1:${port}`, database: on };
    };
    return {
      options,
      database,
      bare: () => start('bare Fastify with one INSERT', 'bench/bare-fastify.ts', database, {}),
      api: (name, on, waitMs) =>
        start(name, 'server.ts', on, {
          SERVE: 'api',
          ...(waitMs === undefined ? {} : { THREAT_SCAN_WAIT_MS: String(waitMs) }),
        }),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
