import { sql } from 'kysely';
import { failingFrom } from '#core/webhooks/standing.ts';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { PumpLease } from './pump-lease.ts';

/** Value of `tries` of a delivery that was asked for again while a pump held it. */
export const askedMeanwhile = -1;

export interface ClaimedDelivery {
  id: string;
  eventId: string;
  /** The event's JSON, the same in every attempt. */
  body: string;
  /** Failed tries of the present series. */
  tries: number;
  /** A call asked for the delivery: it goes before all others. */
  isUrgent: boolean;
  /** The trace of the call that caused the event, as `currentTrace` writes it; null: of none. */
  trace: string | null;
}

export interface SendingWebhook {
  /** `off`: turned off, by its failures or by a call; `paused`: by a call, or its organization is suspended or no longer premium. */
  state: 'on' | 'off' | 'paused' | 'deleted';
  url: string;
  secretSealed: Buffer;
  /** Null once the previous secret signs no more. */
  previousSecretSealed: Buffer | null;
  /** Headers that every request has; null: none. */
  headersSealed: Buffer | null;
  failures: number;
  /** The most requests that may begin in a second; null: no limit. */
  maxPerSecond: number | null;
}

/** SQL: the `SendingWebhook.state` of a webhook `w` of an organization `o`. */
const stateColumn = `case when w.deleted_at is not null or o.deleted_at is not null then 'deleted' when not w.is_active then 'off'
  when w.is_paused or o.suspended_at is not null or o.plan <> 'premium' then 'paused' else 'on' end`;
/** SQL: that deliveries of a webhook `w` of an organization `o` are sent. */
export const isSending = `w.is_active and not w.is_paused and w.deleted_at is null and o.deleted_at is null and o.suspended_at is null
  and o.plan = 'premium'`;

// Columns round moments to milliseconds: what fell due just now may seem due half a millisecond from now.
const soon = `now() + interval '1 millisecond'`;

/**
 * Claims due deliveries for a pump, urgent ones first, then the longest due, and reads their webhook. Its update of the webhook's
 * row waits for calls that change the webhook, renews the pump's lease, and shows relays that the pump is at work. A webhook that
 * is not on gives no deliveries, one that fails gives one as soon as its probe is due, and nothing before.
 * @param limit 0: only reads the webhook.
 * @returns undefined where there is no such webhook, or a later pump has it.
 */
// By hand: every batch of deliveries begins with it (bench row W1).
export async function claimDeliveries(
  db: Sql,
  { webhookId, pumpId, limit }: PumpLease & { limit: number },
): Promise<{ webhook: SendingWebhook; rows: ClaimedDelivery[] } | undefined> {
  const due = (isUrgent: string): string => `(select id, is_urgent, due_at from deliveries
            where webhook_id = $1 and status = 'pending' and ${isUrgent} and claim is null and due_at <= ${soon}
            order by due_at limit (select room from hook))`;
  const { rows } = await db.query<SendingWebhook & (ClaimedDelivery | { id: null })>({
    name: 'deliveries_claim',
    text: `
      with hook as materialized (
        update webhooks w set looked_at = now(), is_pumping = true from organizations o
        where w.id = $1 and o.id = w.organization_id and w.pump = $2
        returning ${stateColumn} as state, w.url, w.secret_sealed, w.headers_sealed, w.max_per_second, w.consecutive_failures,
          case when w.previous_secret_until > now() then w.previous_secret_sealed end as previous_sealed,
          case when not (${isSending}) then 0 when w.consecutive_failures < ${failingFrom} then $3::int
            when w.next_probe_at <= ${soon} then least($3::int, 1) else 0 end as room
      ), chosen as materialized (
        select id from (${due('is_urgent')} union all ${due('not is_urgent')}) due
        order by not is_urgent, due_at limit (select room from hook)
      ), taken as (
        update deliveries d set claim = $2 from chosen c
        where d.id = c.id and d.status = 'pending' and d.claim is null
        returning d.id, d.event_id, d.tries, d.is_urgent, d.due_at
      )
      select h.state, h.url, h.secret_sealed as "secretSealed", h.previous_sealed as "previousSecretSealed",
        h.headers_sealed as "headersSealed", h.max_per_second as "maxPerSecond", h.consecutive_failures as failures,
        t.id, t.event_id as "eventId", e.body, e.trace, t.tries, t.is_urgent as "isUrgent"
      from hook h left join (taken t join events e on e.id = t.event_id) on true
      order by not t.is_urgent, t.due_at, t.id`,
    values: [webhookId, pumpId, limit],
  });
  const [webhook] = rows;
  return webhook && { webhook, rows: rows.filter((row) => row.id !== null) };
}

/** A webhook after a pump, for its workflow. */
interface NextDue {
  state: SendingWebhook['state'];
  url: string;
  failures: number;
  /** Until a delivery is due, in milliseconds; 0: now; null: none will be. */
  nextInMs: number | null;
  /** Deliveries that wait, counted up to 10,000. */
  waiting: number;
  /** The webhook fails, or was turned off for its failures, and its owner has not been notified. */
  mailDue: boolean;
  /** The answer to the last failed attempt: its status, or why there was none. Both null: none has failed yet. */
  lastFailureCode: number | null;
  lastFailureError: string | null;
  lastFailureAt: Date | null;
}

/** SQL: that a webhook `w` was turned off for its failures, and its owner has not been notified. */
export const offMailIsDue = `w.disabled_reason in ('consecutive_failures', 'gone') and w.deleted_at is null
  and (w.told_at is null or w.told_at < w.disabled_at)`;
/**
 * SQL: that a webhook `w` fails, or failed until it was turned off for that, that its owner has not been notified, and that the
 * last such mail is an hour old.
 */
export const failingMailIsDue = `(w.is_active or w.disabled_reason = 'consecutive_failures') and w.deleted_at is null and w.failing_since is not null
  and (w.warned_at is null or w.warned_at < w.failing_since and w.warned_at < now() - interval '1 hour')`;
/** SQL: that the owner of a webhook `w` has to be notified. */
export const mailIsDue = `(${offMailIsDue} or ${failingMailIsDue})`;

const countedAtMost = 10_000;

/** Reads when a webhook has to send next; undefined where there is no such webhook. */
// By hand: every pump ends with it (bench row W1).
export async function readNextDue(db: Sql, webhookId: string): Promise<NextDue | undefined> {
  const { rows } = await db.query<NextDue>({
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

/** Reads what waits at a webhook: how many deliveries, up to 10,000, and since when the oldest has been due; null: none is due. */
export function readWaiting(
  { kysely }: EntityManager,
  webhookId: string,
): Promise<{ waiting: number; oldestDueAt: Date | null }> {
  // Status and urgency as the indexes say them.
  const pending = kysely
    .selectFrom('Delivery as d')
    .where('d.webhookId', '=', webhookId)
    .where('d.status', '=', sql.lit('pending'));
  const oldest = (isUrgent: boolean) =>
    pending
      .where('d.isUrgent', '=', sql.lit(isUrgent))
      .where('d.dueAt', '<=', sql<Date>`now()`)
      .select('d.dueAt')
      .orderBy('d.dueAt')
      .limit(1);
  return kysely
    .selectNoFrom(({ selectFrom }) => [
      selectFrom(pending.select('d.id').limit(countedAtMost).as('few'))
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('waiting'),
      sql<Date | null>`least(${oldest(true)}, ${oldest(false)})`.as('oldestDueAt'),
    ])
    .executeTakeFirstOrThrow();
}
