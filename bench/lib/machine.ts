import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, setPriority } from 'node:os';
import { postgresVersion } from '#scripts/embedded/postgres/postgres.ts';

/** A tool or a resource is missing; the message says how to get it. */
export class MissingError extends Error {}

const appCore = 0;
const pinTool = 'taskset';

/**
 * Checks that the tools exist, and moves this process and its future children off the core that is reserved for the measured
 * process.
 * @throws MissingError
 */
export function prepareMachine(): void {
  if (process.platform !== 'linux') throw new MissingError('The benchmarks need Linux: processes are held to cores.');
  const count = cpus().length;
  if (count < 2)
    throw new MissingError('The benchmarks need two cores: one for the measured process, one for the rest.');
  requireTool(pinTool, 'It is part of util-linux: apt-get install util-linux, or dnf install util-linux.');
  requireTool('wrk', 'Get it by apt-get install wrk, brew install wrk, or from https://github.com/wg/wrk.');
  leaveAppCore();
}

/** Moves this process and its future children off the core that is reserved for the measured process. */
export function leaveAppCore(): void {
  holdToCores(`${appCore + 1}-${cpus().length - 1}`);
}

/** Gives this process and its future children every core: for a benchmark that runs the whole product. */
export function useEveryCore(): void {
  holdToCores(`0-${cpus().length - 1}`);
}

/** Holds this process and its future children to the core of the measured process. Children that run already stay where they are. */
export function useOneCore(): void {
  holdToCores(String(appCore));
}

function holdToCores(cores: string): void {
  const pinned = spawnSync(pinTool, ['-a', '-c', '-p', cores, String(process.pid)], { encoding: 'utf8' });
  if (pinned.status !== 0) throw new MissingError(`This process cannot be held to cores ${cores}: ${pinned.stderr}`);
}

/**
 * Lets a process go first on its cores, where others wait for the processor too. The kernel allows it to root alone; otherwise the
 * process goes on like the others.
 */
export function goFirst(pid: number): void {
  try {
    setNiceness(pid, -20);
  } catch {
    // Not root.
  }
}

/** Lets all others go before a process that has begun a session. */
export function goLast(pid: number): void {
  setNiceness(pid, 19);
}

function setNiceness(pid: number, niceness: number): void {
  setPriority(pid, niceness);
  // Where the kernel shares processors among sessions first, a priority counts within its session alone.
  const session = `/proc/${pid}/autogroup`;
  if (existsSync(session)) writeFileSync(session, String(niceness));
}

export function describeMachine(): string {
  const [cpu] = cpus();
  return `${cpus().length} cores of ${cpu?.model.trim() ?? 'an unknown kind'}, Linux ${release()}, Node ${process.versions.node}, PostgreSQL ${postgresVersion()}`;
}

/** Resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1_024;
}

function requireTool(name: string, how: string): void {
  const { error } = spawnSync(name, ['--version'], { stdio: 'ignore' });
  if (error !== undefined) throw new MissingError(`${name} is not on the PATH. ${how}`);
}
