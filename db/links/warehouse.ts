import { linkFileColumns, type ParquetValue } from '#core/warehouse/columns.ts';
import type { Sql } from '#db/connection/database.ts';

/** Reads live links of an organization for a warehouse, by id, in the order of `linkFileColumns`. */
// By hand: it nests the ids of tags; no benchmark runs it.
export async function readLinksForWarehouse(
  sql: Sql,
  organizationId: string,
  after: string | null,
  limit: number,
): Promise<ParquetValue[][]> {
  const { rows } = await sql.query<Record<string, ParquetValue>>(
    `select l.id, d.domain, l.slug, t.value as destination, l.title, l.external_id, l.folder_id,
       array(select lt.tag_id::text from link_tags lt where lt.link_id = l.id order by lt.position) as tag_ids,
       coalesce(n.clicks, 0) as clicks, l.max_clicks, l.is_active, l.is_archived, l.expires_at, l.created_at, l.updated_at
     from short_links l join domains d on d.id = l.domain_id
       join destinations t on t.link_id = l.id and t.rule_id is null left join link_counters n on n.link_id = l.id
     where l.organization_id = $1 and l.deleted_at is null and ($2::uuid is null or l.id > $2) order by l.id limit $3`,
    [organizationId, after, limit],
  );
  return rows.map((row) => linkFileColumns.map(({ name }) => row[name] ?? null));
}
