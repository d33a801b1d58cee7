import { setTimeout as sleep } from 'node:timers/promises';

/** A part of the relay: works when woken, and every so often without. */
export interface RelayPart {
  /** Works soon; a loop that is woken during a run makes one more. */
  wake(): void;
  /** Begins nothing more, and waits for what is under way. */
  stop(): Promise<void>;
}

/** `task` resolves with true when there is more to do at once. */
interface LoopOptions {
  task: () => Promise<boolean>;
  everyMs: number;
  onError: (error: Error) => void;
}

// Every loop is woken for every kind, up to a hundred times a second, and most find nothing.
const restMs = 40;
// A wake-up aligns the loops. With waits of different lengths they part again, and an idle relay needs two or three connections
// to the database, of 5 MB each, in place of ten.
const shortestShare = 0.75;

/**
 * Runs a task, one run at a time: at once, when woken, and at least every `everyMs`, since notifications may be lost. With nothing more
 * to do it rests for a moment, in which wake-ups gather.
 */
export function createLoop({ task, everyMs, onError }: LoopOptions): RelayPart {
  let woken = true;
  const stopping = new AbortController();
  let rest = Promise.withResolvers<void>();

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      woken = false;
      const more = await task().catch((error: Error) => {
        onError(error);
        return false;
      });
      if (more || stopping.signal.aborted) continue;
      await sleep(restMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (woken || stopping.signal.aborted) continue;
      rest = Promise.withResolvers();
      const share = shortestShare + (1 - shortestShare) * Math.random();
      const timer = setTimeout(rest.resolve, everyMs * share);
      await rest.promise;
      clearTimeout(timer);
    }
  };
  const running = run();

  return {
    wake() {
      woken = true;
      rest.resolve();
    },
    async stop() {
      stopping.abort();
      rest.resolve();
      await running;
    },
  };
}
