import type { DomainRow } from '#db/links/references.ts';
import type { Sql } from '#db/connection/database.ts';
import { slugKeyOf } from '#db/links/slug-key.ts';

/** Finds the domains of an organization, and those of the platform. */
export async function findOwnDomains(sql: Sql, organizationId: string): Promise<DomainRow[]> {
  const { rows } = await sql.query<DomainRow>(
    `select id, organization_id as "organizationId", domain, is_verified as "isVerified", is_active as "isActive",
       is_primary as "isPrimary", created_at as "createdAt", null as "qrOptions", null as "qrImageId"
     from domains where deleted_at is null and (organization_id = $1 or organization_id is null)`,
    [organizationId],
  );
  return rows;
}

/** Finds an organization's folders by their folded names, and locks them against deletion. */
export async function findOwnFolders(
  sql: Sql,
  organizationId: string,
  nameKeys: readonly string[],
): Promise<{ id: string; nameKey: string }[]> {
  if (nameKeys.length === 0) return [];
  const { rows } = await sql.query<{ id: string; nameKey: string }>(
    `select id, name_key as "nameKey" from folders
     where organization_id = $1 and name_key = any($2::text[]) and deleted_at is null for key share`,
    [organizationId, nameKeys],
  );
  return rows;
}

/** Removes folders that the same transaction created. */
export async function removeFolders(tx: Sql, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.query('delete from folders where id = any($1::uuid[])', [ids]);
}

/** Finds an organization's links by domain and slug, with their destinations. */
export async function findLinksAt(
  sql: Sql,
  organizationId: string,
  places: readonly { domainId: string; slug: string }[],
): Promise<{ id: string; domainId: string; slug: string; type: string; value: string }[]> {
  if (places.length === 0) return [];
  const { rows } = await sql.query<{ id: string; domainId: string; slug: string; type: string; value: string }>(
    `select l.id, l.domain_id as "domainId", l.slug, s.type, s.value
     from unnest($2::uuid[], $3::text[]) p (domain_id, slug)
     join short_links l on l.domain_id = p.domain_id and ${slugKeyOf('l.slug')} = ${slugKeyOf('p.slug')} and l.deleted_at is null
     join destinations s on s.link_id = l.id and s.rule_id is null
     where l.organization_id = $1`,
    [organizationId, places.map(({ domainId }) => domainId), places.map(({ slug }) => slug)],
  );
  return rows;
}
