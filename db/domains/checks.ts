import { raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Domain } from '#db/entities/domains.ts';
import { requeueFound } from '#db/outbox-rows.ts';

/** Reads the domains whose workflows are to be woken; deleted ones too, so that their workflows end. */
export function listDomainTargets(em: EntityManager, ids: readonly string[]) {
  return em.kysely
    .selectFrom('Domain')
    .select(({ ref }) => ['id', ref('organization').$notNull().as('organizationId'), 'domain'])
    .where('id', 'in', ids)
    .where('organization', 'is not', null)
    .execute();
}

/**
 * Enqueues domains whose check is overdue: a wake-up was lost, or Temporal's state was. At most `limit` of them are under way
 * at once, so that a slow machine is not flooded; a domain that is still overdue after `againMs` gives up its place, and comes
 * after all others.
 * @returns how many.
 */
export function requeueOverdueDomains(
  em: EntityManager,
  { overdueMs, againMs, limit }: { overdueMs: number; againMs: number; limit: number },
): Promise<number> {
  const ago = (ms: number) => sql<Date>`now() - ${ms} * interval '1 millisecond'`;
  return requeueFound(em, 'domain', async (em) => {
    const overdue = em.kysely
      .selectFrom('Domain')
      .where('deletedAt', 'is', null)
      .where('nextCheckAt', '<', ago(overdueMs));
    const { underWay } = await overdue
      .select(({ fn }) => fn.countAll<number>().as('underWay'))
      .where('requeuedAt', '>=', ago(againMs))
      .executeTakeFirstOrThrow();
    // Relays of several processes skip the rows that one of them holds.
    const domains = await overdue
      .select('id')
      .where(({ eb, or }) => or([eb('requeuedAt', 'is', null), eb('requeuedAt', '<', ago(againMs))]))
      .orderBy('requeuedAt', (by) => by.asc().nullsFirst())
      .orderBy('nextCheckAt')
      .limit(Math.max(limit - underWay, 0))
      .forNoKeyUpdate()
      .skipLocked()
      .execute();
    await em.nativeUpdate(Domain, { id: domains.map(({ id }) => id) }, { requeuedAt: raw('now()') });
    return domains;
  });
}
