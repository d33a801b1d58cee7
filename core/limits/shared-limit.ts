import { setTimeout } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '#core/errors/errors.ts';

/**
 * Runs `work` of an owner, such as an organization, as soon as there is room.
 * @throws AppError SERVICE_UNAVAILABLE, or the limit's `refusal`, at once where too many pieces wait.
 */
export type SharedLimit = <T>(owner: string, work: () => Promise<T>, options?: WorkOptions) => Promise<T>;

/** How one piece of work goes through the limit. */
interface WorkOptions {
  /** The work goes on with an answer that has begun: it waits however many others wait. */
  isContinued?: boolean;
}

export interface SharedLimitOptions {
  /** How many pieces run at a time. */
  atOnce: number;
  /** How many pieces may wait. */
  waiting: number;
  /** How many pieces of one owner run at a time. */
  ofOne: number;
  /** How many pieces of one owner may wait. Default: `waiting`. */
  waitingOfOne?: number;
  /** How long the owner's next piece waits after one that took so many milliseconds. Default: not at all. */
  restMs?: (owner: string, tookMs: number) => number;
  refusal?: () => Error;
}

/**
 * Limits how many pieces of work run at a time, in all and of each owner. Owners take turns, because the common queue holds no
 * more than `ofOne` pieces of each.
 */
export function createSharedLimit({
  atOnce,
  waiting,
  ofOne,
  waitingOfOne = waiting,
  restMs = () => 0,
  refusal = () => new AppError('SERVICE_UNAVAILABLE'),
}: SharedLimitOptions): SharedLimit {
  const all = pLimit(atOnce);
  const owners = new Map<string, { limit: LimitFunction; pieces: number }>();
  let pieces = 0;

  async function run<T>(name: string, work: () => Promise<T>, answer: (result: Promise<T>) => void): Promise<void> {
    await all(async () => {
      const startedAtMs = performance.now();
      // Also of work that throws at once.
      const result = Promise.resolve().then(work);
      answer(result);
      await result.catch(() => undefined);
      return restMs(name, performance.now() - startedAtMs);
    }).then((ms) => (ms > 0 ? setTimeout(ms, undefined, { ref: false }) : undefined));
  }

  return async (name, work, { isContinued = false } = {}) => {
    const owner = owners.get(name) ?? { limit: pLimit(ofOne), pieces: 0 };
    const isFull = pieces >= atOnce + waiting || owner.pieces >= ofOne + waitingOfOne;
    if (isFull && !isContinued) throw refusal();
    owners.set(name, owner);
    owner.pieces += 1;
    pieces += 1;
    return new Promise((resolve) => {
      void owner
        .limit(() => run(name, work, resolve))
        .finally(() => {
          pieces -= 1;
          owner.pieces -= 1;
          if (owner.pieces === 0) owners.delete(name);
        });
    });
  };
}
