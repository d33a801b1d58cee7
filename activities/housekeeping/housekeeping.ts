import { takeTurn, untilDone } from '#activities/turn.ts';
import { forgetLinkPasswordAttempts, forgetSignInAttempts } from '#db/attempts.ts';
import { forgetFinishedJournals } from '#db/clicks/ingest.ts';
import type { Database, Sql } from '#db/connection/database.ts';
import { forgetOldCalls } from '#db/idempotency.ts';
import { forgetOldImports } from '#db/imports/imports.ts';
import { forgetOldAudit } from '#db/organizations/audit.ts';
import { forgetEndedSessions } from '#db/organizations/sessions.ts';
import { forgetScanDays } from '#db/threats/scan-queue.ts';
import { forgetOldEvents } from '#db/webhooks/events.ts';

/** Rows that `housekeeping` forgets, by what they are about. */
export type ForgottenRows = keyof typeof batches;

/** The times and sizes are for tests. */
export interface HousekeepingDependencies {
  db: Database;
  /** How long an activity goes on; the next run goes on from there. */
  turnMs?: number;
  eventsAtOnce?: number;
}

/** Activities of `housekeeping` that forget rows; those of files and clicks are with their nouns. */
export interface HousekeepingActivities {
  /** Deletes rows of one kind that are too old, for a turn. `more`: there are others, for the next run. */
  forgetRows(input: { rows: ForgottenRows }): Promise<{ more: boolean }>;
}

interface Sizes {
  events: number;
  imports: number;
}

// Measured: 2,000 events, each with a delivery and an attempt, take 0.26 s on two busy cores. A turn of five minutes in ten keeps
// up with 3,700 events a second (docs/adr/0022-housekeeping).
const sizes: Sizes = { events: 2_000, imports: 5_000 };

const batches = {
  events: (sql: Sql, { events }: Sizes) => forgetOldEvents(sql, events),
  imports: (sql: Sql, { imports }: Sizes) => forgetOldImports(sql, imports),
  calls: allOf(forgetOldCalls),
  sessions: allOf(forgetEndedSessions),
  signIns: allOf(forgetSignInAttempts),
  passwords: allOf(forgetLinkPasswordAttempts),
  audit: allOf(forgetOldAudit),
  scanDays: allOf(forgetScanDays),
  journals: allOf(forgetFinishedJournals),
} satisfies Record<string, (sql: Sql, sizes: Sizes) => Promise<boolean>>;

/** A batch that leaves nothing. */
function allOf(forget: (sql: Sql) => Promise<unknown>): (sql: Sql) => Promise<boolean> {
  return async (sql) => {
    await forget(sql);
    return false;
  };
}

export function createHousekeepingActivities({
  db,
  turnMs = 5 * 60_000,
  eventsAtOnce = sizes.events,
}: HousekeepingDependencies): HousekeepingActivities {
  return {
    forgetRows: ({ rows }) =>
      takeTurn({ turnMs }, async (turn) => {
        const forget = async (): Promise<{ more: boolean }> => ({
          more: await batches[rows](db, { ...sizes, events: eventsAtOnce }),
        });
        return { more: !(await untilDone(turn, forget)) };
      }),
  };
}
