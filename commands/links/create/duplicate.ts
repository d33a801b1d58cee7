import type { LinkDraft } from '#core/links/draft.ts';
import { pickPlain } from '#core/links/fields.ts';
import type { Actor } from '#core/audit/actor.ts';
import { invalid } from '#core/errors/errors.ts';
import { requireLink } from '#core/organizations/reach.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ShortLink } from '#db/entities/links/links.ts';
import { type DestinationView, type LinkView, readLinks } from '#db/links/view.ts';
import { createLink, type MadeLink } from './create.ts';
import type { UpdateLinksOptions } from '#commands/links/change/update.ts';

/**
 * Creates a link like another one, with its password, but without its external id, its clicks and its history. A copy of an
 * expired link is expired too.
 * @param copy `id`: of the link to copy; `slug`: of the new one, generated when undefined.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR where the link's domain is lost.
 */
export async function duplicateLink(
  em: EntityManager,
  actor: Actor,
  { id, slug }: { id: string; slug?: string | undefined },
  { localAnswers, ...options }: UpdateLinksOptions,
): Promise<MadeLink> {
  // The copy is of one version of the link.
  const [held] = await em.getRepository(ShortLink).holdAll([id]);
  const [view] = await readLinks(em, [id]);
  const link = requireLink(view, actor);
  if (!link.domain.isVerified) throw invalid('', 'The domain of this link is not verified at present.');
  await em.populate(held!, ['passwordHash']);
  const wanted = { actor, draft: draftOf(link, slug), passwordHash: held!.passwordHash ?? null, localAnswers };
  return createLink(em, wanted, { ...options, mayBeExpired: true });
}

function draftOf(link: LinkView, slug: string | undefined): LinkDraft {
  const { title, description, imageId } = link.metaTags;
  const hasMetaTags = [title, description, imageId].some((value) => value !== null);
  return {
    ...pickPlain(link),
    externalId: null,
    slug,
    domainId: link.domain.id,
    folderId: link.folderId,
    tags: link.tags.map(({ name }) => name),
    destination: toDestination(link.destination),
    rules: link.rules.map(({ id: _id, destination, ...rule }) => ({
      ...rule,
      destination: toDestination(destination),
    })),
    // Null, and not undefined, which would mean the style of the domain.
    qrCode: link.qrCode,
    metaTags: hasMetaTags ? { title, description, imageId } : null,
  };
}

const toDestination = ({ threatTypes: _threatTypes, ...destination }: DestinationView): LinkDraft['destination'] =>
  destination;
