import type { DomainRow } from '#db/links/references.ts';
import type { Sql } from '#db/connection/database.ts';
import { slugKeyOf } from '#db/links/slug-key.ts';

// By hand, as below: each batch of an import runs them (bench row V1).
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
