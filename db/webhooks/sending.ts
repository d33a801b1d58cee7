import { disabledFrom, failingFrom } from '#core/webhooks/schedule.ts';
import type { Sql } from '#db/connection/database.ts';

/** Stands for the tries of a delivery that was asked for again while it was in somebody's hands. */
export const askedMeanwhile = -1;

/** A delivery in the hands of a pump. */
export interface ClaimedDelivery {
  id: string;
  eventId: string;
  /** The event's JSON, the same in every attempt. */
  body: string;
  /** Failed tries of the present series. */
  tries: number;
  /** Somebody asked for it: it goes before all others. */
  isUrgent: boolean;
}

/** A webhook as its sender has to know it. */
export interface SendingWebhook {
  /** `off`: turned off, by itself or by somebody; `paused`: its organization is suspended or no longer premium. */
  state: 'on' | 'off' | 'paused' | 'deleted';
  url: string;
  secretSealed: Buffer;
  /** Null once it signs no more. */
  previousSecretSealed: Buffer | null;
  failures: number;
  /** Until the next probe of a failing webhook, in milliseconds; null while it does not fail. */
  probeInMs: number | null;
}

/** SQL: the state of a webhook `w` of an organization `o`, as `SendingWebhook` has it. */
export const stateColumn = `case when w.deleted_at is not null or o.deleted_at is not null then 'deleted' when not w.is_active then 'off'
  when o.suspended_at is not null or o.plan <> 'premium' then 'paused' else 'on' end`;
/** SQL: that deliveries of a webhook `w` of an organization `o` are sent. */
export const isSending = `w.is_active and w.deleted_at is null and o.deleted_at is null and o.suspended_at is null
  and o.plan = 'premium'`;
const probeColumn = `(extract(epoch from w.next_probe_at - now()) * 1000)::float8`;
/** SQL: that `claim` ($2) may go on sending to a webhook `w`: it has its turn, and no other pump asks for one. */
const isOwnTurn = `coalesce(w.pump, $2) = $2 and w.next_pump is null`;

// Moments are kept in milliseconds, rounded: what fell due just now may be due half a millisecond from now.
const isDue = `due_at <= now() + interval '1 millisecond'`;

/**
 * Takes deliveries that are due, for `claim`, and tells how their webhook is: what somebody asked for first, then what has
 * been due for longest. Whatever else changes the webhook waits its turn: one that was turned off before gives nothing. With
 * a limit of 0 it tells, and says that a pump is at work.
 * @returns undefined where there is no such webhook, or another pump is to send to it.
 */
export async function claimDeliveries(
  sql: Sql,
  { webhookId, claim, limit }: { webhookId: string; claim: string; limit: number },
): Promise<{ webhook: SendingWebhook; rows: ClaimedDelivery[] } | undefined> {
  const { rows } = await sql.query<SendingWebhook & { claimed: ClaimedDelivery[] | null }>({
    name: 'deliveries_claim',
    text: `
      with hook as materialized (
        update webhooks w set looked_at = now(), is_pumping = true from organizations o
        where w.id = $1 and o.id = w.organization_id and ${isOwnTurn}
        returning ${stateColumn} as state, w.url, w.secret_sealed, w.consecutive_failures, ${probeColumn} as probe,
          case when w.previous_secret_until > now() then w.previous_secret_sealed end as previous_sealed
      ), chosen as materialized (
        select id from (
          (select id, 1 as rank, due_at from deliveries
            where webhook_id = $1 and status = 'pending' and is_urgent and claim is null and ${isDue}
              and (select state from hook) = 'on'
            order by due_at limit $3)
          union all
          (select id, 2 as rank, due_at from deliveries
            where webhook_id = $1 and status = 'pending' and not is_urgent and claim is null and ${isDue}
              and (select state from hook) = 'on'
            order by due_at limit $3)
        ) due order by rank, due_at limit $3
      ), taken as (
        update deliveries d set claim = $2 from chosen c
        where d.id = c.id and d.status = 'pending' and d.claim is null
        returning d.id, d.event_id, d.tries, d.is_urgent, d.due_at
      )
      select h.state, h.url, h.secret_sealed as "secretSealed", h.previous_sealed as "previousSecretSealed",
        h.consecutive_failures as failures, h.probe as "probeInMs",
        (select json_agg(json_build_object('id', t.id, 'eventId', t.event_id, 'body', e.body, 'tries', t.tries,
            'isUrgent', t.is_urgent) order by not t.is_urgent, t.due_at, t.id)
          from taken t join events e on e.id = t.event_id) as claimed
      from hook h`,
    values: [webhookId, claim, limit],
  });
  const row = rows[0];
  if (row === undefined) return undefined;
  const { claimed, ...webhook } = row;
  return { webhook, rows: claimed ?? [] };
}

/** How a webhook stands. */
export interface Standing {
  failures: number;
  /** Until the next probe of a failing webhook, in milliseconds; null while it does not fail. */
  probeInMs: number | null;
  /** Whether the pump may go on sending to it. */
  isOn: boolean;
}

/** How a webhook stands after a batch of attempts, and how it stood before. */
export interface RecordedStanding extends Standing {
  organizationId: string;
  failuresBefore: number;
  /** The batch turned it off. */
  ends: boolean;
}

/** What came of one attempt. */
export interface DeliveryOutcome {
  id: string;
  isDelivered: boolean;
  /** When it began. */
  at: Date;
  /** The answer's status, null where none came. */
  code: number | null;
  durationMs: number;
  /** The beginning of the answer's body. */
  body: string | null;
  /** Why no answer came. */
  error: string | null;
  /** Until the next try, in milliseconds from now; null: there is none. */
  retryInMs: number | null;
}

/** The last failed attempt of a batch. */
export interface LastFailure {
  at: Date;
  /** How long ago it ended, in milliseconds. */
  agoMs: number;
  code: number | null;
  error: string | null;
  /** The beginning of the answer. */
  body: string | null;
}

/** What a batch of outcomes means for the webhook, beside the deliveries themselves. */
export interface OutcomeCounts {
  /** Failures before the first success, or all where none succeeded. */
  leading: number;
  /** The longest run of failures after a success. */
  longest: number;
  /** Failures after the last success. */
  trailing: number;
  hasSuccess: boolean;
  /** The receiver said that it is gone. */
  isGone: boolean;
  lastFailure: LastFailure | null;
}

// SQL: that a delivery `d` may be sent again, its webhook `h` allowing; and that it is to be at once. Of the row itself as it is
// when it is written: somebody may have asked for it while this statement waited.
const goesOn = `d.status = 'pending' and h.is_active and not h.ends`;
const isAskedAgain = `(d.tries = ${askedMeanwhile} and ${goesOn})`;

/**
 * Records attempts that `claim` has made, in the order given, and what they mean for the webhook: its counter, its next
 * probe, its end (6.5). One statement; what `claim` no longer holds is left alone.
 * @param probeDelaysMs gaps before probes, in milliseconds; the last one repeats (`probeDelayMs`).
 * @returns how the webhook stands then; undefined where `claim` holds none of it any more.
 */
export async function recordOutcomes(
  sql: Sql,
  { webhookId, claim, probeDelaysMs }: { webhookId: string; claim: string; probeDelaysMs: readonly number[] },
  outcomes: readonly DeliveryOutcome[],
  counts: OutcomeCounts,
): Promise<RecordedStanding | undefined> {
  const { rows } = await sql.query<RecordedStanding>({
    name: 'deliveries_record',
    // The webhook is locked before its deliveries, as by whoever turns it on or off.
    text: `
      with batch as materialized (
        select "leading" as before_success, longest, "trailing" as after_success, "hasSuccess" as has_success, "isGone" as is_gone, at, "agoMs" as ago_ms, code, error, body
        from json_to_record($11::json) as b ("leading" int, longest int, "trailing" int, "hasSuccess" boolean,
          "isGone" boolean, at timestamptz, "agoMs" float8, code int, error text, body text)
      ), hook as materialized (
        select w.id, is_active, consecutive_failures as failures, ${isSending} as is_sending, ${isOwnTurn} as is_own,
          is_active and (b.is_gone or consecutive_failures + b.before_success >= ${disabledFrom} or b.longest >= ${disabledFrom}) as ends,
          case when b.has_success then b.after_success else consecutive_failures + b.before_success end as counted
        from webhooks w join organizations o on o.id = w.organization_id cross join batch b
        where w.id = $1 for no key update of w
      ), given as materialized (
        select * from unnest($3::uuid[], $4::boolean[], $5::timestamptz[], $6::int[], $7::int[], $8::text[], $9::text[], $10::float8[])
          as g (id, delivered, at, code, duration_ms, body, error, retry_ms)
      ), updated as (
        update deliveries d set
          attempts = d.attempts + 1,
          tries = d.tries + 1,
          is_urgent = ${isAskedAgain},
          claim = null,
          response_code = g.code,
          -- What has had all its tries waits for nothing any more, whatever becomes of the webhook.
          status = case when ${isAskedAgain} then 'pending' when g.delivered then 'delivered'
            when g.retry_ms is null then 'failed' when ${goesOn} then 'pending' else 'held' end,
          due_at = case when ${isAskedAgain} then now()
            when ${goesOn} and not g.delivered then now() + g.retry_ms * interval '1 millisecond' end
        from given g, hook h
        -- So that rows are found by id, rather than among all that anybody has claimed.
        where d.id = g.id and coalesce(d.claim, '') = $2
        returning d.id, d.attempts, g.at, g.code, g.duration_ms, g.body, g.error
      ), logged as (
        insert into delivery_attempts (delivery_id, number, at, code, duration_ms, body, error)
        select id, attempts, at, code, duration_ms, body, error from updated
      )
      update webhooks w set
        consecutive_failures = case when not h.is_active then h.failures
          when h.ends and not b.is_gone then ${disabledFrom} else h.counted end,
        looked_at = now(),
        last_failure_at = coalesce(b.at, w.last_failure_at),
        last_failure_code = case when b.at is null then w.last_failure_code else b.code end,
        last_failure_error = case when b.at is null then w.last_failure_error else b.error end,
        last_failure_body = case when b.at is null then w.last_failure_body else b.body end,
        failing_since = case when h.counted < ${failingFrom} then null
          when h.failures >= ${failingFrom} and not b.has_success then coalesce(w.failing_since, now()) else now() end,
        next_probe_at = case when h.counted >= ${failingFrom} then now() - b.ago_ms * interval '1 millisecond' +
          ($12::float8[])[least(h.counted - ${failingFrom} + 1, cardinality($12::float8[]))] * interval '1 millisecond' end,
        is_active = w.is_active and not h.ends,
        disabled_at = case when h.ends then now() else w.disabled_at end,
        disabled_reason = case when not h.ends then w.disabled_reason
          when b.is_gone then 'gone' else 'consecutive_failures' end,
        updated_at = case when h.ends then now() else w.updated_at end
      from hook h cross join batch b
      where w.id = h.id and exists (select 1 from updated)
      returning h.is_sending and h.is_own and not h.ends as "isOn", w.consecutive_failures as failures,
        ${probeColumn} as "probeInMs", w.organization_id as "organizationId", h.failures as "failuresBefore", h.ends`,
    values: [
      webhookId,
      claim,
      outcomes.map(({ id }) => id),
      outcomes.map(({ isDelivered }) => isDelivered),
      outcomes.map(({ at }) => at),
      outcomes.map(({ code }) => code),
      outcomes.map(({ durationMs }) => Math.round(durationMs)),
      outcomes.map(({ body }) => body),
      outcomes.map(({ error }) => error),
      outcomes.map(({ retryInMs }) => retryInMs),
      JSON.stringify(flatten(counts)),
      probeDelaysMs,
    ],
  });
  return rows[0];
}

// Enough to recognize an answer in a mail.
const toldBodyCharacters = 300;

function flatten({ lastFailure, ...counts }: OutcomeCounts): object {
  if (lastFailure === null) return counts;
  return { ...counts, ...lastFailure, body: lastFailure.body?.slice(0, toldBodyCharacters).toWellFormed() ?? null };
}

/** How a webhook stands, for its actor. */
export interface NextDue {
  state: SendingWebhook['state'];
  url: string;
  failures: number;
  /** Until something is due, in milliseconds; 0: now; null: nothing will be. */
  nextInMs: number | null;
  /** Deliveries that wait, counted up to 10,000. */
  waiting: number;
  /** It fails, or was turned off for its failures, and its owner has not been told. */
  mailDue: boolean;
  /** What the last failed attempt was answered: a status, or why there was none. Both null: none has failed yet. */
  lastFailureCode: number | null;
  lastFailureError: string | null;
  lastFailureAt: Date | null;
}

/** SQL: that a webhook `w` was turned off for its failures, and its owner has not been told. */
export const offMailIsDue = `w.disabled_reason in ('consecutive_failures', 'gone') and w.deleted_at is null
  and (w.told_at is null or w.told_at < w.disabled_at)`;
/**
 * SQL: that a webhook `w` fails, or did until that turned it off, and its owner has not been told, nor of an earlier time within
 * the last hour.
 */
export const failingMailIsDue = `(w.is_active or w.disabled_reason = 'consecutive_failures') and w.deleted_at is null and w.failing_since is not null
  and (w.warned_at is null or w.warned_at < w.failing_since and w.warned_at < now() - interval '1 hour')`;
/** SQL: that the owner of a webhook `w` has to be told of something. */
export const mailIsDue = `(${offMailIsDue} or ${failingMailIsDue})`;

const countedAtMost = 10_000;

/** Looks what is next for a webhook; undefined where there is none. */
export async function readNextDue(sql: Sql, webhookId: string): Promise<NextDue | undefined> {
  const { rows } = await sql.query<NextDue>({
    name: 'webhook_next_due',
    text: `
      select ${stateColumn} as state, w.url, w.consecutive_failures as failures,
        coalesce(${mailIsDue}, false) as "mailDue",
        (select count(*) from (
          select 1 from deliveries where webhook_id = w.id and status = 'pending' limit ${countedAtMost}) d) as waiting,
        w.last_failure_code as "lastFailureCode", w.last_failure_error as "lastFailureError",
        w.last_failure_at as "lastFailureAt",
        case when ${isSending} and next.due_at is not null
          then greatest(0, extract(epoch from greatest(next.due_at, w.next_probe_at) - now()) * 1000)::float8 end as "nextInMs"
      from webhooks w join organizations o on o.id = w.organization_id
      cross join lateral (
        select least(
          (select due_at from deliveries where webhook_id = w.id and status = 'pending' and is_urgent
            order by due_at limit 1),
          (select due_at from deliveries where webhook_id = w.id and status = 'pending' and not is_urgent
            order by due_at limit 1)
        ) as due_at
      ) next
      where w.id = $1`,
    values: [webhookId],
  });
  return rows[0];
}
