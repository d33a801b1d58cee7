import { sql } from 'kysely';
import { type EventType, eventTypes } from '#core/webhooks/events.ts';
import { clickEventsLockClass, clickEventsLockEpochS } from '#db/clicks/events.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Position } from '#db/connection/lists/paging.ts';

// Choices. A call sets the time of its events before its transaction begins, by the clock of its process.
const settleSeconds = 10;
// A transaction writes within a minute, or reads only, as exports do: `statement_timeout` ends those of calls much earlier.
const silentSeconds = 60;

/**
 * Reads the moment before which no further event can appear: 10 seconds before now, and before the begin of the oldest transaction
 * that may write events. An edge with a database role of its own does not show when its transactions began, so each ingest
 * holds an advisory lock that does. Call it before the statement that lists events, not inside of it: what is committed between
 * snapshot and look would be in neither.
 */
export async function readEventsSettledAt(em: EntityManager): Promise<Date> {
  const { settledAt } = await em.kysely
    .selectNoFrom(
      sql<Date>`date_trunc('milliseconds', least(
        now(),
        (select min(xact_start) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and backend_type = 'client backend'
          and (backend_xid is not null or xact_start > now() - ${silentSeconds} * interval '1 second')),
        (select to_timestamp(min(objid::bigint) + ${clickEventsLockEpochS}) from pg_locks where locktype = 'advisory' and objsubid = 2
          and classid = ${clickEventsLockClass} and database = (select oid from pg_database where datname = current_database()))
      ) - ${settleSeconds} * interval '1 second')`.as('settledAt'),
    )
    .executeTakeFirstOrThrow();
  return new Date(settledAt);
}

/** Lists stored events of an organization, each with the `body` that webhooks receive, by time and id, the earliest first: those at or after `since`, or after a position. */
export function listEvents(
  em: EntityManager,
  organizationId: string,
  { from, type, settledAt, limit }: { from: Position; type: EventType | undefined; settledAt: Date; limit: number },
) {
  return em.kysely
    .selectFrom('Event')
    .select(['id', 'body', 'createdAt'])
    .where('organizationId', '=', organizationId)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('createdAt', 'id'), '>', tuple(new Date(from.atMs), from.id)))
    .where('createdAt', '<', settledAt)
    .where('type', 'in', type === undefined ? [...eventTypes] : [type])
    .orderBy('createdAt')
    .orderBy('id')
    .limit(limit)
    .execute();
}
