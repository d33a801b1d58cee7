import { describeSkew } from '../../core/clock.ts';
import type { Sql } from '../../db/database.ts';
import type { JournalLag } from '../../db/notify.ts';
import { readBacklog, readSkew } from '../../db/readiness.ts';

/** Tells what works less well than it should. */
export interface Readiness {
  /**
   * Names what is degraded; empty: all is well.
   * @throws (rejects) when the database does not answer.
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
  now(): number;
  timeoutMs?: number;
}

// Edges that are behind say so each second.
const lagHoldsMs = 3_000;

/** Makes the readiness of the API: from Temporal, the database's clock and rows, and what edges say of their journals. */
export function createReadiness({ sql, isTemporalReachable, now, timeoutMs = 2_000 }: ReadinessOptions): Readiness {
  const lags = new Map<string, { lagMs: number; heardAtMs: number }>();

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
      const skew = describeSkew(await within(timeoutMs, readSkew(sql, now)));
      const names = isTemporalReachable() ? [] : ['temporal'];
      if (skew !== undefined) names.push(skew);
      const lagMs = journalLagMs();
      if (lagMs > 0) names.push(`journal: ${(lagMs / 1_000).toFixed(1)} s behind`);
      // The database answers: what cannot be read in time is no reason to serve nobody.
      const backlog = await within(timeoutMs, readBacklog(sql)).catch(() => undefined);
      if (backlog === undefined) return [...names, 'database: slow'];
      const { parked, rejected, abandoned } = backlog;
      if (abandoned > 0) names.push(`journal: ${abandoned} left by edges that are gone`);
      if (rejected > 0) names.push(`rejected clicks: ${rejected}`);
      if (parked > 0) names.push(`outbox: ${parked} parked`);
      return names;
    },
    journalLagMs,
    onJournalLag(payload) {
      const { journalId, lagMs } = JSON.parse(payload) as JournalLag;
      lags.set(journalId, { lagMs, heardAtMs: performance.now() });
    },
  };
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The database does not answer.')), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
