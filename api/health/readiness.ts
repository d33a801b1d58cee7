import { describeSkew } from '#core/lib/clock.ts';
import { describeDisk, type DiskSpace } from '#core/lib/disk.ts';
import { withTimeout } from '#core/limits/timeout.ts';
import type { Sql } from '#db/connection/database.ts';
import type { JournalLag } from '#db/notifications/notify.ts';
import { describeBacklog, readBacklog, readSkew } from '#db/health/readiness.ts';

export type Readiness = ReturnType<typeof createReadiness>;

export interface ReadinessOptions {
  sql: Sql;
  /** Whether Temporal is reachable, by the last check. */
  isTemporalReachable(): boolean;
  /** Whether ClickHouse answers; undefined: there is none. */
  isClickHouseUp?: (() => Promise<boolean>) | undefined;
  /** Whether the storage of files answered its last check; undefined: nothing checks. */
  isStorageUp?: () => boolean;
  /** Whether the database's disk is full. */
  isDatabaseFull(): boolean;
  /** The disk of this machine's data folder. */
  readDisk(): Promise<DiskSpace | undefined>;
  /** Fewer free bytes than this degrade. */
  diskWarnBytes: number;
  /** Says why the threat lists cannot tell that a URL is clean; undefined: they can, or none are used. */
  describeStaleLists?(): string | undefined;
  now(): number;
  timeoutMs?: number;
}

const diskFull = 'database: its disk is full';
// Lagging edges report every second; a report counts for three.
const lagHoldsMs = 3_000;

/**
 * Combines the state of Temporal, ClickHouse, the storage, the database's clock and backlog, the disks, and the journal lags that edges report.
 */
export function createReadiness(options: ReadinessOptions) {
  const { sql, isTemporalReachable, isClickHouseUp, isStorageUp, isDatabaseFull } = options;
  const { readDisk, diskWarnBytes, describeStaleLists, now, timeoutMs = 2_000 } = options;
  const lags = new Map<string, { lagMs: number; heardAtMs: number }>();
  const inTime = <T>(work: Promise<T>): Promise<T> => withTimeout(timeoutMs, work, 'The database does not answer.');

  /** The largest lag of an edge's journal, in milliseconds. */
  function journalLagMs(): number {
    let worst = 0;
    for (const [journalId, { lagMs, heardAtMs }] of lags) {
      if (performance.now() - heardAtMs > lagHoldsMs) lags.delete(journalId);
      else worst = Math.max(worst, lagMs);
    }
    return worst;
  }

  return {
    /** The degraded parts. Where the database does not answer, `isUp` is false. */
    async degraded(): Promise<{ isUp: boolean; names: string[] }> {
      const skewMs = await inTime(readSkew(sql, now)).catch(() => undefined);
      if (skewMs === undefined) return { isUp: false, names: isDatabaseFull() ? ['database', diskFull] : ['database'] };
      const skew = describeSkew(skewMs);
      const isTemporalUnreachable = !isTemporalReachable();
      const names = isTemporalUnreachable ? ['temporal'] : [];
      if (isClickHouseUp !== undefined && !(await inTime(isClickHouseUp()).catch(() => false)))
        names.push('clickhouse');
      if (isStorageUp?.() === false) names.push('storage');
      if (isDatabaseFull()) names.push(diskFull);
      const disk = describeDisk(await readDisk(), "the API's", diskWarnBytes);
      if (disk !== undefined) names.push(disk);
      if (skew !== undefined) names.push(skew);
      const stale = describeStaleLists?.();
      if (stale !== undefined) names.push(stale);
      const lagMs = journalLagMs();
      if (lagMs > 0) names.push(`journal: ${(lagMs / 1_000).toFixed(1)} s behind`);
      // The database answers, if slowly: the API stays ready.
      const backlog = await inTime(readBacklog(sql)).catch(() => undefined);
      if (backlog === undefined) return { isUp: true, names: [...names, 'database: slow'] };
      if (backlog.abandoned > 0) names.push(`journal: ${backlog.abandoned} left by edges that are gone`);
      if (backlog.rejected > 0) names.push(`rejected clicks: ${backlog.rejected}`);
      names.push(...describeBacklog(backlog, { isTemporalUnreachable, diskWarnBytes }));
      return { isUp: true, names };
    },
    journalLagMs,
    /** Handles a notification of `channels.journals`. */
    onJournalLag(payload: string): void {
      const { journalId, lagMs } = JSON.parse(payload) as JournalLag;
      lags.set(journalId, { lagMs, heardAtMs: performance.now() });
    },
  };
}
