import type { Sql } from '#db/connection/database.ts';

/** SQL of a set of well-formed UUIDs, as one text: a hundred thousand literals would take the server seconds to read. */
export function idsSql(ids: Iterable<string>): string {
  return `(select arrayJoin(arrayMap(id -> toUUID(id), splitByChar(',', '${[...new Set(ids)].join(',')}'))))`;
}

/** SQL: that a click `c` is of no deleted link. PostgreSQL knows these: their ids stand in the text. */
// By hand: each query of statistics runs it (bench row A2).
export async function isOfLiveLink(sql: Sql, organizationId: string): Promise<string> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'stats-hidden-links',
    text: 'select link_id as id from hidden_links where organization_id = $1',
    values: [organizationId],
  });
  return rows.length === 0 ? 'true' : `c.link_id not in ${idsSql(rows.map(({ id }) => id))}`;
}
