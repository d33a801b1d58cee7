import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { slugKeyOf } from '#db/links/slugs/slug-key.ts';

/** Finds the domains of an organization, and those of the platform. */
export function findOwnDomains(em: EntityManager, organizationId: string) {
  return em.kysely
    .selectFrom('Domain')
    .select(['id', 'organization as organizationId', 'domain', 'isVerified', 'isActive', 'isPrimary'])
    .where('deletedAt', 'is', null)
    .where(({ eb, or }) => or([eb('organization', '=', organizationId), eb('organization', 'is', null)]))
    .execute();
}

// By hand: each batch of an import looks for hundreds of links by the index of domain and slug (bench row V1).
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
