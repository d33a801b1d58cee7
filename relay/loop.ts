import { setTimeout as sleep } from 'node:timers/promises';

/** A task that is done when there is reason to, and now and then without. */
export interface Loop {
  /** Does the task soon; wishes that come while it is under way are one wish. */
  wake(): void;
  /** Starts no more, and waits for the one under way. */
  stop(): Promise<void>;
}

/** Settings of `createLoop`. `task` tells by `true` that there is more to do at once. */
export interface LoopOptions {
  task: () => Promise<boolean>;
  everyMs: number;
  onError: (error: Error) => void;
}

// Everybody is woken for everything, up to a hundred times a second: most find nothing, and need not look as often.
const restMs = 40;

/**
 * Runs a task once at a time: at once, whenever woken, and every so often as the net below lost wake-ups. With nothing more to
 * do it rests for a moment, in which wake-ups gather.
 */
export function createLoop({ task, everyMs, onError }: LoopOptions): Loop {
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
      const timer = setTimeout(rest.resolve, everyMs);
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
