import { sql } from 'kysely';
import { firstIdAt } from '#core/lib/uuid.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

/** How long events, deliveries and attempts are stored, in days (12.4). */
export const eventsKeptDays = 30;

/**
 * Deletes at most `limit` events, and `limit` deliveries with their attempts, that are older than 30 days. An event stays as long
 * as a delivery of it: a recovery makes deliveries much later (6.5). @returns whether there may be more.
 */
export async function forgetOldEvents({ kysely }: EntityManager, limit: number): Promise<boolean> {
  const first = firstIdAt(Date.now() - eventsKeptDays * 24 * 60 * 60 * 1_000);
  const { deliveries, events } = await kysely
    .with('gone_deliveries', (db) =>
      db
        .deleteFrom('Delivery')
        .where('id', 'in', db.selectFrom('Delivery').select('id').where('id', '<', first).orderBy('id').limit(limit))
        .returning('id'),
    )
    .with('gone_attempts', (db) =>
      db.deleteFrom('DeliveryAttempt').where('deliveryId', 'in', db.selectFrom('gone_deliveries').select('id')),
    )
    .with('gone_events', (db) =>
      db
        .deleteFrom('Event')
        .where('id', 'in', ({ selectFrom }) =>
          selectFrom('Event as e')
            .select('e.id')
            .where('e.id', '<', first)
            .where(({ exists, not, selectFrom }) =>
              not(exists(selectFrom('Delivery as d').select('d.id').whereRef('d.event', '=', 'e.id'))),
            )
            .orderBy('e.id')
            .limit(limit),
        )
        .returning('id'),
    )
    .with('gone_scopes', (db) =>
      db.deleteFrom('EventScope').where('eventId', 'in', db.selectFrom('gone_events').select('id')),
    )
    .with('gone_queue', (db) => db.deleteFrom('QueuedEvent').where('eventId', '<', first))
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('gone_deliveries').select(countOfRows).$asScalar().$notNull().as('deliveries'),
      selectFrom('gone_events').select(countOfRows).$asScalar().$notNull().as('events'),
    ])
    .executeTakeFirstOrThrow();
  return deliveries >= limit || events >= limit;
}

const countOfRows = sql<number>`count(*)`.as('count');
