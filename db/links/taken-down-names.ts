import type { EntityManager } from '#db/connection/entity-manager.ts';
import { slugKey } from '#core/links/slug.ts';
import { TakenDownName } from '#db/entities/links.ts';
import { slugKeyOf } from './slug-key.ts';

/**
 * SQL: whether the name of a new link is one that staff took down (10.5). A scalar subquery, so that the plan stays one look into the
 * index for each row, which finds nothing.
 */
export const isTakenDownName = (domainId: string, slug: string): string => `
  (select true from taken_down_names t join domains d on d.domain = t.domain
    where t.slug_key = ${slugKeyOf(slug)} and d.id = ${domainId} limit 1) is not null`;

/** Keeps the name of a link that staff took down from other links. */
export async function keepTakenDownName(
  em: EntityManager,
  link: { id: string; organizationId: string; domain: string; slug: string },
  now: Date,
): Promise<void> {
  const { id: linkId, organizationId, domain, slug } = link;
  const row = { slugKey: slugKey(slug), domain, linkId, organizationId, takenDownAt: now };
  await em.upsert(TakenDownName, row, { disableIdentityMap: true });
}

/** Gives the names back that a taken-down link had. @returns the organization of the link; undefined: it kept none. */
export async function releaseTakenDownNames(em: EntityManager, linkId: string): Promise<string | undefined> {
  const kept = await em.findOne(TakenDownName, { linkId });
  await em.nativeDelete(TakenDownName, { linkId });
  return kept?.organizationId;
}

/** Whether another link with this name was taken down by staff. */
export async function isNameTakenDown(
  em: EntityManager,
  { domain, slug, linkId }: { domain: string; slug: string; linkId: string },
): Promise<boolean> {
  return (await em.count(TakenDownName, { slugKey: slugKey(slug), domain, linkId: { $ne: linkId } })) > 0;
}
