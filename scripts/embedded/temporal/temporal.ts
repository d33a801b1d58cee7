import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { searchAttributes } from '#core/lib/search-attributes.ts';
import { processMark } from '#scripts/lib/lock.mjs';
import { describeExit, type Exit, run, type Running } from '#scripts/lib/running.ts';
import { StartError } from '#scripts/embedded/start-error.ts';
import { isServing } from './grpc-health.ts';
import { stopOrphan } from '#scripts/embedded/orphans.ts';
import { temporalDynamicSettings } from './dynamic-settings.ts';

const service = 'temporal.api.workflowservice.v1.WorkflowService';
const startDeadlineMs = 60_000;
const pollMs = 30;
// It looks for free ports of its own beside those that it is given, and somebody else may take one before it does.
const maxTries = 3;
const stopSteps = [{ signal: 'SIGTERM', waitMs: 10_000 }] as const;

/** How to start the embedded Temporal server. */
export interface TemporalOptions {
  /** Path of the `temporal` binary, see `findTemporalBinary`. */
  binary: string;
  port: number;
  /** Port of the web UI; absent: no UI. */
  uiPort?: number;
  /** A namespace to make besides `default`. */
  namespace?: string;
  /** Its state goes into `temporal/` in here. The folder must exist. */
  dataDir: string;
  /** For tests: keep the state in memory. */
  inMemory?: boolean;
  /** Gets each line of its log. */
  onLine?: (line: string) => void;
  /** Asks to give the start up. */
  signal?: AbortSignal;
}

/** A running embedded Temporal server. */
export interface EmbeddedTemporal {
  /** `host:port` of its gRPC service. */
  address: string;
  pid: number;
  /** Resolves when it ends, however that comes; never rejects. */
  exited: Promise<Exit>;
  /** Ends it. `hurry` kills it, which its write-ahead log survives. */
  stop(options?: { hurry?: boolean }): Promise<Exit>;
}

/**
 * Starts the dev server on 127.0.0.1 alone. Call it while holding the lock of the data folder: a server that an earlier
 * supervisor left behind is stopped first.
 * @returns when it answers and the UI, if any, does too.
 * @throws StartError with the last lines of its log when it does not start.
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
  const { binary, dataDir, onLine } = options;
  mkdirSync(folderOf(dataDir), { recursive: true, mode: 0o700 });
  const lastLines: string[] = [];
  const running = run({
    command: binary,
    args: argumentsOf(options),
    cwd: '/',
    // Its stdout is a banner with addresses; what goes wrong is told on stderr.
    stdio: ['ignore', 'ignore', 'pipe'],
    onLine: (line) => {
      lastLines.push(line);
      if (lastLines.length > 20) lastLines.shift();
      onLine?.(line);
    },
  });
  const { pid } = running;
  if (pid !== undefined) writeFileSync(pidFileOf(dataDir), `${pid}\n${processMark(pid)}\n`);
  const stop = async ({ hurry = false } = {}): Promise<Exit> => {
    const exit = await running.stop(hurry ? [] : stopSteps);
    rmSync(pidFileOf(dataDir), { force: true });
    return exit;
  };
  try {
    await untilServing(running, options);
  } catch (error) {
    const exit = await stop({ hurry: true });
    const log = lastLines.length === 0 ? describeExit(exit) : lastLines.join('\n');
    throw new StartError(`The embedded Temporal server did not start: ${(error as Error).message}\n${log}`, {
      cause: error,
    });
  }
  return { address: `127.0.0.1:${options.port}`, pid: pid!, exited: running.exited, stop };
}

/** Stops a server that an earlier supervisor left running on this data folder. @returns whether there was one. */
export async function stopOrphanTemporal(dataDir: string): Promise<boolean> {
  let content: string;
  try {
    content = readFileSync(pidFileOf(dataDir), 'utf8');
  } catch {
    return false;
  }
  const [id, mark] = content.split('\n');
  const pid = Number(id);
  const isOurs = (): boolean => processMark(pid) === mark;
  const steps = [...stopSteps, { signal: 'SIGKILL', waitMs: 2_000 }] as const;
  const stopped = await stopOrphan({ pid, name: 'The embedded Temporal server', isOurs, steps });
  rmSync(pidFileOf(dataDir), { force: true });
  return stopped;
}

function argumentsOf({ port, uiPort, namespace, dataDir, inMemory = false }: TemporalOptions): string[] {
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)];
  // A developer's own profile may point elsewhere.
  args.push('--disable-config-file', '--disable-config-env', '--log-level', 'error', '--log-format', 'json');
  args.push(...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]));
  if (namespace !== undefined && namespace !== 'default') args.push('--namespace', namespace);
  // Without the write-ahead log it is four times slower; with NORMAL a kill loses nothing.
  const pragmas = ['journal_mode=WAL', 'synchronous=NORMAL'].flatMap((pragma) => ['--sqlite-pragma', pragma]);
  if (!inMemory) args.push('--db-filename', databaseOf(dataDir), ...pragmas);
  for (const setting of temporalDynamicSettings) args.push('--dynamic-config-value', setting);
  for (const [name, type] of Object.entries(searchAttributes)) args.push('--search-attribute', `${name}=${type}`);
  return args;
}

async function untilServing({ exited }: Running, { port, uiPort, signal }: TemporalOptions): Promise<void> {
  let exit: Exit | undefined;
  void exited.then((how) => (exit = how));
  const startedAt = performance.now();
  while (performance.now() - startedAt < startDeadlineMs) {
    signal?.throwIfAborted();
    if (exit !== undefined) throw new Error(describeExit(exit));
    if ((await isServing(port, service, 1_000)) && (uiPort === undefined || (await answers(uiPort)))) return;
    await sleep(pollMs);
  }
  throw new Error(`it does not answer after ${startDeadlineMs / 1000} s`);
}

async function answers(uiPort: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${uiPort}/`, { signal: AbortSignal.timeout(1_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
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
