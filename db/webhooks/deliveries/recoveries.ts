import { LockMode } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { testEventType } from '#core/webhooks/events.ts';
import { anyId } from '#db/any-of.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Webhook, WebhookRecovery } from '#db/entities/webhooks.ts';
import { enqueue } from '#db/outbox.ts';
import { isInScope } from '#db/webhooks/scopes.ts';

// As the fan-out's: see relay/webhooks.ts.
const batchTransaction = { plans: 'indexes-only' } as const;
const clocksDifferMs = 60_000;

/**
 * Makes the next `limit` deliveries of one recovery (6.5): of each event since the recovery's start that the webhook is subscribed
 * to now, or that is a test of it, and has not answered with a 2xx. The row keeps the position, so any process may continue it.
 * @returns whether there may be more.
 */
export async function recoverSome(em: EntityManager, limit: number): Promise<boolean> {
  return em.transactional(async (em) => {
    // Skips what another process recovers now.
    const options = { orderBy: { createdAt: 'asc' }, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE } as const;
    const [recovery] = await em.find(WebhookRecovery, {}, { ...options, limit: 1 });
    if (recovery === undefined) return false;
    const isWanted = (await em.count(Webhook, { id: recovery.webhookId, isActive: true })) > 0;
    const done = isWanted ? (await recoverBatch(em, recovery, limit)) < limit : true;
    if (done) em.remove(recovery);
    return true;
  }, batchTransaction);
}

/** @returns the number of events that it looked at; fewer than `limit`: these were the last. */
async function recoverBatch(em: EntityManager, recovery: WebhookRecovery, limit: number): Promise<number> {
  const { webhookId, afterAt, afterId, until } = recovery;
  const missed = await em.kysely
    .selectFrom('Webhook as w')
    .innerJoin('Event as e', 'e.organizationId', 'w.organization')
    .select(({ ref }) => [
      'e.id',
      'e.createdAt',
      sql<boolean>`${ref('e.type')} = any(${ref('w.events')}) and ${sql.raw(isInScope)}`.as('isSubscribed'),
    ])
    .where('w.id', '=', webhookId)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('e.createdAt', 'e.id'), '>', tuple(afterAt, afterId)))
    .where('e.createdAt', '<=', new Date(until.getTime() + clocksDifferMs))
    .orderBy('e.createdAt')
    .orderBy('e.id')
    .limit(limit)
    .execute();
  const last = missed.at(-1);
  if (last === undefined) return 0;
  const now = sql<Date>`now()`;
  const made = await em.kysely
    .insertInto('Delivery')
    .columns(['id', 'webhookId', 'event', 'type', 'dueAt'])
    .expression(({ selectFrom }) =>
      selectFrom('Event as e')
        .select([sql`new_id()`.as('id'), sql`${webhookId}::uuid`.as('webhookId'), 'e.id as eventId', 'e.type'])
        .select(now.as('dueAt'))
        .where('e.id', '=', anyId(missed.map(({ id }) => id)))
        .where(({ and, eb, exists, or, selectFrom }) =>
          or([
            eb('e.id', '=', anyId(missed.filter(({ isSubscribed }) => isSubscribed).map(({ id }) => id))),
            // Test events come in any case (6.13), to the webhook that they were made for.
            and([
              eb('e.type', '=', testEventType),
              exists(
                selectFrom('Delivery as d')
                  .select('d.id')
                  .whereRef('d.event', '=', 'e.id')
                  .where('d.webhookId', '=', webhookId),
              ),
            ]),
          ]),
        )
        .orderBy('e.createdAt')
        .orderBy('e.id'),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['event', 'webhookId'])
        .doUpdateSet({ status: 'pending', tries: 0, dueAt: now, claim: null })
        .where('Delivery.status', 'in', ['failed', 'held'])
        // A redelivery of a delivered event may have failed.
        .where(({ exists, not, selectFrom }) =>
          not(
            exists(
              selectFrom('DeliveryAttempt as a')
                .select('a.number')
                .whereRef('a.deliveryId', '=', 'Delivery.id')
                .where(({ between }) => between('a.code', 200, 299)),
            ),
          ),
        ),
    )
    .returning('id')
    .execute();
  if (made.length > 0) await enqueue(em, 'webhook', [webhookId]);
  Object.assign(recovery, { afterAt: last.createdAt, afterId: last.id });
  return missed.length;
}
