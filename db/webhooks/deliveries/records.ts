import { type ActivityRow, toActivityRow } from '#core/audit/activity.ts';
import { createDisabledEvent, type EventDraft } from '#core/webhooks/events.ts';
import {
  type AttemptErrorCode,
  type AttemptResult,
  deliveryStatusAfter,
  type DisabledReason,
  type StandingAfter,
  standingAfter,
  type StoredStanding,
} from '#core/webhooks/standing.ts';
import { webhookLabel } from '#core/webhooks/label.ts';
import type { Sql } from '#db/connection/database.ts';
import { insertActivitiesSql } from '#db/audit/activities.ts';
import { insertEventsSql } from '#db/webhooks/insert-events.ts';
import type { PumpLease } from './pump-lease.ts';
import { askedMeanwhile } from './sending.ts';

export interface EndedAttempt extends AttemptResult {
  id: string;
  durationMs: number;
  /** The kind of `error`; null: there was an answer. */
  errorCode: AttemptErrorCode | null;
}

/** A webhook after a batch of attempts, and what the batch changed. */
interface RecordedStanding extends StoredStanding, Pick<StandingAfter, 'changes' | 'lastFailure'> {
  organizationId: string;
}

/**
 * Records attempts that a pump has made, in the order given, and what they mean for the webhook: `standingAfter` computes it from
 * `before`, and one statement writes it, if the webhook still stands as `before` says. Otherwise both happen again on the
 * stored standing. A delivery that the pump no longer holds stays as it is.
 * @returns how the webhook stands then; undefined where the pump holds none of the deliveries any more, or the webhook is gone.
 */
export async function recordAttempts(
  sql: Sql,
  { probeDelaysMs, ...pump }: PumpLease & { probeDelaysMs: readonly number[] },
  attempts: readonly EndedAttempt[],
  before: StoredStanding,
): Promise<RecordedStanding | undefined> {
  for (let stored: StoredStanding | undefined = before; stored !== undefined;) {
    const after = standingAfter(stored, attempts, probeDelaysMs);
    const { isActive, failures, changes, lastFailure, disabledReason } = after;
    const disabled = disabledReason === null ? undefined : await readDisabled(sql, pump.webhookId, disabledReason);
    const written = await writeRecord(sql, pump, { attempts, before: stored, after, disabled });
    if (written !== undefined) {
      const { organizationId, isHeld } = written;
      return isHeld ? { organizationId, isActive, failures, changes, lastFailure } : undefined;
    }
    stored = await readStanding(sql, pump.webhookId);
  }
  return undefined;
}

interface NamedStanding extends StoredStanding {
  organizationId: string;
  name: string | null;
  url: string;
}

// By hand: part of a record (bench row W1).
async function readStanding(sql: Sql, webhookId: string): Promise<NamedStanding | undefined> {
  const { rows } = await sql.query<NamedStanding>({
    name: 'webhook_standing',
    text: `select is_active as "isActive", consecutive_failures as failures, organization_id as "organizationId", name, url
      from webhooks where id = $1`,
    values: [webhookId],
  });
  return rows[0];
}

interface Disabled {
  event: EventDraft;
  activity: ActivityRow;
}

async function readDisabled(sql: Sql, webhookId: string, reason: DisabledReason): Promise<Disabled | undefined> {
  const webhook = await readStanding(sql, webhookId);
  if (webhook === undefined) return undefined;
  const now = new Date();
  const draft = {
    action: 'webhook.disabled',
    subjectId: webhookId,
    name: webhookLabel(webhook),
    details: { reason },
  } as const;
  return {
    event: createDisabledEvent({ id: webhookId, ...webhook }, reason, now),
    activity: toActivityRow('system', webhook.organizationId, draft, now),
  };
}

// SQL: that a delivery `d` was asked for again while an attempt was under way, and may go out at once. Of the row as it is when it
// is written: the call may have come while this statement waited.
const isAskedAgain = `(d.tries = ${askedMeanwhile} and d.status = 'pending' and a."isActive")`;

/** Attempts of a pump, what they make of its webhook, and the events of that. */
interface AttemptRecord {
  attempts: readonly EndedAttempt[];
  before: StoredStanding;
  after: StandingAfter;
  disabled: Disabled | undefined;
}

/**
 * Writes attempts and what they make of the webhook, if it stands as `before` says. Lock order: webhook, then deliveries, as calls
 * that turn a webhook on or off.
 * @returns undefined where it stands otherwise. `isHeld`: the pump held some of the deliveries; if not, nothing was written.
 */
// By hand: every batch of deliveries ends with it (bench row W1).
async function writeRecord(
  sql: Sql,
  { webhookId, pumpId }: PumpLease,
  { attempts, before, after, disabled }: AttemptRecord,
): Promise<{ organizationId: string; isHeld: boolean } | undefined> {
  const { rows } = await sql.query<{ organizationId: string; isHeld: boolean }>({
    name: disabled === undefined ? 'attempts_record' : 'attempts_record_off',
    text: `
      with hook as materialized (
        select id, organization_id from webhooks
        where id = $1 and is_active = $3 and consecutive_failures = $4 for no key update
      ), standing as materialized (
        select * from hook, json_to_record($5) as a ("isActive" boolean, failures int, "failingSince" text,
          "nextProbeInMs" float8, "failedAt" timestamptz, code int, error text, body text, "disabledReason" text)
      ), updated as (
        update deliveries d set
          attempts = d.attempts + 1,
          tries = d.tries + 1,
          is_urgent = ${isAskedAgain},
          claim = null,
          response_code = m.code,
          -- A webhook that was turned off and on again meanwhile has left its deliveries held.
          status = case when ${isAskedAgain} then 'pending' when m.status = 'pending' and d.status <> 'pending' then 'held' else m.status end,
          due_at = case when ${isAskedAgain} then now() when d.status = 'pending' then now() + m."dueInMs" * interval '1 millisecond' end
        from standing a, json_to_recordset($6) as m (id uuid, status text, "dueInMs" float8, at timestamptz, code int,
          "durationMs" int, body text, error text, "errorCode" text)
        -- So that rows are found by id, rather than among all that pumps have claimed.
        where d.id = m.id and coalesce(d.claim, '') = $2
        returning d.id, d.attempts, m.at, m.code, m."durationMs", m.body, m.error, m."errorCode"
      ), logged as (
        insert into delivery_attempts (delivery_id, number, at, code, duration_ms, body, error, error_code)
        select id, attempts, at, code, "durationMs", body, error, "errorCode" from updated
      ), stored as (
        update webhooks w set
          looked_at = now(),
          attempted_at = now(),
          is_active = a."isActive",
          consecutive_failures = a.failures,
          failing_since = case a."failingSince" when 'now' then now() when 'unchanged' then coalesce(w.failing_since, now()) end,
          next_probe_at = now() + a."nextProbeInMs" * interval '1 millisecond',
          last_failure_at = coalesce(a."failedAt", w.last_failure_at),
          last_failure_code = case when a."failedAt" is null then w.last_failure_code else a.code end,
          last_failure_error = case when a."failedAt" is null then w.last_failure_error else a.error end,
          last_failure_body = case when a."failedAt" is null then w.last_failure_body else a.body end,
          disabled_at = case when a."disabledReason" is null then w.disabled_at else now() end,
          disabled_reason = coalesce(a."disabledReason", w.disabled_reason),
          updated_at = case when a."disabledReason" is null then w.updated_at else now() end
        from standing a where w.id = a.id and exists (select from updated)
      )${
        disabled === undefined
          ? ''
          : `, reported as (${insertEventsSql('$7')} where exists (select from updated)),
        recorded as (${insertActivitiesSql('$8')} where exists (select from updated))`
      }
      select organization_id as "organizationId", exists (select from updated) as "isHeld" from hook`,
    values: [
      webhookId,
      pumpId,
      before.isActive,
      before.failures,
      JSON.stringify({ ...after.lastFailure, ...after, failedAt: after.lastFailure?.at ?? null }),
      JSON.stringify(attempts.map((attempt) => rowOf(attempt, after.isActive))),
      ...(disabled === undefined ? [] : [JSON.stringify([disabled.event]), JSON.stringify([disabled.activity])]),
    ],
  });
  return rows[0];
}

function rowOf(attempt: EndedAttempt, isActive: boolean): object {
  const { id, at, code, durationMs, body, error, errorCode, retryInMs } = attempt;
  const status = deliveryStatusAfter(attempt, isActive);
  const dueInMs = status === 'pending' ? retryInMs : null;
  return { id, status, dueInMs, at, code, durationMs: Math.round(durationMs), body, error, errorCode };
}
