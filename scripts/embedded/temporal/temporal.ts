import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHealthCheck } from '#adapters/temporal/health.ts';
import { searchAttributes } from '#core/temporal/search-attributes.ts';
import { processMark, readText } from '#scripts/lib/lock.mjs';
import { isOk } from '#scripts/lib/is-ok.ts';
import { run } from '#scripts/lib/running.ts';
import { stopOrphan } from '#scripts/embedded/orphans.ts';
import { type EmbeddedServer, untilServing } from '#scripts/embedded/until-serving.ts';

/**
 * Dynamic settings of the embedded Temporal server, `key=JSON value`. They suit the dev server with its single history shard; a
 * cluster gets the same effect from more shards. npm start, tests and benchmarks share them.
 */
export const temporalDynamicSettings: readonly string[] = [
  // One shard polls for all queues: with the default of 20 each dispatch waits up to 50 ms.
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=500',
  // By default timers fire up to a second late, to allow for clock skew within a cluster.
  'history.timerProcessorMaxTimeShift="1ms"',
  // Four partitions on one small machine forward tasks to each other, for up to two seconds.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // Organizations take turns: a task's fairness key is its organization.
  'matching.useNewMatcher=true',
  'matching.enableFairness=true',
  // Operators pause single workflows.
  'frontend.WorkflowPauseEnabled=true',
  // By default a workflow id may continue as new once per second.
  'history.workflowIdReuseMinimalInterval="0s"',
  // Limits above the capacity of one small machine.
  'frontend.rps=100000',
  'frontend.namespaceRPS=100000',
  'history.rps=100000',
  'matching.rps=100000',
  'frontend.persistenceMaxQPS=100000',
  'history.persistenceMaxQPS=100000',
  'matching.persistenceMaxQPS=100000',
  // No call to the internet.
  'frontend.enableServerVersionCheck=false',
];

const probeTimeoutMs = 1_000;
// The server also picks free ports of its own, which another process may take first: then the start is retried.
const maxTries = 3;
const stopSteps = [{ signal: 'SIGTERM', waitMs: 10_000 }] as const;

interface TemporalOptions {
  /** Path of the `temporal` binary, see `findTemporalBinary`. */
  binary: string;
  port: number;
  /** Port of the web UI; absent: no UI. */
  uiPort?: number;
  /** A namespace to create besides `default`. */
  namespace?: string;
  /** An existing folder, which gets the state in `temporal/`. */
  dataDir: string;
  /** For tests: keeps the state in memory, and runs at their own priority, since beside other programs of a busy machine it would hardly run. */
  inMemory?: boolean;
  /** Dynamic settings beside the usual ones, `key=JSON value`. */
  settings?: readonly string[];
  /** Receives each line of the server's log. */
  onLine?: (line: string) => void;
  signal?: AbortSignal;
}

interface EmbeddedTemporal extends EmbeddedServer {
  /** `host:port` of its gRPC service. */
  address: string;
}

/**
 * Starts the dev server on 127.0.0.1. Call it while holding the lock of the data folder, because it first stops a server that an
 * earlier supervisor left running.
 * @returns when the server and its UI answer.
 * @throws StartError with the last lines of the log when the server does not start.
 */
export async function startTemporal(options: TemporalOptions): Promise<EmbeddedTemporal> {
  await stopOrphanTemporal(options.dataDir);
  for (let tries = 1; ; tries += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      const isTaken = (error as Error).message.includes('address already in use');
      if (!isTaken || tries >= maxTries || options.signal?.aborted === true) throw error;
    }
  }
}

async function startOnce(options: TemporalOptions): Promise<EmbeddedTemporal> {
  const { binary, dataDir, port, uiPort, onLine, signal } = options;
  mkdirSync(folderOf(dataDir), { recursive: true, mode: 0o700 });
  const running = run({
    command: binary,
    args: argumentsOf(options),
    isBackground: options.inMemory !== true,
    cwd: '/',
    // stdout has only a banner; errors go to stderr.
    stdio: ['ignore', 'ignore', 'pipe'],
    onLine,
  });
  const { pid } = running;
  if (pid !== undefined) writeFileSync(pidFileOf(dataDir), `${pid}\n${processMark(pid)}\n`);
  const address = `127.0.0.1:${port}`;
  const health = createHealthCheck({ address });
  try {
    const server = await untilServing({
      name: 'The embedded Temporal server',
      running,
      // One in a hurry is killed: its write-ahead log keeps the data safe.
      async stop({ hurry = false } = {}) {
        const exit = await running.stop(hurry ? [] : stopSteps);
        rmSync(pidFileOf(dataDir), { force: true });
        return exit;
      },
      isServing: async () =>
        (await health.whyAway(probeTimeoutMs)) === undefined &&
        (uiPort === undefined || isOk(`http://127.0.0.1:${uiPort}/`, probeTimeoutMs)),
      signal,
    });
    return { ...server, address };
  } finally {
    health.close();
  }
}

/** Stops a server that an earlier supervisor left running on this data folder. @returns whether one ran. */
export async function stopOrphanTemporal(dataDir: string): Promise<boolean> {
  const content = readText(pidFileOf(dataDir));
  if (content === undefined) return false;
  const [id, mark] = content.split('\n');
  const pid = Number(id);
  const isOurs = (): boolean => processMark(pid) === mark;
  const steps = [...stopSteps, { signal: 'SIGKILL', waitMs: 2_000 }] as const;
  const stopped = await stopOrphan({ pid, name: 'The embedded Temporal server', isOurs, steps });
  rmSync(pidFileOf(dataDir), { force: true });
  return stopped;
}

function argumentsOf({ port, uiPort, namespace, dataDir, inMemory = false, settings = [] }: TemporalOptions): string[] {
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)];
  // A developer's CLI profile may name another server.
  args.push('--disable-config-file', '--disable-config-env', '--log-level', 'error', '--log-format', 'json');
  args.push(...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]));
  if (namespace !== undefined && namespace !== 'default') args.push('--namespace', namespace);
  // Without the write-ahead log the server is four times slower. With synchronous=NORMAL a kill loses nothing.
  const pragmas = ['journal_mode=WAL', 'synchronous=NORMAL'].flatMap((pragma) => ['--sqlite-pragma', pragma]);
  if (!inMemory) args.push('--db-filename', databaseOf(dataDir), ...pragmas);
  for (const setting of [...temporalDynamicSettings, ...settings]) args.push('--dynamic-config-value', setting);
  for (const [name, type] of Object.entries(searchAttributes)) args.push('--search-attribute', `${name}=${type}`);
  return args;
}

function folderOf(dataDir: string): string {
  return join(dataDir, 'temporal');
}

function databaseOf(dataDir: string): string {
  return join(folderOf(dataDir), 'temporal.db');
}

function pidFileOf(dataDir: string): string {
  return join(folderOf(dataDir), 'server.pid');
}
