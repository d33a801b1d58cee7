import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '#config/load.ts';
import { bundleWorkflows } from '#scripts/bundle-workflows.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { startTemporal } from '#scripts/embedded/temporal/temporal.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { type App, startApp } from './app.ts';
import type { BenchOptions } from './bench.ts';
import { type BenchDatabase, linkHost, prepareDatabase, startBenchPostgres } from './database.ts';

/** A process of a benchmark. */
export interface Target extends App {
  name: string;
  /** `http://127.0.0.1:3001` */
  url: string;
}

/** What a benchmark runs on; its processes end with it, the last one first. */
export interface Stage extends AsyncDisposable {
  options: BenchOptions;
  /** Without links. */
  database: BenchDatabase;
  secretKey: string;
  /**
   * Starts a script with a port (PORT, EDGE_PORT) and a data folder of its own, the product's with the settings of the stage too.
   * `isMeasured`: it has the measured core to itself.
   */
  start(name: string, script: string, own?: { env?: NodeJS.ProcessEnv; isMeasured?: boolean }): Promise<Target>;
  /** Adds a step to the end. */
  defer(step: () => Promise<unknown> | void): void;
}

/** How a stage differs from `npm start`. */
interface StageOptions {
  hasTemporal?: boolean;
  /** Settings of all processes of the product. */
  settings?: NodeJS.ProcessEnv;
  onPostgresLine?: (line: string) => void;
}

/** Settings without limits of calls. */
export const noRateLimits = { RATE_LIMIT_PER_SECOND: '1000000000', RATE_LIMIT_PER_MINUTE: '1000000000' };

/** Starts PostgreSQL, and Temporal where it takes part. */
export async function createStage(
  options: BenchOptions,
  { hasTemporal = true, settings = {}, onPostgresLine }: StageOptions = {},
): Promise<Stage> {
  const { folder, signal } = options;
  const dataDir = join(folder, 'data');
  await using starting = new AsyncDisposableStack();
  // No server listens on the other one.
  let temporalAddress = '127.0.0.1:1';
  if (hasTemporal) {
    const { TEMPORAL_CLI: cli, WAYMARK_CACHE_DIR: cacheDir } = loadConfig({
      ...process.env,
      WAYMARK_DATA_DIR: dataDir,
    });
    const binary = await findTemporalBinary({ cli, cacheDir, onProgress: (line) => console.log(line), signal });
    await bundleWorkflows();
    const [port] = await freePorts(1);
    const temporal = await startTemporal({ binary: binary.path, dataDir, port: port!, signal });
    starting.defer(async () => void (await temporal.stop()));
    temporalAddress = temporal.address;
  }
  const postgres = await startBenchPostgres(dataDir, onPostgresLine);
  starting.defer(async () => void (await postgres.stop()));
  const database = await prepareDatabase(postgres.url);
  starting.defer(() => database.db.close());
  const closing = starting.move();

  const secretKey = randomBytes(32).toString('base64url');
  const product: NodeJS.ProcessEnv = {
    DATABASE_URL: postgres.url,
    SECRET_KEY: secretKey,
    TEMPORAL_ADDRESS: temporalAddress,
    EDGE_URL: `https://${linkHost}`,
    TRUSTED_PROXIES: '127.0.0.1',
    ...settings,
  };
  let started = 0;
  return {
    options,
    database,
    secretKey,
    async start(name, script, { env, isMeasured = false } = {}) {
      const [port] = await freePorts(1);
      const own = join(folder, `process-${(started += 1)}`);
      mkdirSync(own);
      const given = {
        PORT: String(port),
        EDGE_PORT: String(port),
        WAYMARK_DATA_DIR: own,
        ...(script.startsWith('bench/') ? {} : product),
        ...env,
      };
      const app = await startApp({ name, script, env: given, isMeasured });
      closing.defer(() => app.stop());
      return { ...app, name, url: `http://127.0.0.1:${port}` };
    },
    defer: (step) => closing.defer(async () => void (await step())),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
