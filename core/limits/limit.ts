import pLimit from 'p-limit';
import { AppError } from '#core/errors/errors.ts';

/**
 * Runs a piece of work as soon as there is room.
 * @throws AppError SERVICE_UNAVAILABLE at once when too many pieces wait.
 */
type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs `atOnce` pieces at a time, while up to `waiting` others wait in order. */
export function createLimit({ atOnce, waiting }: { atOnce: number; waiting: number }): Limit {
  const limit = pLimit(atOnce);
  return async (work) => {
    if (limit.activeCount + limit.pendingCount >= atOnce + waiting) throw new AppError('SERVICE_UNAVAILABLE');
    return limit(work);
  };
}
