import { availableParallelism } from 'node:os';
import { AppError, tooMany } from '#core/errors/errors.ts';
import { createFairLimit, type FairLimit } from '#core/limits/fair-limit.ts';
import { createWorkBudget } from '#core/limits/work-budget.ts';
import type { ApiDependencies } from './dependencies.ts';

/**
 * What tenants share of an API process besides rate limits, so that one of them cannot take all of it. Each is a gate by
 * organization; other processes have gates of their own.
 */
export interface Shares {
  /** Hashing of passwords: of links by organization (`organizationPath`), of people by the name of their address. */
  hashing: FairLimit;
  /**
   * Reads that keep the database busy for long: searches, filtered statistics, pages of exports. By organization; half of the
   * process's connections stay free of them.
   */
  heavyReads: FairLimit;
  /** Notes that an organization calls now; the heavy work of others is held back to its share beside it. */
  notePresence(organizationId: string): void;
  /** Calls that write up to a hundred links each, and files of links, which keep this process busy besides. By organization. */
  bulkWrites: FairLimit;
  /** Visits of pages that customers name, which wait for other people's servers. By organization. */
  visits: FairLimit;
  /** Cleaning of uploaded images, the worst of which take ten seconds. By organization. */
  uploads: FairLimit;
}

/** What routes are built from. */
export interface RouteDependencies extends ApiDependencies {
  shares: Shares;
}

const organizationPrefix = 'organization:';

/** The path of an organization through a gate that others than organizations go through too. */
export function organizationPath(organizationId: string): string[] {
  return [`${organizationPrefix}${organizationId}`];
}

// They share libuv's four threads with everything else that waits for a disk or a name. A core stays free of them: on two cores two
// hashes would leave none to the event loop for 50 ms (bench row V1).
const hashedAtOnce = Math.min(2, Math.max(1, availableParallelism() - 1));
// At some 50 ms each the last of them waits for 6 s.
const waitingForHash = 256;
// A company behind one address signs in at nine o'clock; a flood from one address is soon refused.
const waitingOfOne = 48;
const retryAfterSeconds = 2;

// Heavy work of one organization, in milliseconds of each second that others use the process too (bench row V1).
const workPerSecondMs = 150;
// What an organization that has rested may do at once, as much as in one second: its first second held up the others' calls more than
// the rest of its load.
const workBurstMs = 150;
const workDebtMs = 500;
// Through all gates together. Its share of time stays the same; two at once delay the others' calls for as long as both together.
const workAtOnce = 1;

// A quarter of a minute in all, with the statement itself (API_STATEMENT_TIMEOUT_MS): longer than clients wait.
const patienceMs = 10_000;
const readsOfOne = 2;
const waitingReads = 200;
const waitingReadsOfOne = 16;
// Of ten connections; the rest is for calls of one link.
const bulkAtOnce = 4;
const bulkOfOne = 2;
const waitingBulk = 256;
const waitingBulkOfOne = 64;
// They wait for 5 s at most and cost little else; one tenant's dead addresses leave the others room.
const visitsAtOnce = 24;
const visitsOfOne = 4;
const waitingVisits = 200;
const waitingVisitsOfOne = 20;
// As many as the adapter cleans at a time; one tenant's heavy images leave others the second place.
const uploadsAtOnce = 2;
const uploadsOfOne = 1;
const waitingUploads = 256;
const waitingUploadsOfOne = 48;

/** Makes the gates of an API process. @param connections how many its pool has. */
export function createShares(connections = 10): Shares {
  // One budget for all gates: an organization that searches and writes in bulk has no more than one that does either.
  const budget = createWorkBudget({
    perSecondMs: workPerSecondMs,
    burstMs: workBurstMs,
    debtMs: workDebtMs,
    atOnce: workAtOnce,
  });
  return {
    notePresence: (organizationId) => budget.notePresence(organizationPath(organizationId)[0]!),
    hashing: createFairLimit({
      budget,
      slots: hashedAtOnce,
      waiting: waitingForHash,
      waitingPerPath: waitingOfOne,
      refusal: ([name = '']) =>
        name.startsWith(organizationPrefix)
          ? tooMany('Too many passwords at once; try again in a moment.', retryAfterSeconds)
          : new AppError('SERVICE_UNAVAILABLE'),
    }),
    heavyReads: createFairLimit({
      budget,
      slots: Math.max(1, Math.floor(connections / 2)),
      perGroup: readsOfOne,
      waiting: waitingReads,
      waitingPerPath: waitingReadsOfOne,
      patienceMs,
      refusal: () =>
        tooMany('Too many searches, statistics and exports at once; try again in a moment.', retryAfterSeconds),
    }),
    bulkWrites: createFairLimit({
      budget,
      slots: bulkAtOnce,
      perGroup: bulkOfOne,
      waiting: waitingBulk,
      waitingPerPath: waitingBulkOfOne,
      patienceMs,
      refusal: () => tooMany('Too many bulk calls at once; try again in a moment.', retryAfterSeconds),
    }),
    visits: createFairLimit({
      slots: visitsAtOnce,
      perGroup: visitsOfOne,
      waiting: waitingVisits,
      waitingPerPath: waitingVisitsOfOne,
      patienceMs,
      refusal: () => tooMany('Too many pages at once; try again in a moment.', retryAfterSeconds),
    }),
    uploads: createFairLimit({
      slots: uploadsAtOnce,
      perGroup: uploadsOfOne,
      waiting: waitingUploads,
      waitingPerPath: waitingUploadsOfOne,
      patienceMs,
      refusal: () => tooMany('Too many uploads at once; try again in a moment.', retryAfterSeconds),
    }),
  };
}
