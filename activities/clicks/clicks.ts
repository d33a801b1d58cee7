import { Context } from '@temporalio/activity';
import { deleteClicks, dropMonths, firstKeptDay, forgetDays } from '#db/clicks/retention.ts';
import type { Database } from '#db/connection/database.ts';

/** What `createClickActivities` is built from; the clock and the size are for tests. */
export interface ClickDependencies {
  db: Database;
  /** For how many days clicks are kept; 0: for ever. */
  keptDays: number;
  /** Unix time in milliseconds. */
  now?: () => number;
  batchSize?: number;
}

/** Activities of `clickRetention`. Days are UTC, `YYYY-MM-DD`. */
export interface ClickActivities {
  /** The first day whose clicks are kept; null: all are. */
  findFirstKeptDay(): Promise<string | null>;
  /** Removes what is counted of earlier days: statistics no longer tell of them. @returns how many rows went. */
  forgetClickDays(input: { before: string }): Promise<number>;
  /** Drops whole months of earlier clicks. @returns those months, `YYYY-MM`. */
  dropClickMonths(input: { before: string }): Promise<string[]>;
  /** Removes the other earlier clicks. @returns how many. */
  deleteOldClicks(input: { before: string }): Promise<number>;
}

/** Makes the activities of `clickRetention`. */
export function createClickActivities({
  db,
  keptDays,
  now = Date.now,
  batchSize = 10_000,
}: ClickDependencies): ClickActivities {
  return {
    findFirstKeptDay: async () => (keptDays === 0 ? null : firstKeptDay(now(), keptDays)),
    async forgetClickDays({ before }) {
      let removed = 0;
      let count;
      do {
        count = await forgetDays(db, before, batchSize);
        goOn((removed += count));
      } while (count > 0);
      return removed;
    },
    dropClickMonths: ({ before }) => dropMonths(db, before),
    async deleteOldClicks({ before }) {
      let removed = 0;
      await deleteClicks(db, before, batchSize, (count) => goOn((removed += count)));
      return removed;
    },
  };

  /** Between two batches. @throws CancelledFailure when the worker is about to end: another one goes on. */
  function goOn(removed: number): void {
    const context = Context.current();
    context.heartbeat({ removed });
    context.cancellationSignal.throwIfAborted();
  }
}
