import type { Sql } from '#db/connection/database.ts';
import { type WebhookChange, webhookChanges } from '#core/webhooks/schedule.ts';
import {
  type DeliveryOutcome,
  type LastFailure,
  type OutcomeCounts,
  recordOutcomes,
  type Standing,
} from '#db/webhooks/sending.ts';

/** An attempt that ended. */
export interface EndedAttempt extends Omit<DeliveryOutcome, 'retryInMs'> {
  /** From `endedAtMs` until the next try, in milliseconds; undefined: there is none. */
  gapMs: number | undefined;
  /** By `performance.now()`. */
  endedAtMs: number;
  /** The receiver answered 410. */
  isGone: boolean;
}

/** A change of the webhook that a pump has caused. */
export interface NotedChange {
  change: WebhookChange;
  organizationId: string;
  failures: number;
  /** The answer to the last failed attempt of the batch: its status, or why there was none. */
  code: number | null;
  error: string | null;
}

/**
 * Records attempts in the order in which they ended.
 * @returns how the webhook stands then, and what the batch changed; undefined where the webhook is gone or another pump's.
 */
export async function recordBatch(
  sql: Sql,
  pump: { webhookId: string; claim: string; probeDelaysMs: readonly number[] },
  batch: readonly EndedAttempt[],
): Promise<{ standing: Standing; changes: NotedChange[] } | undefined> {
  const nowMs = performance.now();
  const rows = batch.map(({ gapMs, endedAtMs, ...row }) => ({
    ...row,
    retryInMs: gapMs === undefined ? null : Math.max(0, endedAtMs + gapMs - nowMs),
  }));
  const counts = countOutcomes(batch, nowMs);
  const standing = await recordOutcomes(sql, pump, rows, counts);
  if (standing === undefined) return undefined;
  const { organizationId, failures, failuresBefore, ends } = standing;
  const { code = null, error = null } = counts.lastFailure ?? {};
  const { hasSuccess } = counts;
  const changes = webhookChanges(failuresBefore, { after: failures, hasSuccess, ends });
  return { standing, changes: changes.map((change) => ({ change, organizationId, failures, code, error })) };
}

/**
 * Counts runs of failures as a webhook's counter needs them (6.5).
 * @param nowMs the present, by `performance.now()`.
 */
export function countOutcomes(outcomes: readonly EndedAttempt[], nowMs: number): OutcomeCounts {
  const firstSuccess = outcomes.findIndex(({ isDelivered }) => isDelivered);
  let run = 0;
  let longest = 0;
  for (const [index, { isDelivered }] of outcomes.entries()) {
    run = isDelivered ? 0 : run + 1;
    if (firstSuccess !== -1 && index > firstSuccess) longest = Math.max(longest, run);
  }
  return {
    leading: firstSuccess === -1 ? outcomes.length : firstSuccess,
    longest,
    trailing: run,
    hasSuccess: firstSuccess !== -1,
    isGone: outcomes.some(({ isGone }) => isGone),
    lastFailure: lastFailureOf(outcomes, nowMs),
  };
}

function lastFailureOf(outcomes: readonly EndedAttempt[], nowMs: number): LastFailure | null {
  const last = outcomes.findLast(({ isDelivered }) => !isDelivered);
  if (last === undefined) return null;
  const { at, code, error, body, endedAtMs } = last;
  return { at, agoMs: Math.max(0, nowMs - endedAtMs), code, error, body };
}
