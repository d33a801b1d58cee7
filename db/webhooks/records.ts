import { type ActivityRow, toActivityRow } from '#core/organizations/activity.ts';
import { createDisabledEvent, type EventDraft } from '#core/webhooks/events.ts';
import {
  type AttemptResult,
  deliveryStatusAfter,
  type DisabledReason,
  type StandingAfter,
  standingAfter,
  type StoredStanding,
  type WebhookChange,
} from '#core/webhooks/standing.ts';
import type { Sql } from '#db/connection/database.ts';
import { insertActivitiesSql } from '#db/organizations/activities.ts';
import { insertEventsSql } from './insert-events.ts';
import { askedMeanwhile, isTurnOf, isSending } from './sending.ts';

/** An attempt that ended, and the delivery that it was made for. */
export interface EndedAttempt extends AttemptResult {
  /** The delivery's id. */
  id: string;
  durationMs: number;
}

/** A webhook after a batch of attempts, and what the batch changed. */
export interface RecordedStanding extends StoredStanding {
  organizationId: string;
  /** Until the next probe of a failing webhook, in milliseconds; null while it does not fail. */
  probeInMs: number | null;
  /** Whether the pump may go on sending to it. */
  isOn: boolean;
  maxPerSecond: number | null;
  changes: WebhookChange[];
  /** The last failed attempt of the batch; null: none failed. */
  lastFailure: StandingAfter['lastFailure'];
}

/** A pump that records its attempts. */
export interface RecordingPump {
  webhookId: string;
  claim: string;
}

/**
 * Records attempts that `claim` has made, in the order given, and what they mean for the webhook: `standingAfter` computes it from
 * `before`, and one statement writes it, if the webhook still stands as `before` says. Otherwise both happen again on the
 * stored standing. A delivery that `claim` no longer holds stays as it is. Measured for this call alone: a transaction with two
 * updates costs the worker 1.5 times (200 attempts) to 2.1 times (3 attempts) the processor time of the one statement.
 * @returns how the webhook stands then; undefined where `claim` holds none of the deliveries any more, or the webhook is gone.
 */
export async function recordAttempts(
  sql: Sql,
  { webhookId, claim, probeDelaysMs }: RecordingPump & { probeDelaysMs: readonly number[] },
  attempts: readonly EndedAttempt[],
  before: StoredStanding,
): Promise<RecordedStanding | undefined> {
  for (let stored: StoredStanding | undefined = before; stored !== undefined;) {
    const after = standingAfter(stored, attempts, probeDelaysMs);
    const disabled =
      after.disabledReason === null ? undefined : await readDisabled(sql, webhookId, after.disabledReason);
    const [written] = await writeRecords(
      sql,
      [{ webhookId, claim, attempts, before: stored, after }],
      disabled ?? 'waits',
    );
    if (written !== undefined) return standingOf(after, written);
    stored = await readStanding(sql, webhookId);
  }
  return undefined;
}

/** Attempts of a pump, and what they make of its webhook. */
export interface AttemptRecord extends RecordingPump {
  attempts: readonly EndedAttempt[];
  before: StoredStanding;
}

/**
 * Records attempts of several pumps in one statement, without waiting for a webhook that another transaction has locked.
 * @returns what `recordAttempts` would, in the order given; `unwritten` for a pump whose webhook is locked, stands otherwise than
 * `before` says, is turned off by its attempts, belongs to an earlier pump of these too, or is gone: nothing of it was written.
 */
export async function recordTogether(
  sql: Sql,
  records: readonly AttemptRecord[],
  probeDelaysMs: readonly number[],
): Promise<(RecordedStanding | undefined | 'unwritten')[]> {
  const changes = records.map((record) => ({
    ...record,
    after: standingAfter(record.before, record.attempts, probeDelaysMs),
  }));
  const writable = new Map<string, (typeof changes)[number]>();
  for (const change of changes) {
    const { webhookId, after } = change;
    if (after.disabledReason === null && !writable.has(webhookId)) writable.set(webhookId, change);
  }
  const rows = writable.size === 0 ? [] : await writeRecords(sql, [...writable.values()], 'skips locked');
  const written = new Map(rows.map((row) => [row.webhookId, row]));
  return changes.map((change) => {
    const { webhookId, after } = change;
    const row = writable.get(webhookId) === change ? written.get(webhookId) : undefined;
    return row === undefined ? 'unwritten' : standingOf(after, row);
  });
}

function standingOf(after: StandingAfter, written: WrittenRecord): RecordedStanding | undefined {
  const { isHeld, organizationId, maxPerSecond } = written;
  if (!isHeld) return undefined;
  const { isActive, failures, nextProbeInMs: probeInMs, changes, lastFailure } = after;
  const isOn = written.isOn && isActive;
  return { organizationId, isActive, failures, probeInMs, isOn, maxPerSecond, changes, lastFailure };
}

/** A webhook's standing, and what an event shows of it. */
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

/** What is reported of a webhook that its failures turn off. */
interface Disabled {
  event: EventDraft;
  activity: ActivityRow;
}

async function readDisabled(sql: Sql, webhookId: string, reason: DisabledReason): Promise<Disabled | undefined> {
  const webhook = await readStanding(sql, webhookId);
  if (webhook === undefined) return undefined;
  const { organizationId, url } = webhook;
  const now = new Date();
  const draft = {
    action: 'webhook.disabled',
    subjectId: webhookId,
    name: new URL(url).host,
    details: { reason },
  } as const;
  return {
    event: createDisabledEvent({ id: webhookId, ...webhook }, reason, now),
    activity: toActivityRow('system', organizationId, draft, now),
  };
}

// SQL: that a delivery `d` was asked for again while an attempt was under way, and may go out at once. Of the row as it is when it
// is written: the call may have come while this statement waited.
const isAskedAgain = `(d.tries = ${askedMeanwhile} and d.status = 'pending' and m.stays_active)`;

/** What was written of one pump. */
interface WrittenRecord {
  webhookId: string;
  organizationId: string;
  isOn: boolean;
  /** Whether `claim` held some of the deliveries; if not, nothing was written. */
  isHeld: boolean;
  maxPerSecond: number | null;
}

/** What a record does about a locked webhook, or the events of the one webhook that it turns off; it waits for that one. */
type RecordMode = 'waits' | 'skips locked' | Disabled;

/**
 * Writes attempts, what they make of each webhook, and the events of that. Lock order: webhook, then deliveries, as calls that turn a
 * webhook on or off.
 * @param records of one webhook each, and of one alone unless locked ones are skipped.
 * @returns those whose webhook stands as `before` says, and is not skipped.
 */
// By hand: every batch of deliveries ends with it (bench row W1).
async function writeRecords(
  sql: Sql,
  records: readonly (AttemptRecord & { after: StandingAfter })[],
  mode: RecordMode,
): Promise<WrittenRecord[]> {
  const disabled = typeof mode === 'string' ? undefined : mode;
  const { rows } = await sql.query<WrittenRecord>({
    name: disabled === undefined ? `attempts_record ${mode as string}` : 'attempts_record_off',
    text: `
      with given as materialized (
        select * from json_to_recordset($2::json) as g (id uuid, claim text, "wasActive" boolean, "hadFailures" int, after json, made json)
      ), hook as materialized (
        select w.id, w.organization_id, w.max_per_second, g.claim, g.after, g.made, ${isSending} and ${isTurnOf('g.claim')} as is_on
        from webhooks w join given g on g.id = w.id join organizations o on o.id = w.organization_id
        -- The ids stand alone as well, so that webhooks are found by their index.
        where w.id = any($1::uuid[]) and w.is_active = g."wasActive" and w.consecutive_failures = g."hadFailures"
        for no key update of w${mode === 'skips locked' ? ' skip locked' : ''}
      ), made as materialized (
        select h.claim, (h.after ->> 'isActive')::boolean as stays_active, m.*
        from hook h cross join lateral json_to_recordset(h.made) as m (id uuid, status text, "dueInMs" float8, at timestamptz, code int,
          "durationMs" int, body text, error text)
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
        from made m
        -- So that rows are found by id, rather than among all that pumps have claimed.
        where d.id = m.id and coalesce(d.claim, '') = m.claim
        returning d.webhook_id, d.id, d.attempts, m.at, m.code, m."durationMs", m.body, m.error
      ), written as materialized (
        select distinct webhook_id from updated
      ), logged as (
        insert into delivery_attempts (delivery_id, number, at, code, duration_ms, body, error)
        select id, attempts, at, code, "durationMs", body, error from updated
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
        from hook h cross join lateral json_to_record(h.after) as a ("isActive" boolean, failures int, "failingSince" text,
          "nextProbeInMs" float8, "failedAt" timestamptz, code int, error text, body text, "disabledReason" text)
        where w.id = h.id and h.id in (select webhook_id from written)
      )${
        disabled === undefined
          ? ''
          : `, reported as (${insertEventsSql('$3')} where exists (select 1 from written)),
        recorded as (${insertActivitiesSql('$4')} where exists (select 1 from written))`
      }
      select id as "webhookId", organization_id as "organizationId", is_on as "isOn", max_per_second as "maxPerSecond",
        id in (select webhook_id from written) as "isHeld"
      from hook`,
    values: [
      records.map(({ webhookId }) => webhookId),
      JSON.stringify(records.map(givenOf)),
      ...(disabled === undefined ? [] : [JSON.stringify([disabled.event]), JSON.stringify([disabled.activity])]),
    ],
  });
  return rows;
}

function givenOf({ webhookId, claim, attempts, before, after }: AttemptRecord & { after: StandingAfter }): object {
  const { isActive, failures, failingSince, nextProbeInMs, lastFailure, disabledReason } = after;
  return {
    id: webhookId,
    claim,
    wasActive: before.isActive,
    hadFailures: before.failures,
    after: {
      ...lastFailure,
      isActive,
      failures,
      failingSince,
      nextProbeInMs,
      disabledReason,
      failedAt: lastFailure?.at ?? null,
    },
    made: attempts.map((attempt) => rowOf(attempt, isActive)),
  };
}

function rowOf(attempt: EndedAttempt, isActive: boolean): object {
  const { id, at, code, durationMs, body, error, retryInMs } = attempt;
  const status = deliveryStatusAfter(attempt, isActive);
  const dueInMs = status === 'pending' ? retryInMs : null;
  return { id, status, dueInMs, at, code, durationMs: Math.round(durationMs), body, error };
}
