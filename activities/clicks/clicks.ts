import { takeTurn, untilDone, withHeartbeat } from '#activities/turn.ts';
import { deleteClicks, dropMonths, firstKeptDay, forgetDays } from '#db/clicks/retention.ts';
import type { Database } from '#db/connection/database.ts';

/** The clock, the times and the size are for tests. */
export interface ClickDependencies {
  db: Database;
  /** For how many days clicks are kept; 0: for ever. */
  keptDays: number;
  /** Unix time in milliseconds. */
  now?: () => number;
  batchSize?: number;
  /** How long an activity goes on; the next run of housekeeping goes on from there. */
  turnMs?: number;
}

/** Activities that remove old clicks (5.7). Days are UTC, `YYYY-MM-DD`. */
export interface ClickActivities {
  /** The first day whose clicks are kept; null: all are. */
  findFirstKeptDay(): Promise<string | null>;
  /** Removes the counts of earlier days, so that statistics no longer show them. @returns how many rows went. */
  forgetClickDays(input: { before: string }): Promise<number>;
  /** Drops whole months of earlier clicks. @returns those months, `YYYY-MM`. */
  dropClickMonths(input: { before: string }): Promise<string[]>;
  /** Removes the other earlier clicks, for a turn. @returns how many. */
  deleteOldClicks(input: { before: string }): Promise<number>;
}

// Ends a removal in its midst; the next run goes on.
const turnOver = new Error('the turn is over');

export function createClickActivities({
  db,
  keptDays,
  now = Date.now,
  batchSize = 10_000,
  turnMs = 5 * 60_000,
}: ClickDependencies): ClickActivities {
  const times = { turnMs };
  return {
    findFirstKeptDay: async () => (keptDays === 0 ? null : firstKeptDay(now(), keptDays)),
    forgetClickDays: ({ before }) =>
      takeTurn(times, async (turn) => {
        let removed = 0;
        await untilDone(turn, async () => {
          const count = await forgetDays(db, before, batchSize);
          removed += count;
          return { more: count > 0 };
        });
        return removed;
      }),
    dropClickMonths: ({ before }) => withHeartbeat(() => dropMonths(db, before)),
    deleteOldClicks: ({ before }) =>
      takeTurn(times, async (turn) => {
        let removed = 0;
        const onBatch = (count: number): void => {
          removed += count;
          turn.check();
          if (turn.isOver()) throw turnOver;
        };
        await deleteClicks(db, before, batchSize, onBatch).catch((error: unknown) => {
          if (error !== turnOver) throw error;
        });
        return removed;
      }),
  };
}
