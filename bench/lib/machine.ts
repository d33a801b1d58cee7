import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** Holds this process and its future children to the core of the measured process. */
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

/** Changes a command so that it runs on the core of the measured process. */
export function onAppCore(command: string, args: readonly string[]): { command: string; args: string[] } {
  return { command: pinTool, args: ['-c', String(appCore), command, ...args] };
}

/** Describes the machine in one line. */
export function describeMachine(): string {
  const [cpu] = cpus();
  return `${cpus().length} cores of ${cpu?.model.trim() ?? 'an unknown kind'}, Linux ${release()}, Node ${process.versions.node}, PostgreSQL ${postgresVersion()}`;
}

/** Resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1_024;
}

// The kernel's unit of times in /proc, the same on every Linux that Node runs on.
const msPerTick = 10;

/** Processor time that programs other than this one and the processes it started have used so far, in milliseconds. */
export function othersCpuTimeMs(): number {
  const [, ...ticks] = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.split(/\s+/);
  // User, nice and system, without waiting and without interrupts, which no process is charged with.
  const allMs = ticks.slice(0, 3).reduce((sum, count) => sum + Number(count) * msPerTick, 0);
  return allMs - treeTimeMs(process.pid);
}

/** Processor time of a process and of its descendants, including ended ones. */
function treeTimeMs(root: number): number {
  const times = new Map<number, ReturnType<typeof readTimes>>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      times.set(Number(name), readTimes(Number(name)));
    } catch {
      // It has ended since.
    }
  }
  let sum = 0;
  for (const pid of times.keys()) {
    let above: number | undefined = pid;
    while (above !== undefined && above !== root) above = times.get(above)?.parent;
    if (above === root) sum += times.get(pid)!.ownMs + times.get(pid)!.endedMs;
  }
  return sum;
}

/** The parent of a process, its processor time, and that of its children that have ended. */
function readTimes(pid: number): { parent: number; ownMs: number; endedMs: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may hold spaces: the parent is the 4th field, user and system time are the 14th and 15th, those of ended
  // children the 16th and 17th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ms = (index: number): number => Number(fields[index]) * msPerTick;
  return { parent: Number(fields[1]), ownMs: ms(11) + ms(12), endedMs: ms(13) + ms(14) };
}

function requireTool(name: string, how: string): void {
  const { error } = spawnSync(name, ['--version'], { stdio: 'ignore' });
  if (error !== undefined) throw new MissingError(`${name} is not on the PATH. ${how}`);
}
