import { setTimeout as sleep } from 'node:timers/promises';
import { processMark } from '#scripts/lib/lock.mjs';
import { StartError } from './start-error.ts';

const pollMs = 50;

/** A server that an earlier supervisor may have left behind. `isOurs` tells it from a later process with the same id. */
interface Orphan {
  pid: number;
  name: string;
  isOurs: () => boolean;
  /** Signals to send, each with the time to wait for the end, in order. */
  steps: readonly { signal: NodeJS.Signals; waitMs: number }[];
}

/**
 * Stops a server that was left behind. Call it only while holding the lock of the data folder: then no living supervisor
 * owns the server.
 * @returns whether there was one; a process that merely has the same id by now is left alone.
 * @throws StartError when it does not end.
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
