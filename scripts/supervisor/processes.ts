import { join } from 'node:path';
import type { Config } from '#config/load.ts';
import { StartError } from '#scripts/embedded/start-error.ts';
import { startPostgres } from '#scripts/embedded/postgres/postgres.ts';
import { findTemporalBinary, type TemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { startClickHouse } from '#scripts/embedded/clickhouse/clickhouse.ts';
import { findChdb } from '#scripts/embedded/clickhouse/fetch.ts';
import { startTemporal } from '#scripts/embedded/temporal/temporal.ts';
import { checkVersions } from '#scripts/embedded/versions.ts';
import { type Launch, launchOf, type ProcessRole } from '#scripts/lib/node-flags.ts';
import { root } from '#scripts/lib/paths.ts';
import { describeExit, run, type StopStep } from '#scripts/lib/running.ts';
import type { PrepareProgress, PrepareRequest } from './prepare-database.ts';
import type { LogWriter } from './output.ts';
import { ensureClickHousePassword, ensureSecretKeyFile } from './secrets.ts';
import type { Service } from './supervise.ts';

// Time to exit after SIGTERM, before SIGKILL. The worker needs longer to finish its activities. Choices.
const serverStopMs = 10_000;
const workerStopMs = 30_000;

export function postgresService(config: Config, log: LogWriter): Service {
  const { WAYMARK_DATA_DIR: dataDir, DATABASE_PORT: port } = config;
  return {
    name: 'postgres',
    start: (signal) => startPostgres({ dataDir, port, onLine: log.line, signal }),
  };
}

export function clickhouseService(config: Config, log: LogWriter): Service {
  const { WAYMARK_DATA_DIR: dataDir, CLICKHOUSE_PORT: port } = config;
  const password = ensureClickHousePassword(dataDir);
  return {
    name: 'clickhouse',
    start: async (signal) => {
      const packages = findChdb(config.WAYMARK_CACHE_DIR);
      if (packages === undefined)
        throw new StartError('CLICKHOUSE=embedded: run `npm run clickhouse` first, which fetches ClickHouse.');
      return startClickHouse({ packages, dataDir, port, password, onLine: log.line, signal });
    },
  };
}

/** The embedded Temporal server. `onBinary` receives the binary once. */
export function temporalService(
  config: Config,
  log: LogWriter,
  onBinary: (binary: TemporalBinary) => void,
  onProgress: (line: string) => void,
): Service {
  let binary: TemporalBinary | undefined;
  return {
    name: 'temporal',
    start: async (signal) => {
      if (binary === undefined) {
        const { TEMPORAL_CLI: cli, WAYMARK_CACHE_DIR: cacheDir } = config;
        binary = await findTemporalBinary({ cli, cacheDir, onProgress, signal });
        checkVersions(config.WAYMARK_DATA_DIR, { temporal: binary.serverVersion });
        onBinary(binary);
      }
      return startTemporal({
        binary: binary.path,
        dataDir: config.WAYMARK_DATA_DIR,
        port: config.TEMPORAL_PORT,
        uiPort: config.TEMPORAL_UI_PORT,
        namespace: config.TEMPORAL_NAMESPACE,
        onLine: log.line,
        signal,
      });
    },
  };
}

/** Environment of the API, edge and worker: the caller's, with the addresses of the embedded servers. */
export function childEnvironment(
  config: Config,
  databaseUrl: string,
  clickhouseUrl: string | undefined,
): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, WAYMARK_DATA_DIR: config.WAYMARK_DATA_DIR };
  if (config.DATABASE_URL === undefined) {
    env.DATABASE_URL = databaseUrl;
    if (config.SECRET_KEY === undefined) env.SECRET_KEY_FILE = ensureSecretKeyFile(config.WAYMARK_DATA_DIR);
  }
  // The processes need to know no other way to it.
  delete env.CLICKHOUSE;
  if (clickhouseUrl !== undefined) env.CLICKHOUSE_URL = clickhouseUrl;
  if (config.TEMPORAL_ADDRESS === undefined) {
    env.TEMPORAL_ADDRESS = `127.0.0.1:${config.TEMPORAL_PORT}`;
    env.TEMPORAL_UI_URL = temporalUiUrl(config);
  }
  return env;
}

/** URL of the Temporal UI; undefined where none is known. */
export function temporalUiUrl(config: Config): string | undefined {
  if (config.TEMPORAL_UI_URL !== undefined || config.TEMPORAL_ADDRESS !== undefined) return config.TEMPORAL_UI_URL;
  return `http://localhost:${config.TEMPORAL_UI_PORT}`;
}

/** Metrics endpoints of the processes; empty without METRICS_PORT. */
export function metricsPorts(config: Config): { name: ProcessRole | 'Temporal SDK'; host: string; port: number }[] {
  const { METRICS_HOST: host, METRICS_PORT: first } = config;
  if (first === undefined) return [];
  const own = (['api', 'edge', 'worker'] as const).map((name, index) => ({ name, host, port: first + index }));
  // The worker gives its SDK the port after its own, on loopback.
  return [...own, { name: 'Temporal SDK', host: '127.0.0.1', port: first + own.length }];
}

/** Sets METRICS_PORT to the child's own port. */
export function withMetricsPort(config: Config, name: ProcessRole, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = metricsPorts(config).find((planned) => planned.name === name);
  return own === undefined ? env : { ...env, METRICS_PORT: String(own.port) };
}

interface ProductOptions {
  env: NodeJS.ProcessEnv;
  onLine: (line: string) => void;
  /** The folder of its code. Default: this checkout. */
  checkout?: string;
  /** Whether visitors and callers of the API go first. Default: before a worker. */
  isBackground?: boolean;
}

/** An API, edge or worker. */
export function productService(
  name: ProcessRole,
  { env, onLine, checkout = root, isBackground = name === 'worker' }: ProductOptions,
): Service {
  const isWorker = name === 'worker';
  return nodeChild({
    name,
    script: join(checkout, isWorker ? 'worker.ts' : 'server.ts'),
    launch: launchOf(name, checkout),
    env: isWorker ? env : { ...env, SERVE: name },
    stopWaitMs: isWorker ? workerStopMs : serverStopMs,
    isBackground,
    onLine,
  });
}

/** Bundles the workflows in a child process. @throws StartError with the end of its output. */
export async function bundleInChild(signal: AbortSignal): Promise<void> {
  const { exited, lastLines } = run({
    command: process.execPath,
    args: [join(root, 'scripts', 'build', 'workflows.ts')],
    endWith: signal,
  });
  const exit = await exited;
  signal.throwIfAborted();
  if (exit.code === 0) return;
  throw new StartError(['The workflows could not be bundled:', ...lastLines, describeExit(exit)].join('\n'));
}

/** A child process that migrates the database and creates the demo organization. */
interface DatabasePreparation {
  /** @throws StartError with the end of the process's output. */
  run(request: PrepareRequest, onProgress: (progress: PrepareProgress) => void): Promise<void>;
}

/** Starts the child process early, so that it loads its modules while the database starts. */
export function prepareInChild(signal: AbortSignal): DatabasePreparation {
  const { child, exited, lastLines } = run({
    command: process.execPath,
    args: [join(import.meta.dirname, 'prepare-database.ts')],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    endWith: signal,
  });
  return {
    async run(request, onProgress) {
      child.on('message', onProgress);
      // `exited` reports a process that died before.
      child.send(request, () => {});
      const exit = await exited;
      signal.throwIfAborted();
      if (exit.code === 0) return;
      throw new StartError(['The database could not be prepared:', ...lastLines, describeExit(exit)].join('\n'));
    },
  };
}

interface NodeChildOptions {
  name: string;
  /** Absolute path of the file to run. */
  script: string;
  /** Options of Node itself, and variables that `env` may replace. */
  launch?: Launch;
  env: NodeJS.ProcessEnv;
  /** Milliseconds from SIGTERM to SIGKILL. */
  stopWaitMs: number;
  /** Whether visitors and callers of the API go first. */
  isBackground?: boolean;
  onLine: (line: string) => void;
}

/** A Node process that sends `{type: 'ready'}` over its IPC channel when it serves, and exits when the channel closes. */
export function nodeChild({
  name,
  script,
  launch = { nodeArgs: [], env: {} },
  env,
  stopWaitMs,
  isBackground = false,
  onLine,
}: NodeChildOptions): Service {
  const steps: readonly StopStep[] = [{ signal: 'SIGTERM', waitMs: stopWaitMs }];
  return {
    name,
    start: async () => {
      const running = run({
        command: process.execPath,
        args: [...launch.nodeArgs, script],
        env: { ...launch.env, ...env },
        isBackground,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        onLine,
      });
      const ready = new Promise<void>((resolve) => {
        running.child.on('message', (message: unknown) => {
          if ((message as { type?: unknown } | null)?.type === 'ready') resolve();
        });
      });
      const { pid, exited } = running;
      return { pid, exited, ready, stop: ({ hurry = false } = {}) => running.stop(hurry ? [] : steps) };
    },
  };
}
