import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { ShortAddress } from '#core/links/site.ts';
import { slugKey } from '#core/links/slug.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { slugKeyOf } from './slug-key.ts';

/** What a link is looked up by. `short`: host and slug that `url` has, where it may be a short URL. */
export type LookedUp = { externalId: string } | ShortAddress | { url: string; short: ShortAddress | undefined };

/** Finds a live link of an organization; the most recent one of those that lead to a URL. @returns its id. */
export async function findLink(em: EntityManager, organizationId: string, by: LookedUp): Promise<string | undefined> {
  if ('url' in by) {
    const named = by.short && (await findLink(em, organizationId, by.short));
    return named ?? findByDestination(em, organizationId, by.url);
  }
  const links = linksOf(em, organizationId);
  if ('externalId' in by) return (await links.where('l.externalId', '=', by.externalId).executeTakeFirst())?.id;
  const found = await links
    .innerJoin('Domain as d', 'd.id', 'l.domain')
    .where('d.domain', '=', by.host)
    .where('d.deletedAt', 'is', null)
    .where(sql<string>`${sql.raw(slugKeyOf('l.slug'))}`, '=', slugKey(by.slug))
    // A domain of the organization comes before a platform domain of the same name.
    .orderBy(sql`d.organization_id is null`)
    .limit(1)
    .executeTakeFirst();
  return found?.id;
}

async function findByDestination(em: EntityManager, organizationId: string, url: string): Promise<string | undefined> {
  const found = await linksOf(em, organizationId)
    .innerJoin('Destination as s', 's.link', 'l.id')
    .where('s.rule', 'is', null)
    .where('s.urlHash', '=', hash('sha256', url, 'buffer'))
    .orderBy('l.createdAt', 'desc')
    .orderBy('l.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found?.id;
}

function linksOf(em: EntityManager, organizationId: string) {
  return em.kysely
    .selectFrom('ShortLink as l')
    .select('l.id')
    .where('l.organization', '=', organizationId)
    .where('l.deletedAt', 'is', null);
}
