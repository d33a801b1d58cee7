import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { tooMany } from '#core/errors/errors.ts';

const retryAfterSeconds = 5;

/** Sums what calls of an organization hold in memory until they are answered. @param most of it at a time. */
export function createUnderWay(most: number, message: string) {
  const sums = new Map<string, number>();
  return {
    /** @throws AppError RATE_LIMIT_EXCEEDED where the organization would hold more than the most. */
    begin(organizationId: string, amount: number, answer: ServerResponse): void {
      const sum = (sums.get(organizationId) ?? 0) + amount;
      if (sum > most) throw tooMany(message, retryAfterSeconds);
      sums.set(organizationId, sum);
      finished(answer, () => {
        const left = sums.get(organizationId)! - amount;
        if (left === 0) sums.delete(organizationId);
        else sums.set(organizationId, left);
      });
    },
  };
}
