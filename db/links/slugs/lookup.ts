import { sql } from 'kysely';
import type { ShortAddress } from '#core/links/site.ts';
import { slugKey } from '#core/links/slugs/slug.ts';
import { hashOfUrl } from '#core/threats/url-hash.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { linksWithin } from '#db/links/reach.ts';
import { slugKeyOf } from './slug-key.ts';

/** What a link is looked up by. `short`: host and slug that `url` has, where it may be a short URL. */
export type LookedUp = { externalId: string } | ShortAddress | { url: string; short: ShortAddress | undefined };

type Among = Pick<Actor, 'organizationId' | 'reach'>;

/** Finds a live link that an actor reaches; the most recent one that leads to a URL. @returns its id. */
export async function findLink(em: EntityManager, among: Among, by: LookedUp): Promise<string | undefined> {
  if ('url' in by) {
    const named = by.short && (await findLink(em, among, by.short));
    return named ?? findByDestination(em, among, by.url);
  }
  const links = linksWithin(em, among);
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

async function findByDestination(em: EntityManager, among: Among, url: string): Promise<string | undefined> {
  const found = await linksWithin(em, among)
    .innerJoin('Destination as s', 's.link', 'l.id')
    .where('s.rule', 'is', null)
    .where('s.urlHash', '=', hashOfUrl(url))
    .orderBy('l.createdAt', 'desc')
    .orderBy('l.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found?.id;
}
