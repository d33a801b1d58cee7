import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lockTable } from '#db/connection/locks.ts';
import { slugKey } from '#core/links/slugs/slug.ts';
import { Domain } from '#db/entities/domains.ts';
import { TakenDownName } from '#db/entities/links/links.ts';
import { notifyLinks } from '#db/notifications/notify.ts';
import { slugKeyOf } from './slug-key.ts';

/**
 * SQL: whether the name of a new link is one that staff took down (10.5). A scalar subquery, so that the plan stays one look into the
 * index for each row, which finds nothing. `for key share` locks the table against `keepTakenDownName`, also where no row is found.
 */
export const isTakenDownName = (domainId: string, slug: string): string => `
  (select true from taken_down_names t join domains d on d.domain = t.domain
    where t.slug_key = ${slugKeyOf(slug)} and d.id = ${domainId} limit 1 for key share of t) is not null`;

/**
 * Keeps the name of a link that staff took down from other links. Waits for calls that have looked for the name before, so that none of
 * them gives it to another link once the locked link leaves it.
 */
export async function keepTakenDownName(
  em: EntityManager,
  link: { id: string; organizationId: string; domain: string; slug: string },
  now: Date,
): Promise<void> {
  const { id: linkId, organizationId, domain, slug } = link;
  // Backups, which lock it in ACCESS SHARE mode, do not wait.
  await lockTable(em, 'taken_down_names', 'exclusive');
  const row = { slugKey: slugKey(slug), domain, linkId, organizationId, takenDownAt: now };
  await em.upsert(TakenDownName, row, { disableIdentityMap: true });
}

/** Gives the names back that a taken-down link had, and notifies edges. @returns the organization of the link; undefined: it kept none. */
export async function releaseTakenDownNames(em: EntityManager, linkId: string): Promise<string | undefined> {
  const kept = await em.find(TakenDownName, { linkId });
  await em.nativeDelete(TakenDownName, { linkId });
  const domains = await em.find(Domain, { domain: { $in: kept.map(({ domain }) => domain) } });
  const changed = kept.flatMap(({ domain, slugKey: slug }) =>
    domains.filter((served) => served.domain === domain).map(({ id: domainId }) => ({ domainId, slug })),
  );
  await notifyLinks(em, changed);
  return kept[0]?.organizationId;
}

/** Whether another link with this name was taken down by staff. Until the transaction ends, none is taken down. */
export async function isNameTakenDown(
  em: EntityManager,
  { domain, slug, linkId }: { domain: string; slug: string; linkId: string },
): Promise<boolean> {
  const kept = await em.kysely
    .selectFrom('TakenDownName')
    .select('linkId')
    .where('slugKey', '=', slugKey(slug))
    .where('domain', '=', domain)
    .where('linkId', '!=', linkId)
    .limit(1)
    .forKeyShare()
    .executeTakeFirst();
  return kept !== undefined;
}
