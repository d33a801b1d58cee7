import { endOldViews } from '#commands/organizations/staff-views.ts';
import { takeTurn, untilDone } from '#activities/turn.ts';
import { attemptsCountForMs } from '#db/links/visits/password-attempts.ts';
import { deviceDays } from '#db/accounts/devices.ts';
import { forgetEndedApps } from '#db/accounts/oauth-records.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { forgetOldCalls } from '#db/idempotency.ts';
import { Journal } from '#db/entities/clicks.ts';
import { Import } from '#db/entities/imports.ts';
import {
  AccountNotice,
  Invitation,
  KnownDevice,
  PasswordReset,
  Session,
  SignInFailure,
} from '#db/entities/accounts/people.ts';
import { SpentChallenge } from '#db/entities/accounts/second-factors.ts';
import { LinkPasswordFailures } from '#db/entities/calls.ts';
import { ScanBatch, ScanDay } from '#db/entities/threats.ts';
import { forgetOldActivities } from '#db/audit/activity-list.ts';
import { forgetLines, sealLines } from '#db/audit/audit-chains.ts';
import { forgetLoggedCalls } from '#db/request-log/request-log.ts';
import { forgetOldEvents } from '#db/webhooks/deliveries/retention.ts';

/** Rows that `housekeeping` forgets, by what they are about. */
export type ForgottenRows = keyof typeof batches;

/** `eventsAtOnce` is for tests. */
interface HousekeepingDependencies {
  em: EntityManager;
  /** How long the request log keeps calls (REQUEST_LOG_DAYS). */
  callsKeptDays: number;
  eventsAtOnce?: number;
}

/** Activities of `housekeeping` that forget rows; those of files and clicks are with their nouns. */
export type HousekeepingActivities = ReturnType<typeof createHousekeepingActivities>;

type Limits = Required<Omit<HousekeepingDependencies, 'em'>>;

// Measured: 2,000 events, each with a delivery and an attempt, take 0.26 s on two busy cores. A turn of five minutes in ten keeps
// up with 3,700 events a second (docs/adr/0022-housekeeping).
const defaultEventsAtOnce = 2_000;
const importsAtOnce = 5_000;

// Each has up to 16 KiB beside it.
const loggedCallsAtOnce = 5_000;
// Rows of some hundred bytes without foreign keys.
const activitiesAtOnce = 10_000;
// One statement each, in one transaction.
const linesAtOnce = 1_000;

// How long an activity goes on; the next run goes on from there.
const turnMs = 5 * 60_000;
const msPerDay = 86_400_000;
const ago = (ms: number): Date => new Date(Date.now() - ms);

const batches = {
  events: (em: EntityManager, { eventsAtOnce }: Limits) => forgetOldEvents(em, eventsAtOnce),
  imports: (em: EntityManager) => em.getRepository(Import).forgetOld(importsAtOnce, new Date()),
  calls: allOf((em) => forgetOldCalls(em, new Date())),
  sessions: allOf(async (em) => {
    const now = new Date();
    await em.nativeDelete(Session, { expiresAt: { $lte: now } });
    await endOldViews(em, now);
    await em.nativeDelete(PasswordReset, { expiresAt: { $lte: now } });
    // Ended ones are shown for a month.
    await em.nativeDelete(Invitation, { endedAt: { $lt: ago(30 * msPerDay) } });
    await em.nativeDelete(AccountNotice, { createdAt: { $lte: ago(30 * msPerDay) } });
    await em.nativeDelete(KnownDevice, { lastSeenAt: { $lte: ago(deviceDays * msPerDay) } });
    await forgetEndedApps(em, now);
    await em.nativeDelete(SpentChallenge, { expiresAt: { $lte: now } });
  }),
  signIns: allOf((em) => em.nativeDelete(SignInFailure, { failedAt: { $lte: ago(attemptsCountForMs) } })),
  passwords: allOf((em) => em.nativeDelete(LinkPasswordFailures, { lastFailedAt: { $lte: ago(attemptsCountForMs) } })),
  audit: async (em) => {
    const now = new Date();
    const lastYear = new Date(now);
    lastYear.setUTCFullYear(now.getUTCFullYear() - 1);
    await forgetLines(em, lastYear);
    const hasMoreLines = await sealLines(em, now, linesAtOnce);
    return (await forgetOldActivities(em, now, activitiesAtOnce)) || hasMoreLines;
  },
  requestLog: (em: EntityManager, { callsKeptDays }: Limits) =>
    forgetLoggedCalls(em, ago(callsKeptDays * msPerDay), loggedCallsAtOnce),
  // Of releases before 0.1.0; goes with the table.
  scanBatches: allOf((em) => em.nativeDelete(ScanBatch, { createdAt: { $lt: ago(30 * msPerDay) } })),
  scanDays: allOf((em) => em.nativeDelete(ScanDay, { day: { $lt: ago(msPerDay).toISOString().slice(0, 10) } })),
  // Shipped to their end long ago: their files are gone.
  journals: allOf((em) => em.nativeDelete(Journal, { finishedAt: { $lt: ago(30 * msPerDay) } })),
} satisfies Record<string, (em: EntityManager, limits: Limits) => Promise<boolean>>;

/** A batch that leaves nothing. */
function allOf(forget: (em: EntityManager) => Promise<unknown>): (em: EntityManager) => Promise<boolean> {
  return async (em) => {
    await forget(em);
    return false;
  };
}

export function createHousekeepingActivities({
  em,
  callsKeptDays,
  eventsAtOnce = defaultEventsAtOnce,
}: HousekeepingDependencies) {
  return {
    /** Deletes rows of one kind that are too old, for a turn; of the audit log it also seals the new lines. `more`: there are others, for the next run. */
    forgetRows: ({ rows }: { rows: ForgottenRows }): Promise<{ more: boolean }> =>
      takeTurn({ turnMs, sql: em }, async (turn) => {
        const forget = async (): Promise<{ more: boolean }> => ({
          more: await batches[rows](em.fork(), { eventsAtOnce, callsKeptDays }),
        });
        return { more: !(await untilDone(turn, forget)) };
      }),
  };
}
