import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** Exit code or signal of a process; `error` where the process could not be started. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  error?: Error;
}

/** A step of stopping a process: a signal, and the milliseconds to wait for the exit. */
export interface StopStep {
  signal: NodeJS.Signals;
  waitMs: number;
}

/** A process in a process group of its own, so that Ctrl-C in the terminal does not reach it. */
export interface Running {
  readonly pid: number | undefined;
  /** Never rejects. */
  readonly exited: Promise<Exit>;
  readonly child: ChildProcess;
  /** The last twenty lines of stdout and stderr. */
  readonly lastLines: readonly string[];
  /** Sends the signals in order until the process exits, and SIGKILL to its group at last. */
  stop(steps: readonly StopStep[]): Promise<Exit>;
}

interface RunOptions extends Omit<SpawnOptions, 'signal'> {
  command: string;
  args: readonly string[];
  /** Receives each line of stdout and stderr. */
  onLine?: (line: string) => void;
  /** Its abort ends the process. */
  endWith?: AbortSignal;
  /** Whether other processes go first where processors are short. */
  isBackground?: boolean;
}

const mostLastLines = 20;
const outputGraceMs = 500;
// Beside busy processes it still gets a quarter of a core.
const backgroundNiceness = 5;
const abortSteps: readonly StopStep[] = [{ signal: 'SIGTERM', waitMs: 2_000 }];

/** Starts a process without waiting. A failure to start is in `exited`. */
export function run({ command, args, onLine, endWith, isBackground = false, ...options }: RunOptions): Running {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, detached: true });
  // At once: threads that the process starts later inherit it.
  if (isBackground && child.pid !== undefined) yieldToOthers(child.pid);
  const lastLines: string[] = [];
  const note = (line: string): void => {
    lastLines.push(line);
    if (lastLines.length > mostLastLines) lastLines.shift();
    onLine?.(line);
  };
  if (child.stdout) readLines(child.stdout, note);
  if (child.stderr) readLines(child.stderr, note);
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => {
      // Also emitted for a signal that could not be sent; without a pid the start has failed.
      if (child.pid === undefined) resolve({ code: null, signal: null, error });
    });
    // `close` follows the last output, but a grandchild may hold the pipes open: `exit` with a grace period counts too.
    child.once('close', (code, signal) => resolve({ code, signal }));
    child.once('exit', (code, signal) => void setTimeout(() => resolve({ code, signal }), outputGraceMs));
  });
  const end = (): void => void stop(child, exited, abortSteps);
  if (endWith?.aborted) end();
  endWith?.addEventListener('abort', end, { once: true });
  void exited.then(() => endWith?.removeEventListener('abort', end));
  return { pid: child.pid, exited, child, lastLines, stop: (steps) => stop(child, exited, steps) };
}

/** An exit in words, for log lines. */
export function describeExit(exit: Exit): string {
  if (exit.error !== undefined) return `could not be started: ${exit.error.message}`;
  return exit.signal === null ? `ended with exit code ${exit.code}` : `was ended by ${exit.signal}`;
}

export function settlesWithin(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, sleep(timeoutMs, false, { ref: false })]);
}

function yieldToOthers(pid: number): void {
  const niceness = Math.max(getPriority(), backgroundNiceness);
  try {
    setPriority(pid, niceness);
    // Linux usually gives each session a share of its own, among whose members alone a process's niceness counts; `detached`
    // has begun a session, whose share has a niceness too (sched(7), autogroup).
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // The process has ended already, or the system does not allow it or knows no such shares: it runs like the others then.
  }
}

async function stop(child: ChildProcess, exited: Promise<Exit>, steps: readonly StopStep[]): Promise<Exit> {
  for (const { signal, waitMs } of steps) {
    if (await settlesWithin(exited, 0)) return exited;
    child.kill(signal);
    if (await settlesWithin(exited, waitMs)) return exited;
  }
  killGroup(child.pid);
  return exited;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has no process left.
  }
}

const maxLineLength = 64 * 1024;

/** Calls `onLine` with each line of a stream, without line end. A last line without line end counts too. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    // Bounds the memory for a process that never ends its line.
    if (rest.length > maxLineLength) {
      lines.push(rest);
      rest = '';
    }
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
    rest = '';
  });
  // After a broken pipe the exit of the process says more.
  stream.on('error', () => {});
}
