import { sql } from 'kysely';
import { snakeCase } from '#core/lib/text/snake-case.ts';
import { linkFileColumns, type ParquetValue } from '#core/warehouse/columns.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

/** Reads live links of an organization for a warehouse, by id, in the order of `linkFileColumns`. */
export async function readLinksForWarehouse(
  em: EntityManager,
  organizationId: string,
  after: string | null,
  limit: number,
): Promise<ParquetValue[][]> {
  let links = em.kysely
    .selectFrom('ShortLink as l')
    .innerJoin('Domain as d', 'd.id', 'l.domain')
    .innerJoin('Destination as t', (on) => on.onRef('t.link', '=', 'l.id').on('t.rule', 'is', null))
    .leftJoin('LinkCounter as n', 'n.linkId', 'l.id')
    .select(['l.id', 'd.domain', 'l.slug', 't.value as destination', 'l.title', 'l.externalId', 'l.folder as folderId'])
    .select(['l.maxClicks', 'l.isActive', 'l.isArchived', 'l.expiresAt', 'l.createdAt', 'l.updatedAt'])
    .select(({ fn, val }) => [
      fn.coalesce('n.clicks', val(0)).as('clicks'),
      sql<string[]>`array(select tag_id::text from link_tags where link_id = l.id order by position)`.as('tagIds'),
    ])
    .where('l.organization', '=', organizationId)
    .where('l.deletedAt', 'is', null)
    .orderBy('l.id')
    .limit(limit);
  if (after !== null) links = links.where('l.id', '>', after);
  return (await links.execute()).map((row) => {
    const values = new Map<string, ParquetValue>(Object.entries(row).map(([name, value]) => [snakeCase(name), value]));
    return linkFileColumns.map(({ name }) => values.get(name) ?? null);
  });
}
