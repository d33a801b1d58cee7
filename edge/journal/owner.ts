import { readFileSync, readlinkSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

const goneCodes = new Set(['ENOENT', 'ESTALE']);

/** Name of the file that says which process writes a journal. */
export const ownerFile = 'owner.json';

interface Owner {
  pid: number;
  /** When the process started, in the kernel's own count; null where the system does not tell. */
  startedAt: string | null;
  /** Where process ids mean the same: host and, on Linux, process namespace. */
  machine: string;
}

/** State of the process that writes a journal; `silent`: on another machine, without a beat for 15 s, so perhaps dead. */
type OwnerState = 'alive' | 'dead' | 'silent';

/** Without a beat for this long, a process on another machine counts as silent: a choice, seven beats. */
const silentAfterMs = 15_000;
/** For so long after a beat a process may write to its journal without reading the owner file; less than the silence above. */
export const unseenMs = 10_000;

// It does not change while this process runs.
const self: Owner = { pid: process.pid, startedAt: startOf(process.pid), machine: machine() };
const signature = JSON.stringify(self);

/** Signs a journal's directory as this process's; its owner, if any, is dead or silent. */
export function writeOwner(directory: string): void {
  const path = join(directory, ownerFile);
  writeFileSync(`${path}.new`, signature, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/**
 * Shows processes on other machines, which share the folder, that this one is alive.
 * @returns false where the directory is not this process's any more.
 */
export function beat(directory: string): boolean {
  const path = join(directory, ownerFile);
  const now = new Date();
  try {
    if (readFileSync(path, 'utf8') !== signature) return false;
    utimesSync(path, now, now);
    return true;
  } catch (error) {
    if (goneCodes.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/**
 * Tells the state of the process that writes a journal. On the same machine the kernel knows; for another machine the owner
 * file is watched, and its process counts as silent after 15 s without a beat. The 15 s are of this process's own clock:
 * clocks of machines differ, and machines sleep.
 */
export function createOwnerWatch(silenceMs = silentAfterMs): (directory: string) => OwnerState {
  const seen = new Map<string, { beatAt: number; sinceMs: number }>();
  return (directory) => {
    const owner = readOwner(directory);
    if (owner?.machine === machine()) return isRunning(owner) ? 'alive' : 'dead';
    const beatAt = beatOf(directory);
    const known = seen.get(directory);
    if (known?.beatAt !== beatAt) {
      seen.set(directory, { beatAt, sinceMs: performance.now() });
      return 'alive';
    }
    if (performance.now() - known.sinceMs <= silenceMs) return 'alive';
    seen.delete(directory);
    return 'silent';
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
    // The process exists and runs as another user.
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
