import { setTimeout as sleep } from 'node:timers/promises';
import { processMark } from '#scripts/lib/lock.mjs';
import { StartError } from './start-error.ts';

const pollMs = 50;

/** A server that an earlier supervisor may have left running. `isOurs` distinguishes it from a later process with the same id. */
interface Orphan {
  pid: number;
  name: string;
  isOurs: () => boolean;
  /** Signals in order, each with the milliseconds to wait for the exit. */
  steps: readonly { signal: NodeJS.Signals; waitMs: number }[];
}

/**
 * Stops a server that an earlier supervisor left running. Call it only while holding the lock of the data folder: then no live
 * supervisor owns the server.
 * @returns whether such a server ran; an unrelated process with the same id is left alone.
 * @throws StartError when the server does not exit.
 */
export async function stopOrphan({ pid, name, isOurs, steps }: Orphan): Promise<boolean> {
  const mark = processMark(pid);
  if (mark === undefined || !isOurs()) return false;
  for (const { signal, waitMs } of steps) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
      throw new StartError(`${name} of an earlier run (process ${pid}) belongs to another user; stop it first.`);
    }
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += pollMs) {
      if (processMark(pid) !== mark) return true;
      await sleep(pollMs);
    }
  }
  throw new StartError(`${name} of an earlier run (process ${pid}) does not end; stop it first.`);
}
