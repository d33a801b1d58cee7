import { LockMode } from '@mikro-orm/postgresql';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Webhook, WebhookRecovery } from '#db/entities/webhooks.ts';
import { enqueueTouched } from './events.ts';
import { isInScope } from './scopes.ts';

// As the fan-out's: see relay/webhooks.ts.
const batchTransaction = { plans: 'indexes-only' } as const;

/**
 * Makes the next `limit` deliveries of one recovery (6.5): of each event since the recovery's start that the webhook has not
 * answered with a 2xx. The row keeps the position, so any process may continue it.
 * @returns whether there may be more.
 */
export async function recoverSome(em: EntityManager, limit: number): Promise<boolean> {
  return em.transactional(async (em) => {
    // Skips what another process recovers now.
    const options = { orderBy: { createdAt: 'asc' }, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE } as const;
    const [recovery] = await em.find(WebhookRecovery, {}, { ...options, limit: 1 });
    if (recovery === undefined) return false;
    const { webhookId } = recovery;
    const isWanted = (await em.count(Webhook, { id: webhookId, isActive: true })) > 0;
    const done = isWanted ? (await recoverBatch(em, webhookId, limit)) < limit : true;
    if (done) em.remove(recovery);
    return true;
  }, batchTransaction);
}

/** @returns the number of events that it looked at; fewer than `limit`: these were the last. */
// By hand: one statement makes thousands of deliveries, as the fan-out does; no benchmark runs it.
async function recoverBatch(tx: Sql, webhookId: string, limit: number): Promise<number> {
  const { rows } = await tx.query<{ events: number }>({
    name: 'recover_batch',
    text: `
      with missed as materialized (
        select e.id, e.type, e.created_at, e.type = any(w.events) and ${isInScope} as is_subscribed
        from webhook_recoveries r
        join webhooks w on w.id = r.webhook_id
        join events e on e.organization_id = w.organization_id
          and (e.created_at, e.id) > (r.after_at, r.after_id) -- A minute: the clocks of processes differ.
          and e.created_at <= r.until + interval '1 minute'
        where r.webhook_id = $1
        order by e.created_at, e.id limit $2
      ), touched as (
        insert into deliveries as d (id, webhook_id, event_id, type, due_at)
        select new_id(), $1, m.id, m.type, now() from (select * from missed order by created_at, id) m
        where m.is_subscribed or exists (select 1 from deliveries o where o.event_id = m.id and o.webhook_id = $1)
        on conflict (event_id, webhook_id) do update set status = 'pending', tries = 0, due_at = now(), claim = null
          where d.status in ('failed', 'held')
        returning webhook_id
      ), woken as (${enqueueTouched}), moved as (
        update webhook_recoveries r set after_at = m.created_at, after_id = m.id
        from (select created_at, id from missed order by created_at desc, id desc limit 1) m where r.webhook_id = $1
      )
      select count(*) as events from missed`,
    values: [webhookId, limit],
  });
  return rows[0]!.events;
}
