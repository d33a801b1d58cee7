import type { Roll } from '#core/stats/plan.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { rollDay, rollWeek } from './rollups.ts';

/** Days that are worth being counted by value, and weeks (their Mondays, Unix time in milliseconds) to be added up then. */
export interface Rolls {
  readonly days: readonly Roll[];
  readonly weeks: readonly number[];
}

/** Counts days and weeks by value in the background, one at a time. */
interface RollupQueue {
  /** Requests counts of an organization's days and weeks; ignored where some of them wait already. */
  ask(organizationId: string, rolls: Rolls): void;
  /** Resolves when no request waits. */
  idle(): Promise<void>;
  /** Drops waiting requests, and resolves when the present one is done. */
  close(): Promise<void>;
}

// A request that is dropped comes again with the next query.
const maxWaiting = 100;

/** @param onError is called with failures; statistics read the clicks instead. */
export function createRollupQueue(em: EntityManager, onError: (error: unknown) => void): RollupQueue {
  const waiting = new Map<string, Rolls>();
  let running: Promise<void> | undefined;
  let isClosed = false;

  async function run(): Promise<void> {
    for (const [organizationId, { days, weeks }] of waiting) {
      for (const day of days) {
        if (isClosed) return;
        await rollDay(em, organizationId, day);
      }
      for (const week of weeks) {
        if (isClosed) return;
        await rollWeek(em, organizationId, week);
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
