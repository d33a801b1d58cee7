import type { EntityManager } from '#db/connection/entity-manager.ts';

/** Which of some organizations are premium. */
export async function listPremium(em: EntityManager, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await em.kysely
    .selectFrom('Organization')
    .select('id')
    .where('id', 'in', ids)
    .where('plan', '=', 'premium')
    .execute();
  return new Set(rows.map(({ id }) => id));
}
