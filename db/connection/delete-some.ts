import { type RawBuilder, sql } from 'kysely';
import type { EntityManager, Tables } from './entity-manager.ts';

const ctid = sql<string>`ctid`;

/**
 * Deletes some rows of a table, found by their place on disk: no index of the condition is passed twice, and no id is sent.
 * @param condition SQL. @returns how many; fewer than `limit`: none is left.
 */
export async function deleteSome(
  em: EntityManager,
  table: keyof Tables,
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const some = em.kysely
    .selectFrom(table)
    .select(ctid.as('ctid'))
    .where(condition as RawBuilder<boolean>)
    .limit(limit);
  const { numDeletedRows } = await em.kysely
    .deleteFrom(table)
    .where(ctid, '=', sql<string>`any(array(${some}))`)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
