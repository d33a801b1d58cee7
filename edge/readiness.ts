import { describeSkew } from '#core/lib/clock.ts';
import { describeDisk, type DiskSpace } from '#core/lib/disk.ts';
import { withTimeout } from '#core/limits/timeout.ts';
import type { Sql } from '#db/connection/database.ts';
import { channels, type JournalLag, notify } from '#db/notifications/notify.ts';
import { describeBacklog, readBacklog, readSkew } from '#db/health/readiness.ts';
import type { Journal } from './journal/journal.ts';
import type { ShipperState } from './shipper/shipper.ts';

export type EdgeReadiness = ReturnType<typeof createEdgeReadiness>;

interface EdgeReadinessOptions {
  /** Fails at once while the database is unreachable. */
  reader: Sql;
  /** Notifies the API of the lag. */
  database: Sql;
  journal: Pick<Journal, 'id' | 'isStuck' | 'probe'>;
  shipper: { state(): ShipperState };
  isDatabaseUp(): boolean;
  /** Whether ClickHouse answered last; undefined: there is none. */
  isClickHouseUp?: (() => boolean) | undefined;
  /** Features that the operator left out, such as GeoIP; they do not count as problems. */
  notes: readonly string[];
  /** The disk of this machine's data folder. */
  readDisk(): Promise<DiskSpace | undefined>;
  /** Fewer free bytes count as nearly full. */
  diskWarnBytes: number;
  /** Unix time in milliseconds. */
  now(): number;
}

// Statistics may be as far behind as this (5.5).
const tolerableLagMs = 2_000;
const tellEveryMs = 1_000;
const backlogTimeoutMs = 1_000;

/** Reports the problems of an edge, and notifies the API every second while clicks are late. */
export function createEdgeReadiness(options: EdgeReadinessOptions) {
  const { reader, database, journal, shipper, isDatabaseUp, isClickHouseUp, notes, readDisk, diskWarnBytes, now } =
    options;
  let isTelling = false;

  /** The problems that this process knows of by itself; empty: none. */
  function degraded(): string[] {
    const names = isDatabaseUp() ? [] : ['database'];
    if (isClickHouseUp?.() === false) names.push('clickhouse');
    const { lagMs, rejected } = shipper.state();
    if (lagMs > tolerableLagMs) names.push(`journal: ${(lagMs / 1_000).toFixed(1)} s behind`);
    if (journal.isStuck()) names.push('journal: clicks cannot be written');
    if (rejected > 0) names.push(`rejected clicks: ${rejected}`);
    return names;
  }

  /** Overdue work. Not through the reader: it would take a slow statement for an unreachable database. */
  async function backlog(): Promise<string[]> {
    if (!isDatabaseUp()) return [];
    const read = withTimeout(backlogTimeoutMs, readBacklog(database), 'The backlog is not read in time.');
    // Workers report on Temporal: an edge does not know it.
    const view = { isTemporalUnreachable: false, diskWarnBytes };
    return read.then(
      (found) => describeBacklog(found, view),
      () => (isDatabaseUp() ? ['database: slow'] : []),
    );
  }

  /** A failed notification is no problem: the API sees the lag by the journal's age in the database. */
  async function tell(): Promise<void> {
    const { lagMs } = shipper.state();
    if (isTelling || lagMs <= tolerableLagMs) return;
    isTelling = true;
    const lag: JournalLag = { journalId: journal.id, lagMs: Math.round(lagMs) };
    await notify(database, channels.journals, JSON.stringify(lag)).catch(() => undefined);
    isTelling = false;
  }
  const timer = setInterval(() => {
    journal.probe();
    void tell();
  }, tellEveryMs);
  timer.unref();

  return {
    degraded,
    /** Those, the disk, and the database's view of the clock and of overdue work; for /readyz. */
    async report(): Promise<{ isReady: boolean; body: object }> {
      const skew = await readSkew(reader, now).catch(() => 0);
      const disk = describeDisk(await readDisk(), "the edge's", diskWarnBytes);
      const late = await backlog();
      const names = [...degraded(), disk ?? [], describeSkew(skew) ?? [], late].flat();
      const { lagMs, waitingBytes, rejected } = shipper.state();
      // Visits that count would be answered 503: another edge has them.
      const isReady = !journal.isStuck();
      const body = {
        status: isReady ? (names.length === 0 ? 'ok' : 'degraded') : 'unavailable',
        degraded: names,
        ...(notes.length === 0 ? {} : { notes }),
        journal: { lagMs: Math.round(lagMs), waitingBytes, rejected },
      };
      return { isReady, body };
    },
    close: () => clearInterval(timer),
  };
}
