import { type InferEntity, raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Worker } from '#db/entities/installation.ts';
import { workerSilentMs } from './readiness.ts';

/** A heartbeat: the row, but for moments, which are the database's. */
interface Beat extends Omit<InferEntity<typeof Worker>, 'startedAt' | 'heardAt' | 'lastTaskAt'> {
  /** Since the worker last began a task, in milliseconds. */
  lastTaskAgoMs: number;
  /** Whether the worker has not taken the place of another one yet. */
  mayReplace: boolean;
}

/**
 * Stores a heartbeat, at the database's time. Removes workers without one for an hour, and one that fell silent before this worker
 * began, of the same machine where there is one: this worker has come in its place, and nothing is missing any more.
 * @returns whether it took the place of one.
 */
export async function storeWorkerBeat(
  em: EntityManager,
  { lastTaskAgoMs, mayReplace, ...worker }: Beat,
): Promise<boolean> {
  const beat = {
    ...worker,
    heardAt: sql<Date>`now()`,
    lastTaskAt: sql<Date>`now() - ${lastTaskAgoMs} * interval '1 millisecond'`,
  };
  const { startedAt } = await em.kysely
    .insertInto('Worker')
    .values(beat)
    .onConflict((known) => known.column('id').doUpdateSet(beat))
    .returning('startedAt')
    .executeTakeFirstOrThrow();
  // Long enough to be noticed on a dashboard, short enough that past crashes do not gather there.
  await em.nativeDelete(Worker, { heardAt: { $lt: raw(`now() - interval '1 hour'`) } });
  if (!mayReplace) return false;
  const replaced = await em.kysely
    .deleteFrom('Worker')
    .where('id', '=', ({ selectFrom, ref }) =>
      selectFrom('Worker')
        .select('id')
        .where('heardAt', '<', sql<Date>`now() - ${workerSilentMs} * interval '1 millisecond'`)
        .where('heardAt', '<', startedAt)
        .orderBy(sql`${ref('host')} = ${worker.host} desc`)
        .orderBy('heardAt')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst();
  return replaced.numDeletedRows > 0n;
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
