import { disabledFrom, failingFrom } from '../core/webhook-schedule.ts';
import type { Sql } from './database.ts';

/** Stands for the tries of a delivery that was asked for again while it was in somebody's hands. */
export const askedMeanwhile = -1;

/** A delivery in somebody's hands. */
export interface ClaimedDelivery {
  id: string;
  eventId: string;
  /** The event's JSON, the same in every attempt. */
  body: string;
  /** Failed tries of the present series. */
  tries: number;
  /** Whether it waits while its webhook fails: it has not been tried, and nobody asked for it. */
  isFirst: boolean;
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
  /** Until the next first attempt of a failing webhook, in milliseconds; null while it does not fail. */
  probeInMs: number | null;
}

/** SQL: the state of a webhook `w` of an organization `o`, as `SendingWebhook` has it. */
export const stateColumn = `case when w.deleted_at is not null or o.deleted_at is not null then 'deleted' when not w.is_active then 'off'
  when o.suspended_at is not null or o.plan <> 'premium' then 'paused' else 'on' end`;
/** SQL: that deliveries of a webhook `w` of an organization `o` are sent. */
export const isSending = `w.is_active and w.deleted_at is null and o.deleted_at is null and o.suspended_at is null
  and o.plan = 'premium'`;
const probeColumn = `(extract(epoch from w.next_probe_at - now()) * 1000)::float8`;

// Moments are kept in milliseconds, rounded: what fell due just now may be due half a millisecond from now.
const isDue = `due_at <= now() + interval '1 millisecond'`;

/**
 * Takes deliveries that are due, for `claim`, and tells how their webhook is. Whatever else changes the webhook waits its
 * turn: one that was turned off before gives nothing. With limits of none it tells, and says that somebody is at it.
 * @param limits how many that were tried before, or asked for, and how many others, oldest due first.
 * @returns undefined where there is no such webhook.
 */
export async function claimDeliveries(
  sql: Sql,
  { webhookId, claim, again, first }: { webhookId: string; claim: string; again: number; first: number },
): Promise<{ webhook: SendingWebhook; rows: ClaimedDelivery[] } | undefined> {
  const { rows } = await sql.query<SendingWebhook & { claimed: ClaimedDelivery[] | null }>({
    name: 'deliveries_claim',
    text: `
      with hook as materialized (
        update webhooks w set looked_at = now(), is_pumping = true from organizations o
        where w.id = $1 and o.id = w.organization_id
        returning ${stateColumn} as state, w.url, w.secret_sealed, w.consecutive_failures, ${probeColumn} as probe,
          case when w.previous_secret_until > now() then w.previous_secret_sealed end as previous_sealed
      ), chosen as materialized (
        (select id from deliveries
          where webhook_id = $1 and status = 'pending' and (tries > 0 or is_urgent) and claim is null and ${isDue}
            and (select state from hook) = 'on'
          order by due_at limit $3)
        union all
        (select id from deliveries
          where webhook_id = $1 and status = 'pending' and tries = 0 and not is_urgent and claim is null and ${isDue}
            and (select state from hook) = 'on'
          order by due_at limit $4)
      ), taken as (
        update deliveries d set claim = $2 from chosen c
        where d.id = c.id and d.status = 'pending' and d.claim is null
        returning d.id, d.event_id, d.tries, d.is_urgent, d.due_at
      )
      select h.state, h.url, h.secret_sealed as "secretSealed", h.previous_sealed as "previousSecretSealed",
        h.consecutive_failures as failures, h.probe as "probeInMs",
        (select json_agg(json_build_object('id', t.id, 'eventId', t.event_id, 'body', e.body, 'tries', t.tries,
            'isFirst', t.tries = 0 and not t.is_urgent) order by t.due_at, t.id)
          from taken t join events e on e.id = t.event_id) as claimed
      from hook h`,
    values: [webhookId, claim, again, first],
  });
  const row = rows[0];
  if (row === undefined) return undefined;
  const { claimed, ...webhook } = row;
  return { webhook, rows: claimed ?? [] };
}

/** Takes deliveries out of the hands of whoever is not `claim`: only the dead can hold them. */
export async function reclaimDeliveries(sql: Sql, webhookId: string, claim: string): Promise<void> {
  await sql.query({
    name: 'deliveries_reclaim',
    text: `update deliveries set claim = null, tries = greatest(tries, 0)
      where webhook_id = $1 and claim is not null and claim <> $2`,
    values: [webhookId, claim],
  });
}

/**
 * Puts back what was taken and not sent, and tells that nobody looks any more: what is due from here on needs a wake-up, or
 * a look after this.
 */
export async function giveBackDeliveries(sql: Sql, webhookId: string, claim: string): Promise<void> {
  await sql.query({
    name: 'deliveries_give_back',
    text: `
      with hook as materialized (update webhooks set is_pumping = false where id = $1 returning id)
      update deliveries d set claim = null, tries = greatest(d.tries, 0) from hook h where d.webhook_id = h.id and d.claim = $2`,
    values: [webhookId, claim],
  });
}

/** How a webhook stands. */
export interface Standing {
  failures: number;
  /** Until the next first attempt of a failing webhook, in milliseconds; null while it does not fail. */
  probeInMs: number | null;
  /** Whether anything is sent to it. */
  isOn: boolean;
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
  failedProbes: number;
  lastFailureAt: Date | null;
}

// SQL: that a delivery `d` may be sent again, its webhook `h` allowing; and that it is to be at once. Of the row itself as it is
// when it is written: somebody may have asked for it while this statement waited.
const goesOn = `d.status = 'pending' and h.is_active and not h.ends`;
const isAskedAgain = `(d.tries = ${askedMeanwhile} and ${goesOn})`;

/**
 * Records attempts that `claim` has made, in the order given, and what they mean for the webhook: its counter, its next
 * probe, its end (6.5). One statement; what `claim` no longer holds is left alone.
 * @param gapsMs the schedule, which probes follow too.
 * @returns how the webhook stands then; undefined where `claim` holds none of it any more.
 */
export async function recordOutcomes(
  sql: Sql,
  { webhookId, claim, gapsMs }: { webhookId: string; claim: string; gapsMs: readonly number[] },
  outcomes: readonly DeliveryOutcome[],
  counts: OutcomeCounts,
): Promise<Standing | undefined> {
  const { rows } = await sql.query<Standing>({
    name: 'deliveries_record',
    // The webhook is locked before its deliveries, as by whoever turns it on or off.
    text: `
      with hook as materialized (
        select w.id, is_active, consecutive_failures as failures, failed_probes, ${isSending} as is_sending,
          is_active and ($15 or consecutive_failures + $10::int >= ${disabledFrom} or $11::int >= ${disabledFrom}) as ends,
          case when $13 then $12::int else consecutive_failures + $10::int end as counted
        from webhooks w join organizations o on o.id = w.organization_id where w.id = $1 for no key update of w
      ), given as materialized (
        select * from unnest($3::uuid[], $4::boolean[], $5::timestamptz[], $6::int[], $7::int[], $8::text[], $9::text[], $18::float8[])
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
          when h.ends and not $15 then ${disabledFrom} else h.counted end,
        last_failure_at = coalesce($17::timestamptz, w.last_failure_at),
        failed_probes = case when $13 or h.failures < ${failingFrom} then 0 else h.failed_probes + $16::int end,
        next_probe_at = case
          when h.counted < ${failingFrom} then null
          when $13 or h.failures < ${failingFrom} then now() + ($14::float8[])[1] * interval '1 millisecond'
          when $16::int > 0 then now() +
            ($14::float8[])[least(h.failed_probes + $16::int + 1, cardinality($14::float8[]))] * interval '1 millisecond'
          else w.next_probe_at end,
        is_active = w.is_active and not h.ends,
        disabled_at = case when h.ends then now() else w.disabled_at end,
        disabled_reason = case when not h.ends then w.disabled_reason
          when $15 then 'gone' else 'consecutive_failures' end,
        updated_at = case when h.ends then now() else w.updated_at end
      from hook h
      where w.id = h.id and exists (select 1 from updated)
      returning h.is_sending and not h.ends as "isOn", w.consecutive_failures as failures, ${probeColumn} as "probeInMs"`,
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
      counts.leading,
      counts.longest,
      counts.trailing,
      counts.hasSuccess,
      gapsMs,
      counts.isGone,
      counts.failedProbes,
      counts.lastFailureAt,
      outcomes.map(({ retryInMs }) => retryInMs),
    ],
  });
  return rows[0];
}

/** Keeps the pending deliveries of a webhook that is off: they wait to be asked for (6.5). */
export async function holdDeliveries(sql: Sql, webhookId: string): Promise<void> {
  await sql.query({
    name: 'deliveries_hold',
    text: `update deliveries set status = 'held', due_at = null, is_urgent = false where webhook_id = $1 and status = 'pending'`,
    values: [webhookId],
  });
}
