import { figure, sumBatches, takeTurn, withHeartbeat } from '#activities/turn.ts';
import { deleteBotClicks, deleteClicks, dropMonths, firstKeptDay, forgetDays } from '#db/clicks/retention.ts';
import { removeOldClicks } from '#db/clicks/clickhouse/removal.ts';
import { botClicksTable } from '#db/clicks/clickhouse/schema.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

/** The clock, the times and the size are for tests. */
interface ClickDependencies {
  em: EntityManager;
  /** Holds clicks beside those of PostgreSQL, or in their place. */
  clickhouse?: ClickHouse | undefined;
  /** For how many days clicks are kept; 0: for ever. */
  keptDays: number;
  /** For how many days bots' visits are kept, where that is shorter; 0: as long as clicks. */
  botsKeptDays?: number;
  /** Unix time in milliseconds. */
  now?: () => number;
  batchSize?: number;
}

/** Activities that remove old clicks. Days are UTC, `YYYY-MM-DD`. */
export type ClickActivities = ReturnType<typeof createClickActivities>;

// How long an activity goes on; the next run of housekeeping goes on from there.
const turnMs = 5 * 60_000;

export function createClickActivities({
  em,
  clickhouse,
  keptDays,
  botsKeptDays = 0,
  now = Date.now,
  batchSize = 10_000,
}: ClickDependencies) {
  const times = { turnMs, sql: em };
  return {
    /** The first day whose clicks are kept; null: all are. */
    findFirstKeptDay: async (): Promise<string | null> => (keptDays === 0 ? null : firstKeptDay(now(), keptDays)),
    /** Removes the counts of earlier days, so that statistics no longer show them. @returns how many rows went. */
    forgetClickDays: ({ before }: { before: string }): Promise<number> =>
      takeTurn(times, async (turn) => {
        // One table after the other: a batch that is not full says nothing of the next one.
        const removed = { what: 'counts removed', limit: 1 };
        return (await sumBatches(turn, removed, () => forgetDays(em.fork(), before, batchSize))).count;
      }),
    /** Drops whole months of earlier clicks. @returns those months, `YYYY-MM`. */
    dropClickMonths: ({ before }: { before: string }): Promise<string[]> => withHeartbeat(() => dropMonths(em, before)),
    /** Removes the other earlier clicks, for a turn. @returns how many. */
    deleteOldClicks: ({ before }: { before: string }): Promise<number> =>
      takeTurn(times, async (turn) => {
        let removed = 0;
        for await (const count of deleteClicks(em.fork(), before, batchSize)) {
          removed += count;
          turn.show(`${figure(removed)} clicks removed`);
          turn.check();
          if (turn.isOver()) return removed;
        }
        if (clickhouse !== undefined) removed += await removeOldClicks(clickhouse, before);
        return removed;
      }),
    /** Removes bots' visits that are older than they are kept, for a turn. @returns how many. */
    deleteOldBotClicks: (): Promise<number> =>
      takeTurn(times, async (turn) => {
        const days = Math.min(...[keptDays, botsKeptDays].filter((count) => count > 0));
        if (days === Number.POSITIVE_INFINITY) return 0;
        const before = firstKeptDay(now(), days);
        const batch = { what: 'visits removed', limit: batchSize };
        const { count } = await sumBatches(turn, batch, () => deleteBotClicks(em.fork(), before, batchSize));
        return clickhouse === undefined ? count : count + (await removeOldClicks(clickhouse, before, botClicksTable));
      }),
  };
}
