import { type Expression, sql } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';

interface Lead {
  /** Subject of the outbox row of its scan: the destination, the link whose expired URL it is, or the domain whose fallback it is. */
  subjectId: string;
  /** Null: a domain's fallback. */
  linkId: string | null;
  organizationId: string;
}

/**
 * Kysely: live links and domains that lead to the URL with a hash: by a destination (of the link or of a rule), one of its deep
 * links, the link's expired URL, or the domain's fallback. Each way has an index.
 */
export function leadingTo(kysely: EntityManager['kysely'], urlHash: Expression<Uint8Array | null>) {
  const destinations = kysely
    .selectFrom('Destination as d')
    .innerJoin('ShortLink as l', (on) => on.onRef('l.id', '=', 'd.link').on('l.deletedAt', 'is', null))
    .select(['d.id as subjectId', 'l.id as linkId', 'l.organization as organizationId'])
    .$castTo<Lead>();
  const links = kysely
    .selectFrom('ShortLink as l')
    .select(['l.id as subjectId', 'l.id as linkId', 'l.organization as organizationId'])
    .where('l.expiredUrl', 'is not', null)
    .where('l.deletedAt', 'is', null)
    .where(({ ref }) => sql<boolean>`hash_of_url(${ref('l.expiredUrl')}) = ${urlHash}`)
    .$castTo<Lead>();
  const domains = kysely
    .selectFrom('Domain as f')
    .select(['f.id as subjectId', sql`null::uuid`.as('linkId'), 'f.organization as organizationId'])
    .where('f.fallbackUrl', 'is not', null)
    .where('f.deletedAt', 'is', null)
    .where('f.organization', 'is not', null)
    .where(({ ref }) => sql<boolean>`hash_of_url(${ref('f.fallbackUrl')}) = ${urlHash}`)
    .$castTo<Lead>();
  return destinations
    .where('d.urlHash', '=', urlHash)
    .unionAll(
      destinations
        .where('d.deepLinkHashes', 'is not', null)
        .where(({ ref }) => sql<boolean>`${ref('d.deepLinkHashes')} @> array[${urlHash}]`),
    )
    .unionAll(links)
    .unionAll(domains);
}
