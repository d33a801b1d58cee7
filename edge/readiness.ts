import { describeSkew } from '#core/lib/clock.ts';
import { describeDisk, type DiskSpace } from '#core/lib/disk.ts';
import { withTimeout } from '#core/limits/timeout.ts';
import type { Sql } from '#db/connection/database.ts';
import { channels, type JournalLag, notify } from '#db/connection/notify.ts';
import { describeBacklog, readBacklog, readSkew } from '#db/health/readiness.ts';
import type { Journal } from './journal/journal.ts';
import type { ShipperState } from './shipper/shipper.ts';

/** Tells what of an edge is not as it should be. */
export interface EdgeReadiness {
  /** As of now, without asking anybody; empty: all is well. */
  degraded(): string[];
  /** That, the disk, and what the database tells of the clock and of work that does not get done; for /readyz. */
  report(): Promise<object>;
  close(): void;
}

/** Settings of `createEdgeReadiness`. */
export interface EdgeReadinessOptions {
  /** Fails at once while the database is away. */
  reader: Sql;
  /** What lags are told through. */
  database: Sql;
  journal: Pick<Journal, 'id' | 'isStuck'>;
  shipper: { state(): ShipperState };
  isDatabaseUp(): boolean;
  /** What the edge goes without by choice; it degrades nothing. */
  notes: readonly string[];
  /** The disk of this machine's data folder. */
  readDisk(): Promise<DiskSpace | undefined>;
  /** Less than this, in bytes, is nearly full. */
  diskWarnBytes: number;
  /** Unix time in milliseconds. */
  now(): number;
}

// Statistics may be as far behind as this (5.5).
const tolerableLagMs = 2_000;
const tellEveryMs = 1_000;
const backlogTimeoutMs = 1_000;

/** Watches an edge, and tells the API while clicks are late in coming to the database. */
export function createEdgeReadiness(options: EdgeReadinessOptions): EdgeReadiness {
  const { reader, database, journal, shipper, isDatabaseUp, notes, readDisk, diskWarnBytes, now } = options;
  let isTelling = false;

  function degraded(): string[] {
    const names = isDatabaseUp() ? [] : ['database'];
    const { lagMs, rejected } = shipper.state();
    if (lagMs > tolerableLagMs) names.push(`journal: ${(lagMs / 1_000).toFixed(1)} s behind`);
    if (journal.isStuck()) names.push('journal: clicks cannot be written');
    if (rejected > 0) names.push(`rejected clicks: ${rejected}`);
    return names;
  }

  /** What does not get done; not by way of the reader, which would take a slow statement for an absence. */
  async function backlog(): Promise<string[]> {
    if (!isDatabaseUp()) return [];
    const read = withTimeout(backlogTimeoutMs, readBacklog(database), 'The backlog is not read in time.');
    // What an edge cannot know of Temporal, workers say.
    const view = { isTemporalAway: false, diskWarnBytes };
    return read.then(
      (found) => describeBacklog(found, view),
      () => (isDatabaseUp() ? ['database: slow'] : []),
    );
  }

  /** Who cannot be told will see it from the journal that nobody ships. */
  async function tell(): Promise<void> {
    const { lagMs } = shipper.state();
    if (isTelling || lagMs <= tolerableLagMs) return;
    isTelling = true;
    const lag: JournalLag = { journalId: journal.id, lagMs: Math.round(lagMs) };
    await notify(database, channels.journals, JSON.stringify(lag)).catch(() => undefined);
    isTelling = false;
  }
  const timer = setInterval(() => void tell(), tellEveryMs);
  timer.unref();

  return {
    degraded,
    async report() {
      const skew = await readSkew(reader, now).catch(() => 0);
      const disk = describeDisk(await readDisk(), "the edge's", diskWarnBytes);
      const late = await backlog();
      const names = [...degraded(), disk ?? [], describeSkew(skew) ?? [], late].flat();
      const { lagMs, waitingBytes, rejected } = shipper.state();
      return {
        status: names.length === 0 ? 'ok' : 'degraded',
        degraded: names,
        ...(notes.length === 0 ? {} : { notes }),
        journal: { lagMs: Math.round(lagMs), waitingBytes, rejected },
      };
    },
    close: () => clearInterval(timer),
  };
}
