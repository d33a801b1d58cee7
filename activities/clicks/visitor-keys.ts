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
export interface VisitorKeyActivities {
  /** Makes the keys of this month and the next, where there are none. */
  makeVisitorKeys(): Promise<void>;
  /** Destroys the keys of months that ended more than two days ago. @returns those months. */
  destroyOldVisitorKeys(): Promise<Month[]>;
}

export function createVisitorKeyActivities({ em, now = Date.now }: VisitorKeyDependencies): VisitorKeyActivities {
  return {
    async makeVisitorKeys() {
      await ensureVisitorKeys(em, [monthOf(now()), monthOf(now(), 1)], () => randomBytes(visitorKeyBytes));
    },
    destroyOldVisitorKeys: () => destroyVisitorKeys(em.fork(), new Date(now())),
  };
}
