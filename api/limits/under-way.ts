import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { tooMany } from '#core/errors/errors.ts';

const retryAfterSeconds = 5;

/** Sums what calls of one caller, an organization or an address, hold in memory until they are answered. @param most of it at a time. */
export function createUnderWay(most: number, message: string) {
  const sums = new Map<string, number>();
  return {
    /** @throws AppError RATE_LIMIT_EXCEEDED where the caller would hold more than the most. */
    begin(caller: string, amount: number, answer: ServerResponse): void {
      const sum = (sums.get(caller) ?? 0) + amount;
      if (sum > most) throw tooMany(message, retryAfterSeconds);
      sums.set(caller, sum);
      finished(answer, () => {
        const left = sums.get(caller)! - amount;
        if (left === 0) sums.delete(caller);
        else sums.set(caller, left);
      });
    },
  };
}
