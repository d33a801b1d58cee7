import { describeSkew } from '#core/lib/clock.ts';
import { describeDisk, type DiskSpace } from '#core/lib/disk.ts';
import { withTimeout } from '#core/limits/timeout.ts';
import type { Sql } from '#db/connection/database.ts';
import type { JournalLag } from '#db/connection/notify.ts';
import { describeBacklog, readBacklog, readSkew } from '#db/health/readiness.ts';

/** The database does not answer; `causes` names what is known of why. */
export class UnavailableError extends Error {
  readonly causes: readonly string[];

  constructor(causes: readonly string[], cause: unknown) {
    super('The database does not answer.', { cause });
    this.name = 'UnavailableError';
    this.causes = causes;
  }
}

/** Tells what works less well than it should. */
export interface Readiness {
  /**
   * Names what is degraded; empty: all is well.
   * @throws (rejects) UnavailableError when the database does not answer.
   */
  degraded(): Promise<string[]>;
  /** How far the edge that is furthest behind with its clicks is behind, in milliseconds. */
  journalLagMs(): number;
  /** Takes a payload of `channels.journals`. */
  onJournalLag(payload: string): void;
}

/** Settings of `createReadiness`; times are Unix times in milliseconds. */
export interface ReadinessOptions {
  sql: Sql;
  /** Whether the Temporal service can be reached, as of a moment ago. */
  isTemporalReachable(): boolean;
  /** Whether the database's machine has no room left to write. */
  isDatabaseFull(): boolean;
  /** The disk of this machine's data folder. */
  readDisk(): Promise<DiskSpace | undefined>;
  /** Less than this, in bytes, is nearly full. */
  diskWarnBytes: number;
  now(): number;
  timeoutMs?: number;
}

const diskFull = 'database: its disk is full';
// Edges that are behind say so each second.
const lagHoldsMs = 3_000;

/**
 * Makes the readiness of the API: from Temporal, the database's clock and rows, the disks, and what edges say of their
 * journals.
 */
export function createReadiness({
  sql,
  isTemporalReachable,
  isDatabaseFull,
  readDisk,
  diskWarnBytes,
  now,
  timeoutMs = 2_000,
}: ReadinessOptions): Readiness {
  const lags = new Map<string, { lagMs: number; heardAtMs: number }>();
  const inTime = <T>(work: Promise<T>): Promise<T> => withTimeout(timeoutMs, work, 'The database does not answer.');

  function journalLagMs(): number {
    let worst = 0;
    for (const [journalId, { lagMs, heardAtMs }] of lags) {
      if (performance.now() - heardAtMs > lagHoldsMs) lags.delete(journalId);
      else worst = Math.max(worst, lagMs);
    }
    return worst;
  }

  return {
    async degraded() {
      const skewMs = await inTime(readSkew(sql, now)).catch((error: unknown) => {
        throw new UnavailableError(isDatabaseFull() ? [diskFull] : [], error);
      });
      const skew = describeSkew(skewMs);
      const isTemporalAway = !isTemporalReachable();
      const names = isTemporalAway ? ['temporal'] : [];
      if (isDatabaseFull()) names.push(diskFull);
      const disk = describeDisk(await readDisk(), "the API's", diskWarnBytes);
      if (disk !== undefined) names.push(disk);
      if (skew !== undefined) names.push(skew);
      const lagMs = journalLagMs();
      if (lagMs > 0) names.push(`journal: ${(lagMs / 1_000).toFixed(1)} s behind`);
      // The database answers: what cannot be read in time is no reason to serve nobody.
      const backlog = await inTime(readBacklog(sql)).catch(() => undefined);
      if (backlog === undefined) return [...names, 'database: slow'];
      if (backlog.abandoned > 0) names.push(`journal: ${backlog.abandoned} left by edges that are gone`);
      if (backlog.rejected > 0) names.push(`rejected clicks: ${backlog.rejected}`);
      return [...names, ...describeBacklog(backlog, { isTemporalAway, diskWarnBytes })];
    },
    journalLagMs,
    onJournalLag(payload) {
      const { journalId, lagMs } = JSON.parse(payload) as JournalLag;
      lags.set(journalId, { lagMs, heardAtMs: performance.now() });
    },
  };
}
