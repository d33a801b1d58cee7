import { readFileSync, readlinkSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Name of the file that says which process writes a journal. */
export const ownerFile = 'owner.json';

interface Owner {
  pid: number;
  /** When the process started, in the kernel's own count; null where the system does not tell. */
  startedAt: string | null;
  /** Where process ids mean the same: host and, on Linux, process namespace. */
  machine: string;
}

/** Without a beat for this long, a process that cannot be looked at is taken for dead. */
const silentAfterMs = 15_000;

/** Signs a journal's directory as this process's. */
export function writeOwner(directory: string): void {
  const owner: Owner = { pid: process.pid, startedAt: startOf(process.pid), machine: machine() };
  writeFileSync(join(directory, ownerFile), JSON.stringify(owner));
}

/** Shows processes on other machines, which share the folder, that this one lives. */
export function beat(directory: string): void {
  const now = new Date();
  utimesSync(join(directory, ownerFile), now, now);
}

/**
 * Tells whether the process that writes a journal is dead. On the same machine that is certain; elsewhere a directory is
 * watched, and its owner counts as dead when it has not shown a beat for 15 s of this process's own time (clocks of
 * machines differ, and machines sleep).
 */
export function createOwnerWatch(silenceMs = silentAfterMs): (directory: string) => boolean {
  const seen = new Map<string, { beatAt: number; sinceMs: number }>();
  return (directory) => {
    const owner = readOwner(directory);
    if (owner?.machine === machine()) return !isRunning(owner);
    const beatAt = beatOf(directory);
    const known = seen.get(directory);
    if (known?.beatAt !== beatAt) {
      seen.set(directory, { beatAt, sinceMs: performance.now() });
      return false;
    }
    const isDead = performance.now() - known.sinceMs > silenceMs;
    if (isDead) seen.delete(directory);
    return isDead;
  };
}

function readOwner(directory: string): Owner | null {
  try {
    return JSON.parse(readFileSync(join(directory, ownerFile), 'utf8')) as Owner;
  } catch {
    return null;
  }
}

function beatOf(directory: string): number {
  try {
    return statSync(join(directory, ownerFile)).mtimeMs;
  } catch {
    return 0;
  }
}

function isRunning(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // It runs as someone else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  // Process ids come again, starts do not.
  return startOf(owner.pid) === owner.startedAt;
}

function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold spaces; the start is the 22nd field, the 20th after the name.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function machine(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}
