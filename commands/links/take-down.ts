import { AppError } from '#core/errors/errors.ts';
import type { Actor } from '#core/organizations/actor.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ShortLink } from '#db/entities/links.ts';
import { keepTakenDownName, releaseTakenDownNames } from '#db/links/taken-down-names.ts';
import { type LinkView, readLinks } from '#db/links/view.ts';
import type { CreateLinksOptions } from './create.ts';
import { updateLinks } from './update.ts';

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
  const takenDownReason = reason;
  const begun = link.takenDown === null ? { takenDownAt: options.now, activeBeforeTakeDown: link.isActive } : {};
  await keepTakenDownName(em, { ...link, domain: link.domain.domain }, options.now);
  await em.getRepository(ShortLink).change(id, { takenDownReason, ...begun }, options.now);
  return setActive(em, actor, { id, isActive: false }, options);
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
  if (link.takenDown === null) throw new AppError('CONFLICT', 'This short link is not taken down.');
  const links = em.getRepository(ShortLink);
  const { activeBeforeTakeDown } = await links.findOneOrFail({ id }, { fields: ['activeBeforeTakeDown'] });
  await releaseTakenDownNames(em, id);
  await links.change(id, { takenDownAt: null, takenDownReason: null, activeBeforeTakeDown: null }, options.now);
  return setActive(em, actor, { id, isActive: activeBeforeTakeDown === true }, options);
}

async function holdLink(em: EntityManager, id: string): Promise<LinkView> {
  await em.getRepository(ShortLink).holdAll([id]);
  const [link] = await readLinks(em, [id]);
  if (link === undefined) throw new AppError('NOT_FOUND', 'This short link does not exist.');
  return link;
}

async function setActive(
  em: EntityManager,
  actor: Actor,
  { id, isActive }: { id: string; isActive: boolean },
  options: CreateLinksOptions,
): Promise<LinkView> {
  const [result] = await updateLinks(em, actor, [{ id, patch: { isActive } }], options);
  if (result?.ok === false) throw result.error;
  const [changed] = await readLinks(em, [id]);
  return changed!;
}
