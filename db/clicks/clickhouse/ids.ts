import type { EntityManager } from '#db/connection/entity-manager.ts';

/** SQL of a set of well-formed UUIDs, as one text: a hundred thousand literals would take the server seconds to read. */
export function idsSql(ids: Iterable<string>): string {
  return `(select arrayJoin(arrayMap(id -> toUUID(id), splitByChar(',', '${[...new Set(ids)].join(',')}'))))`;
}

/** SQL: that a click `c` is of no deleted link. PostgreSQL knows these: their ids stand in the text. */
export async function isOfLiveLink(em: EntityManager, organizationId: string): Promise<string> {
  const rows = await em.kysely
    .selectFrom('HiddenLink')
    .select('linkId')
    .where('organizationId', '=', organizationId)
    .execute();
  return rows.length === 0 ? 'true' : `c.link_id not in ${idsSql(rows.map(({ linkId }) => linkId))}`;
}
