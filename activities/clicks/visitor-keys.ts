import { randomBytes } from 'node:crypto';
import type { Database } from '#db/connection/database.ts';
import {
  destroyVisitorKeys,
  ensureVisitorKeys,
  type Month,
  monthOf,
  visitorKeyBytes,
} from '#db/clicks/visitor-keys.ts';

/** The clock is for tests. */
export interface VisitorKeyDependencies {
  db: Database;
  /** Unix time in milliseconds. */
  now?: () => number;
}

/** Activities that exchange the keys of visitor hashes (5.2). Months are UTC, `YYYY-MM`. */
export interface VisitorKeyActivities {
  /** Makes the keys of this month and the next, where there are none. */
  makeVisitorKeys(): Promise<void>;
  /** Destroys the keys of months that ended more than two days ago. @returns those months. */
  destroyOldVisitorKeys(): Promise<Month[]>;
}

export function createVisitorKeyActivities({ db, now = Date.now }: VisitorKeyDependencies): VisitorKeyActivities {
  return {
    async makeVisitorKeys() {
      await ensureVisitorKeys(db, [monthOf(now()), monthOf(now(), 1)], () => randomBytes(visitorKeyBytes));
    },
    destroyOldVisitorKeys: () => destroyVisitorKeys(db, new Date(now())),
  };
}
