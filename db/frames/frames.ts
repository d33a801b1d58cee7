import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Destination } from '#db/entities/links/links.ts';

/** Finds which of some links are cloaked and live. */
export function listCloakedLinks(em: EntityManager, ids: readonly string[]) {
  return em.kysely
    .selectFrom('ShortLink as l')
    .innerJoin('Domain as d', 'd.id', 'l.domain')
    .select(['l.id', 'l.organization as organizationId', 'l.domain as domainId', 'd.domain', 'l.slug'])
    .where('l.id', 'in', ids)
    .where('l.cloaking', '=', true)
    .where('l.deletedAt', 'is', null)
    .execute();
}

/** Lists the web addresses of a link and its rules, up to `limit`. */
export async function listFramedDestinations(em: EntityManager, link: string, limit: number) {
  const rows = await em.find(
    Destination,
    { link, type: 'link', urlHash: { $ne: null } },
    { limit, orderBy: { id: 'asc' }, fields: ['id', 'value', 'urlHash'] },
  );
  return rows.map(({ id, value, urlHash }) => ({ id, url: value, urlHash: Buffer.from(urlHash!) }));
}

/** Stores whether an address refuses frames, unless the destination leads elsewhere meanwhile. @returns whether it was stored. */
export async function storeFrames(
  em: EntityManager,
  { id, urlHash }: { id: string; urlHash: Buffer },
  isRefused: boolean,
): Promise<boolean> {
  const changed = await em.nativeUpdate(Destination, { id, urlHash }, { framesRefusedBy: isRefused ? urlHash : null });
  return changed > 0;
}
