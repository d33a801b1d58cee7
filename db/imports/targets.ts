import { sql } from 'kysely';
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

/** Finds an organization's links by domain and slug, with their destinations. */
export async function findLinksAt(
  em: EntityManager,
  organizationId: string,
  places: readonly { domainId: string; slug: string }[],
): Promise<{ id: string; domainId: string; slug: string; type: string; value: string }[]> {
  if (places.length === 0) return [];
  const asked = sql<{ place: string; path: string }>`unnest(${places.map(({ domainId }) => domainId)}::uuid[],
    ${places.map(({ slug }) => slug)}::text[])`.as<'p'>(sql`p(place, path)`);
  return em.kysely
    .selectFrom(asked)
    .innerJoin('ShortLink as l', (on) =>
      on
        .onRef('l.domain', '=', 'p.place')
        .on(sql<boolean>`${sql.raw(slugKeyOf('l.slug'))} = ${sql.raw(slugKeyOf('p.path'))}`)
        .on('l.deletedAt', 'is', null),
    )
    .innerJoin('Destination as s', (on) => on.onRef('s.link', '=', 'l.id').on('s.rule', 'is', null))
    .select(['l.id', 'l.domain as domainId', 'l.slug', 's.type', 's.value'])
    .where('l.organization', '=', organizationId)
    .execute();
}
