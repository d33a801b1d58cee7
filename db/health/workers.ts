import { type InferEntity, raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Worker } from '#db/entities/installation.ts';

/** Stores a heartbeat, at the database's time. Removes workers without one for an hour. */
export async function storeWorkerBeat(
  em: EntityManager,
  worker: Omit<InferEntity<typeof Worker>, 'startedAt' | 'heardAt'>,
): Promise<void> {
  const beat = { ...worker, heardAt: sql<Date>`now()` };
  await em.kysely
    .insertInto('Worker')
    .values(beat)
    .onConflict((known) => known.column('id').doUpdateSet(beat))
    .execute();
  // A choice: long enough to be noticed on a dashboard, short enough that past crashes do not gather there.
  await em.nativeDelete(Worker, { heardAt: { $lt: raw(`now() - interval '1 hour'`) } });
}

/** Lists the workers of the last hour, the latest heartbeat first; `silentMs` is its age by the database's clock. */
export function listWorkers(em: EntityManager) {
  return em.kysely
    .selectFrom('Worker')
    .selectAll()
    .select(({ ref }) =>
      sql<number>`greatest(extract(epoch from now() - ${ref('heardAt')}) * 1000, 0)::float8`.as('silentMs'),
    )
    .orderBy('heardAt', 'desc')
    .orderBy('id')
    .execute();
}
