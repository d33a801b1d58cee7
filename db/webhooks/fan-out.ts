import type { Sql } from '#db/connection/database.ts';
import { channels, notify } from '#db/notifications/notify.ts';
import { onEnqueuedAgain } from '#db/outbox.ts';
import { isInScope } from './scopes.ts';
import { isSending, mailIsDue } from './deliveries/sending.ts';

/** SQL: enqueues the webhooks of `touched`. Lock order: outbox rows by kind and subject (docs/locks.md). */
const enqueueTouched = `insert into outbox (kind, subject_id)
  select distinct 'webhook', webhook_id from touched order by 2 ${onEnqueuedAgain}`;

/**
 * Makes deliveries of queued events, oldest first, for the active webhooks that are subscribed to them, and enqueues those
 * webhooks. One statement, so that an event has all its deliveries or stays queued; a second fan-out of an event adds none.
 * @returns the number of events; fewer than `limit`: none is left.
 */
// By hand: one statement makes thousands of deliveries (bench row W1).
export async function fanOut(db: Sql, limit: number): Promise<number> {
  const { rows } = await db.query<{ events: number }>({
    name: 'fan_out',
    text: `
      with taken as (
        delete from event_queue where event_id in (
          select event_id from event_queue order by event_id limit $1 for update skip locked)
        returning event_id
      ), touched as (
        insert into deliveries (id, webhook_id, event_id, type, due_at)
        select new_id(), w.id, e.id, e.type, now()
        from (select event_id from taken order by event_id) t
        join events e on e.id = t.event_id
        join webhooks w on w.organization_id = e.organization_id and w.is_active and w.deleted_at is null
          and e.type = any(w.events) and ${isInScope}
        on conflict (event_id, webhook_id) do nothing
        returning webhook_id
      ), woken as (${enqueueTouched})
      select count(*) as events from taken`,
    values: [limit],
  });
  return rows[0]!.events;
}

/**
 * Enqueues webhooks that have been due for `overdueMs` and that no pump has read for `unseenMs`: a wake-up was lost, or
 * Temporal's state was.
 * @returns the number of webhooks.
 */
// By hand: every relay looks for overdue webhooks every few seconds, beside deliveries that wait in thousands (bench row W1, idle).
export async function requeueOverdueWebhooks(
  db: Sql,
  { overdueMs, unseenMs, limit }: { overdueMs: number; unseenMs: number; limit: number },
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'webhooks_overdue',
    text: `
      with touched as materialized (
        select w.id as webhook_id from webhooks w join organizations o on o.id = w.organization_id
        where (w.looked_at is null or w.looked_at < now() - $2 * interval '1 millisecond') and (
          ${mailIsDue} and coalesce(w.looked_at, w.disabled_at) < now() - interval '10 minutes'
          or ${isSending} and coalesce(w.next_probe_at, 'epoch') < now() - $1 * interval '1 millisecond' and (
            exists (select 1 from deliveries d where d.webhook_id = w.id and d.status = 'pending'
              and not d.is_urgent and d.due_at < now() - $1 * interval '1 millisecond')
            or exists (select 1 from deliveries d where d.webhook_id = w.id and d.status = 'pending'
              and d.is_urgent and d.due_at < now() - $1 * interval '1 millisecond')
          )
        )
        order by w.looked_at nulls first limit $3
      )
      ${enqueueTouched}`,
    values: [overdueMs, unseenMs, limit],
  });
  return rowCount ?? 0;
}

// The payload of a notification holds 8,000 bytes, an id 36.
const idsAtOnce = 200;

/**
 * Takes the webhooks whose workflows have to be woken, deleted ones too, so that their workflows end. A pump at work is notified
 * instead. A paused webhook, and a failing one until its next probe, is woken by changes of it and by
 * deliveries that a call asked for, not by each event. If the pump ends at that moment no delivery is lost: its workflow reads the next due delivery after every pump (`readNextDue`).
 */
// By hand: it runs with every batch of the relay (bench row W1).
export async function takeWakeTargets(db: Sql, ids: readonly string[]) {
  const { rows } = await db.query<{ id: string; organizationId: string; url: string; isPumping: boolean }>({
    name: 'webhook_wake_targets',
    text: `select id, organization_id as "organizationId", url,
        deleted_at is null and is_pumping and looked_at >= now() - interval '15 seconds' as "isPumping"
      from webhooks where id = any($1::uuid[])
        and (deleted_at is not null or looked_at is null or looked_at <= updated_at
          or not is_paused and (not is_active or coalesce(next_probe_at, 'epoch') <= now()
            or exists (select from deliveries d where d.webhook_id = webhooks.id and d.status = 'pending' and d.is_urgent)))`,
    values: [ids],
  });
  await notifyRunningPumps(
    db,
    rows.filter(({ isPumping }) => isPumping).map(({ id }) => id),
  );
  return rows
    .filter(({ isPumping }) => !isPumping)
    .map(({ id, organizationId, url }) => ({ id, organizationId, host: new URL(url).host }));
}

/** Notifies the pumps of these webhooks, in every process, that there may be more to send. */
async function notifyRunningPumps(db: Sql, webhookIds: readonly string[]): Promise<void> {
  for (let from = 0; from < webhookIds.length; from += idsAtOnce) {
    await notify(db, channels.deliveries, webhookIds.slice(from, from + idsAtOnce).join(','));
  }
}
