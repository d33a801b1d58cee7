import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '#config/load.ts';
import { bundleWorkflows } from '#scripts/build/workflows.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { startTemporal } from '#scripts/embedded/temporal/temporal.ts';
import type { ProcessRole } from '#scripts/lib/node-flags.ts';
import { root } from '#scripts/lib/paths.ts';
import { describeExit } from '#scripts/lib/running.ts';
import { nodeChild, productService } from '#scripts/supervisor/processes.ts';
import { freePorts } from '#test/support/free-ports.ts';
import type { BenchOptions } from './bench.ts';
import { type BenchDatabase, linkHost, prepareDatabase, startBenchPostgres } from './database.ts';
import { leaveAppCore, useOneCore } from './machine.ts';

/** A process of a benchmark. */
export interface Target {
  name: string;
  pid: number;
  /** `http://127.0.0.1:3001` */
  url: string;
  /** Ends it in order: clicks on disk are shipped first. */
  stop(): Promise<unknown>;
}

interface TargetOptions {
  name?: string;
  env?: NodeJS.ProcessEnv;
  /** Whether it has the measured core to itself; else it runs beside the client. */
  isMeasured?: boolean;
  /** The folder of its code. Default: this checkout. */
  checkout?: string;
}

/** What a benchmark runs on; its processes end with it, the last one first. */
export interface Stage extends AsyncDisposable {
  options: BenchOptions;
  /** Without links. */
  database: BenchDatabase;
  secretKey: string;
  /**
   * Starts a process of the product as `npm start` does, with the settings of the stage, or a server of the benchmark's own (a path
   * below the checkout); each has a port (PORT, EDGE_PORT) and a data folder of its own.
   */
  start(what: ProcessRole | `bench/${string}.ts`, own?: TargetOptions): Promise<Target>;
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

const startDeadlineMs = 180_000;
const stopWaitMs = 15_000;
// Nothing else of the shell: a LOG_LEVEL or NODE_OPTIONS would change the measured process.
const inherited = ['PATH', 'HOME', 'LANG', 'XDG_CACHE_HOME', 'WAYMARK_CACHE_DIR', 'TEMPORAL_CLI'];

/** Starts PostgreSQL, and Temporal where it takes part. */
export async function createStage(
  options: BenchOptions,
  { hasTemporal = true, settings = {}, onPostgresLine }: StageOptions = {},
): Promise<Stage> {
  const { folder, signal } = options;
  const dataDir = join(folder, 'data');
  await using starting = new AsyncDisposableStack();
  // No server listens on the other one.
  const temporalAddress = hasTemporal ? await startOwnTemporal(dataDir, signal, starting) : '127.0.0.1:1';
  const postgres = await startBenchPostgres(dataDir, onPostgresLine);
  starting.defer(async () => void (await postgres.stop()));
  const database = await prepareDatabase(postgres.url);
  starting.defer(() => database.db.close());
  const closing = starting.move();

  const secretKey = randomBytes(32).toString('base64url');
  const common = Object.fromEntries(inherited.map((name) => [name, process.env[name]]));
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
    async start(what, { name = what, env: own, isMeasured = false, checkout = root } = {}) {
      const [port] = await freePorts(1);
      const data = join(folder, `process-${(started += 1)}`);
      mkdirSync(data);
      const onLine = (line: string): void => console.error(`${name} | ${line}`);
      const env = {
        ...common,
        NODE_ENV: 'production',
        LOG_LEVEL: 'warn',
        PORT: String(port),
        EDGE_PORT: String(port),
        WAYMARK_DATA_DIR: data,
      };
      const service =
        what === 'api' || what === 'edge' || what === 'worker'
          ? productService(what, { env: { ...env, ...product, ...own }, onLine, checkout })
          : nodeChild({ name, script: join(root, what), env: { ...env, ...own }, stopWaitMs, onLine });
      // A process begins on the cores of the one that starts it.
      if (isMeasured) useOneCore();
      const starting = service.start(signal);
      if (isMeasured) leaveAppCore();
      const { pid, ready, exited, stop } = await starting;
      closing.defer(async () => void (await stop()));
      const late = sleep(startDeadlineMs, undefined, { ref: false });
      const end = await Promise.race([Promise.resolve(ready).then(() => 'ready' as const), exited, late]);
      if (end !== 'ready') throw new Error(`${name} ${end === undefined ? 'does not get ready' : describeExit(end)}`);
      return { name, pid: pid!, url: `http://127.0.0.1:${port}`, stop };
    },
    defer: (step) => closing.defer(async () => void (await step())),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** @returns its address. */
async function startOwnTemporal(dataDir: string, signal: AbortSignal, closing: AsyncDisposableStack): Promise<string> {
  const { TEMPORAL_CLI: cli, WAYMARK_CACHE_DIR: cacheDir } = loadConfig({ ...process.env, WAYMARK_DATA_DIR: dataDir });
  const binary = await findTemporalBinary({ cli, cacheDir, onProgress: (line) => console.log(line), signal });
  await bundleWorkflows();
  const [port] = await freePorts(1);
  const temporal = await startTemporal({ binary: binary.path, dataDir, port: port!, signal });
  closing.defer(async () => void (await temporal.stop()));
  return temporal.address;
}
