import { uuidv7 } from '#core/lib/uuid.ts';
import { type AppError, asRefusal } from '#core/errors/errors.ts';
import { patchedPlain, pickPlain } from '#core/links/fields.ts';
import { foldCase } from '#core/lib/text/fold-case.ts';
import type { LinkPatch } from '#core/links/patch.ts';
import { searchText } from '#core/links/search-text.ts';
import type { Site } from '#core/links/site.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { withSavepoint } from '#db/connection/savepoint.ts';
import { Domain, QrCode } from '#db/entities/domains.ts';
import { Folder, LinkTag, MetaTags, ShortLink } from '#db/entities/links/links.ts';
import { externalIdInUse, slugInUse } from '#commands/links/create/insert-rounds.ts';
import type { LinkToPatch, PatchReferences, ResolvedPatch } from './resolve-patch.ts';
import { toDestinationRow } from '#commands/links/rows.ts';
import { createMissingTags } from '#commands/labels/tags.ts';

interface WriteOptions {
  references: PatchReferences;
  passwordHash: string | null;
  site: Site;
  now: Date;
}

// A part that is undone leaves no entity of these behind.
const unmanaged = { disableIdentityMap: true } as const;

/**
 * Changes a link and its child rows. The link itself is written by the next flush, with others; where its names or new tags may be
 * refused, at once.
 * @throws the error of the database, or AppError of tags, after it has undone the change.
 */
export async function writePatch(
  em: EntityManager,
  toPatch: LinkToPatch,
  resolved: ResolvedPatch,
  options: WriteOptions,
): Promise<void> {
  const { link, patch } = toPatch;
  const lacksTags = (resolved.tags ?? []).some((name) => !options.references.tagsByKey.has(foldCase(name)));
  const isRenamed = resolved.isElsewhere || (patch.externalId ?? link.externalId) !== link.externalId;
  if (!isRenamed && !lacksTags) return write(em, toPatch, resolved, options);
  // The changes of other links are not part of what may be undone.
  await em.flush();
  try {
    await withSavepoint(em, async () => {
      await write(em, toPatch, resolved, options);
      await em.flush();
    });
  } catch (error) {
    await em.refresh(link, { populate: ['passwordHash', 'searchText'] });
    throw error;
  }
}

/** The error of a change that the database refused. @throws all other errors. */
export function toRefusal(error: unknown): AppError {
  if (isUniqueViolation(error, 'short_links_slug_key')) return slugInUse();
  if (isUniqueViolation(error, 'short_links_external_id_key')) return externalIdInUse();
  return asRefusal(error);
}

async function write(
  em: EntityManager,
  { actor, link, view, patch }: LinkToPatch,
  { domain, slug, folderId, qrCode, tags, rules }: ResolvedPatch,
  { references, passwordHash, site, now }: WriteOptions,
): Promise<void> {
  const links = em.getRepository(ShortLink);
  const plain = patchedPlain(patch);
  const qrCodeId = qrCode === undefined ? view.qrCodeId : qrCode && (view.qrCodeId ?? uuidv7());
  if (qrCode && qrCodeId) {
    const { options, imageId: image = null } = qrCode;
    await em.upsert(
      QrCode,
      { id: qrCodeId, organization: view.organizationId, options, image, updatedAt: now },
      unmanaged,
    );
  }
  link.change(
    {
      ...plain,
      domain: em.getReference(Domain, domain.id),
      slug,
      folder: em.getReference(Folder, folderId),
      qrCode: qrCodeId === null ? null : em.getReference(QrCode, qrCodeId),
      searchText: searchText({
        ...pickPlain(view),
        ...plain,
        slug,
        originUrl: site.originUrl(domain.domain, slug),
        destination: (patch.destination ?? view.destination).value,
      }),
      ...(patch.password !== undefined && { passwordHash }),
    },
    now,
  );
  if (qrCode === null && view.qrCodeId !== null) {
    // The link refers to it until then.
    await em.flush();
    await em.nativeDelete(QrCode, { id: view.qrCodeId });
  }
  if (view.maxClicks === null && (patch.maxClicks ?? null) !== null) await links.openCap(view.id);
  if (patch.metaTags !== undefined) await setMetaTags(em, view.id, patch.metaTags);
  if (tags !== undefined) {
    const known = new Map([...references.tagsByKey].map(([key, { id }]) => [key, id]));
    for (const { name, id } of view.tags) known.set(foldCase(name), id);
    for (const [key, id] of await createMissingTags(em, actor, tags, known)) known.set(key, id);
    await setTags(
      em,
      view.id,
      tags.map((name) => known.get(foldCase(name))!),
    );
  }
  // It keeps its id.
  if (patch.destination) await links.setDestination(view.destinationId, toDestinationRow(patch.destination, null));
  if (rules) await links.replaceRules(view.id, rules.rules, rules.destinations);
}

/** Replaces the preview of a link; null removes it. */
async function setMetaTags(em: EntityManager, link: string, metaTags: LinkPatch['metaTags']): Promise<void> {
  if (!metaTags) {
    await em.nativeDelete(MetaTags, { link });
    return;
  }
  const { title = null, description = null, imageId: image = null } = metaTags;
  await em.upsert(MetaTags, { link, title, description, image }, unmanaged);
}

async function setTags(em: EntityManager, link: string, tagIds: readonly string[]): Promise<void> {
  await em.nativeDelete(LinkTag, { link });
  // A tag that is renamed at this moment may have been found by both of its names.
  const linkTags = [...new Set(tagIds)].map((tag, position) => ({ link, tag, position }));
  if (linkTags.length > 0) await em.insertMany(LinkTag, linkTags);
}
