import { randomBytes } from 'node:crypto';
import { destroyVisitorKeys } from '#db/clicks/old-visitor-keys.ts';
import { ensureVisitorKeys, type Month, monthOf, visitorKeyBytes } from '#db/clicks/visitor-keys.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

/** The clock is for tests. */
interface VisitorKeyDependencies {
  em: EntityManager;
  /** Unix time in milliseconds. */
  now?: () => number;
}

/** Activities that exchange the keys of visitor hashes. Months are UTC, `YYYY-MM`. */
export type VisitorKeyActivities = ReturnType<typeof createVisitorKeyActivities>;

export function createVisitorKeyActivities({ em, now = Date.now }: VisitorKeyDependencies) {
  return {
    /** Makes the keys of this month and the next, where there are none. */
    async makeVisitorKeys(): Promise<void> {
      await ensureVisitorKeys(em, [monthOf(now()), monthOf(now(), 1)], () => randomBytes(visitorKeyBytes));
    },
    /** Destroys the keys of months that ended more than two days ago. @returns those months. */
    destroyOldVisitorKeys: (): Promise<Month[]> => destroyVisitorKeys(em.fork(), new Date(now())),
  };
}
