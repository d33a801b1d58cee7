import type { Actor } from '#core/audit/actor.ts';
import { reachesLink, requirePlace } from '#core/organizations/reach.ts';
import { AppError, orThrow } from '#core/errors/errors.ts';
import type { LinkDraft } from '#core/links/draft.ts';
import { slugKey } from '#core/links/slugs/slug.ts';
import type { Precondition } from '#core/http/version.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lockName } from '#db/connection/locks.ts';
import { withSavepoint } from '#db/connection/savepoint.ts';
import { ShortLink } from '#db/entities/links/links.ts';
import type { LinkName } from '#db/links/short-links.ts';
import { readLinks } from '#db/links/view.ts';
import { type ReferenceRows, readReferences, resolveReferences } from '#commands/links/references.ts';
import { externalIdInUse, slugInUse } from './insert-rounds.ts';
import { createLinks, type CreateLinksOptions, type MadeLink } from './create.ts';
import { type UpdatedLink, updateLink, type UpdateLinksOptions } from '#commands/links/change/update.ts';

const attempts = 3;

/**
 * Changes the link with the draft's externalId, else with its domain and slug, or creates one. Fields that are not sent stay.
 * Of two concurrent upserts of one name the later one changes the link that the earlier one created.
 * @param options `ifMatch`: the version that the link must have; no link is created then.
 * @throws AppError that refuses it; CONFLICT where `ifMatch` does not hold; ALREADY_EXIST where a link beyond the actor's reach has
 * the name.
 */
export async function upsertLink(
  em: EntityManager,
  actor: Actor,
  draft: LinkDraft,
  {
    passwordHash,
    ifMatch,
    localAnswers,
    ...options
  }: UpdateLinksOptions & { passwordHash: string | null; ifMatch?: Precondition | undefined },
): Promise<UpdatedLink & { isNew: boolean }> {
  const name = await nameOf(em, actor, draft, options);
  // Concurrent upserts of one name wait here.
  await lockName(em, JSON.stringify([actor.organizationId, name]));
  for (let attempt = 1; ; attempt += 1) {
    const id = await em.getRepository(ShortLink).holdNamed(actor.organizationId, name);
    if (id !== undefined) {
      const isReached = actor.reach === undefined || reachesLink(actor, (await readLinks(em, [id]))[0]!);
      if (!isReached) throw 'externalId' in name ? externalIdInUse() : slugInUse();
      const request = { id, patch: sentOf(draft), passwordHash, ifMatch };
      return { ...(await updateLink(em, actor, request, { ...options, localAnswers })), isNew: false };
    }
    if (ifMatch !== undefined) throw new AppError('CONFLICT', 'There is no such link yet.');
    const create = async (): Promise<MadeLink | AppError> =>
      (await createLinks(em, [{ actor, draft, passwordHash, localAnswers }], options))[0]!;
    // A call that is no upsert may have taken the name since `holdNamed`: the next round changes that link.
    const isTaken = (made: MadeLink | AppError): boolean => made instanceof AppError && made.code === 'ALREADY_EXIST';
    const made = await withSavepoint(em, create, (result) => !isTaken(result));
    if (!isTaken(made) || attempt === attempts) return { ...orThrow(made), isNew: true };
  }
}

/** The fields that are sent: null means the same as absence, but of a QR code, where it means none. */
function sentOf(draft: LinkDraft): LinkDraft {
  const sent = Object.entries(draft).filter(([name, value]) => value !== null || name === 'qrCode');
  return Object.fromEntries(sent) as unknown as LinkDraft;
}

async function nameOf(
  em: EntityManager,
  actor: Actor,
  draft: LinkDraft,
  { site }: CreateLinksOptions,
): Promise<LinkName> {
  if (draft.externalId) return { externalId: draft.externalId };
  // Lock order: links, then domain (docs/locks.md). The rollback releases the domain, so that the link can be locked first.
  const tagless = { ...draft, tags: [] };
  const read = (): Promise<ReferenceRows> => readReferences(em, [actor.organizationId], [tagless], site);
  const rows = await withSavepoint(em, read, () => false);
  const { id: domainId } = resolveReferences(tagless, rows, actor, site).domain;
  requirePlace(actor, { domainId }, 'create');
  return { domainId, slug: slugKey(draft.slug ?? '') };
}
