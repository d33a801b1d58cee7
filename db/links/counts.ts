import type { EntityManager } from '#db/connection/entity-manager.ts';

/** Counts the live links on domains, or in folders. @returns by id; those without links are not among them. */
export async function countLinksOf(
  { kysely }: EntityManager,
  owner: 'domain' | 'folder',
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await kysely
    .selectFrom('ShortLink')
    .select(({ fn }) => [`${owner} as id` as const, fn.countAll<number>().as('links')])
    .where(owner, 'in', ids)
    .where('deletedAt', 'is', null)
    .groupBy(owner)
    .execute();
  return new Map(rows.map(({ id, links }) => [id, links]));
}
