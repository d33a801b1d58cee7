import { AppError } from '#core/errors/errors.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Domain } from '#db/entities/domains.ts';
import { ShortLink } from '#db/entities/links/links.ts';
import { keepTakenDownName, releaseTakenDownNames } from '#db/links/slugs/taken-down-names.ts';
import { type LinkView, readLinks } from '#db/links/view.ts';
import type { CreateLinksOptions } from './create/create.ts';
import { notifyLinks } from '#db/notifications/notify.ts';
import { updateLink } from './change/update.ts';

/**
 * Takes a link down: it is off, and only `restoreLink` turns it on again. Its name leads nowhere until then,
 * also where the link is renamed, moved or deleted. A second take-down gives another reason.
 * @param actor staff, with the permissions of an owner. @returns the link. @throws AppError NOT_FOUND.
 */
export async function takeLinkDown(
  em: EntityManager,
  actor: Actor,
  { id, reason }: { id: string; reason: string },
  options: CreateLinksOptions,
): Promise<LinkView> {
  const link = await holdLink(em, id);
  const { domain } = await em.findOneOrFail(Domain, { id: link.domain.id });
  await keepTakenDownName(em, { id, organizationId: link.organization.id, domain, slug: link.slug }, options.now);
  link.takeDown(reason, options.now);
  await em.flush();
  return setActive(em, actor, link, false, options);
}

/**
 * Ends a take-down: the link is on again where it was on before.
 * @param actor staff, with the permissions of an owner. @returns the link.
 * @throws AppError NOT_FOUND; CONFLICT where it is not taken down.
 */
export async function restoreLink(
  em: EntityManager,
  actor: Actor,
  id: string,
  options: CreateLinksOptions,
): Promise<LinkView> {
  const link = await holdLink(em, id);
  const isActive = link.endTakeDown(options.now);
  await releaseTakenDownNames(em, id);
  await em.flush();
  return setActive(em, actor, link, isActive, options);
}

async function holdLink(em: EntityManager, id: string): Promise<ShortLink> {
  const [link] = await em.getRepository(ShortLink).holdAll([id]);
  if (link === undefined) throw new AppError('NOT_FOUND', 'This short link does not exist.');
  return link;
}

async function setActive(
  em: EntityManager,
  actor: Actor,
  { id, domain, slug }: ShortLink,
  isActive: boolean,
  options: CreateLinksOptions,
): Promise<LinkView> {
  await updateLink(em, actor, { id, patch: { isActive } }, options);
  // Also where the link was off before: an edge would lead its visitors to the domain's fallback.
  await notifyLinks(em, [{ domainId: domain.id, slug }]);
  const [changed] = await readLinks(em, [id]);
  return changed!;
}
