import type { Roll } from '#core/stats/plan.ts';
import type { Database } from '#db/connection/database.ts';
import { rollDay, rollWeek } from './rollups.ts';

/** Days that are worth being counted by value, and weeks (their Mondays, Unix time in milliseconds) to be added up then. */
export interface Rolls {
  readonly days: readonly Roll[];
  readonly weeks: readonly number[];
}

/** Counts days and weeks by value in the background, one at a time. */
interface RollupQueue {
  /** Asks for days and weeks of an organization to be counted; nothing new where some of them are waiting already. */
  ask(organizationId: string, rolls: Rolls): void;
  /** Resolves when nothing is waiting. */
  idle(): Promise<void>;
  /** Leaves what is waiting, and resolves when what is under way is done. */
  close(): Promise<void>;
}

// Who asks later will ask again.
const maxWaiting = 100;

/** @param onError hears of what could not be counted; its clicks are read instead. */
export function createRollupQueue(db: Database, onError: (error: unknown) => void): RollupQueue {
  const waiting = new Map<string, Rolls>();
  let running: Promise<void> | undefined;
  let isClosed = false;

  async function run(): Promise<void> {
    for (const [organizationId, { days, weeks }] of waiting) {
      for (const day of days) {
        if (isClosed) return;
        await rollDay(db, organizationId, day);
      }
      for (const week of weeks) {
        if (isClosed) return;
        await rollWeek(db, organizationId, week);
      }
      waiting.delete(organizationId);
    }
  }

  return {
    ask(organizationId, rolls) {
      if (rolls.days.length + rolls.weeks.length === 0) return;
      if (isClosed || waiting.has(organizationId) || waiting.size >= maxWaiting) return;
      waiting.set(organizationId, rolls);
      running ??= run()
        .catch((error: unknown) => {
          waiting.clear();
          onError(error);
        })
        .finally(() => (running = undefined));
    },
    idle: async () => running,
    close: async () => {
      isClosed = true;
      await running;
    },
  };
}
