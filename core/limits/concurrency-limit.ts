import { AppError } from '#core/errors/errors.ts';

/** Lets a few pieces of work run at a time. */
interface ConcurrencyLimit {
  /**
   * Runs `work` as soon as there is room.
   * @throws AppError SERVICE_UNAVAILABLE at once when too many pieces wait already.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Runs `slots` pieces at a time, while up to `waiting` others wait in order. */
export function createConcurrencyLimit({ slots, waiting }: { slots: number; waiting: number }): ConcurrencyLimit {
  let running = 0;
  const queue: (() => void)[] = [];
  return {
    async run(work) {
      if (running >= slots) {
        if (queue.length >= waiting) throw new AppError('SERVICE_UNAVAILABLE');
        // The finished piece hands its slot over, so that a later caller cannot take it first.
        await new Promise<void>((resolve) => queue.push(resolve));
      } else running += 1;
      try {
        return await work();
      } finally {
        const next = queue.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
