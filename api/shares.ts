import { availableParallelism } from 'node:os';
import { tooMany } from '#core/errors/errors.ts';
import { createSharedLimit, type SharedLimit, type SharedLimitOptions } from '#core/limits/shared-limit.ts';

export type Shares = ReturnType<typeof createShares>;

// Hashes run on libuv's four threads, which everything else that waits for a disk or a name needs too. On two cores two hashes
// would leave none to the event loop for 50 ms.
const hashedAtOnce = Math.min(2, Math.max(1, availableParallelism() - 1));
// Bounds memory alone: tenants take turns, so that the length of the queue delays none of them.
const waiting = 1_000;
const retryAfterSeconds = 2;
// Beside others an organization's hashes, heavy reads and bulk calls each have a sixth of the time.
const restFactor = 5;
const longestRestMs = 2_000;

/**
 * What tenants share of an API process besides rate limits, so that one of them cannot take all of it: limits by organization.
 * Other processes have limits of their own. @param connections how many its pool has; half of them stay free of heavy reads.
 */
export function createShares(connections: number) {
  const presence = createPresence();
  const restMs = (owner: string, tookMs: number): number =>
    presence.isBesideOthers(owner) ? Math.min(longestRestMs, tookMs * restFactor) : 0;
  const limit = (what: string, sizes: Omit<SharedLimitOptions, 'waiting' | 'refusal'>): SharedLimit =>
    createSharedLimit({
      ...sizes,
      waiting,
      refusal: () => tooMany(`Too many ${what} at once; try again in a moment.`, retryAfterSeconds),
    });
  const readsAtOnce = Math.max(1, Math.floor(connections / 2));
  return {
    /** Notes that an organization calls now; the heavy work of others rests beside it. */
    notePresence: presence.note,
    /**
     * Hashing of passwords: of links by organization, of people by the name of their address. A company behind one address signs in at
     * nine o'clock; a flood from one address is soon refused.
     */
    hashing: limit('passwords', { atOnce: hashedAtOnce, ofOne: 1, waitingOfOne: 48, restMs }),
    /** Reads that keep the database busy for long: searches, filtered statistics, pages of exports. */
    heavyReads: limit('searches, statistics and exports', { atOnce: readsAtOnce, ofOne: 1, waitingOfOne: 16, restMs }),
    /** Transactions that write up to a hundred links each, and files of links. Of ten connections; the rest is for calls of one link. */
    bulkWrites: limit('bulk calls', { atOnce: 4, ofOne: 1, waitingOfOne: 64, restMs }),
    /** Reads of pages that customers name, which wait for 5 s at most; one tenant's dead addresses leave the others room. */
    previews: limit('pages', { atOnce: 24, ofOne: 4, waitingOfOne: 20 }),
    /**
     * Cleaning of uploaded images, the worst of which take ten seconds. Decoding shares libuv's four threads with disk and DNS; one
     * tenant's heavy images leave others the second place.
     */
    uploads: limit('uploads', { atOnce: 2, ofOne: 1, waitingOfOne: 48 }),
    /** Drawing of QR codes, with the reading of their logos. */
    qrCodes: limit('QR codes', { atOnce: 2, ofOne: 1, waitingOfOne: 48 }),
  };
}

const presentForMs = 1_000;

/** Tells who uses a process now. */
export function createPresence(monotonicMs = () => performance.now()) {
  // Two names are enough: the latest one, and the latest one that differs from it.
  let latest = { name: '', atMs: Number.NEGATIVE_INFINITY };
  let other = latest;
  return {
    /** Notes that an organization uses the process. */
    note(name: string): void {
      if (latest.name !== name) other = latest;
      latest = { name, atMs: monotonicMs() };
    },
    /** Whether another one than `name` has used it within the last second. */
    isBesideOthers(name: string): boolean {
      const { atMs } = latest.name === name ? other : latest;
      return monotonicMs() - atMs < presentForMs;
    },
  };
}
