import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#core/errors/errors.ts';
import { invalidBy } from '#core/errors/issues.ts';
import type { FieldChanges } from '#core/links/change.ts';
import { plainNames } from '#core/links/fields.ts';
import { type LinkPatch, patchLinkSchema } from '#core/links/patch.ts';
import type { Actor } from '#core/audit/actor.ts';
import { requireLink } from '#core/organizations/reach.ts';
import type { Precondition } from '#core/http/version.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ShortLink } from '#db/entities/links/links.ts';
import { type LinkChangeView, listLaterFields } from '#db/links/changes.ts';
import { readLinks } from '#db/links/view.ts';
import { fieldsOf } from './change/changed-fields.ts';
import { type UpdatedLink, updateLink, type UpdateLinksOptions } from './change/update.ts';

/** Fields that a patch sets back to what a history says. */
const restorable = new Set<string>([
  ...plainNames,
  'slug',
  'domainId',
  'folderId',
  'destination',
  'rules',
  'qrCode',
  'metaTags',
  'tags',
]);
/** Fields that follow from others. */
const derived = new Set(['shortUrl']);

/**
 * The patch that sets the fields of a change back.
 * @throws AppError CONFLICT where a field cannot be set back: of a password only a hash was stored; VALIDATION_ERROR where an
 * earlier value is no longer allowed.
 */
export function undoPatch(change: FieldChanges): LinkPatch {
  const fields = ownFields(change);
  const lost = fields.filter((field) => !restorable.has(field));
  if (lost.length > 0) {
    const message = lost.includes('hasPassword')
      ? 'This change cannot be undone: it set or removed the password, and earlier passwords are not kept.'
      : `This change cannot be undone: it changed ${lost.join(', ')}.`;
    throw refused(message, lost, 'cannot be restored');
  }
  const earlier = fields.map((field) => [field, change[field]!.before]);
  const result = patchLinkSchema.safeParse(Object.fromEntries(earlier));
  if (!result.success) throw invalidBy(result.error.issues);
  return result.data;
}

/**
 * Undoes a change of a link, by an update that has an entry in the history and an event of its own.
 * @param undo `patch`: of `undoPatch`.
 * @throws AppError NOT_FOUND, FORBIDDEN; CONFLICT where a field has been changed since, and where `ifMatch` does not hold.
 */
export async function undoChange(
  em: EntityManager,
  actor: Actor,
  {
    id,
    change,
    patch,
    ...request
  }: { id: string; change: LinkChangeView; patch: LinkPatch; ifMatch?: Precondition | undefined },
  options: UpdateLinksOptions,
): Promise<UpdatedLink> {
  await em.getRepository(ShortLink).holdAll([id]);
  const [found] = await readLinks(em, [id]);
  const view = requireLink(found, actor);
  const current = fieldsOf(view, options.site);
  const later = await listLaterFields(em, id, change.at);
  // Deletes of folders and tags change links too, without an entry in their histories.
  const isChanged = (field: string): boolean =>
    later.has(field) || !isDeepStrictEqual(current[field], change.fields[field]!.after);
  const changed = ownFields(change.fields).filter(isChanged);
  if (changed.length > 0)
    throw refused(
      `Changed since, so that it cannot be undone: ${changed.join(', ')}.`,
      changed,
      'has been changed since',
    );
  // A move back sends the QR code too, which would else become the template of the domain.
  const keepsQrCode = patch.domainId !== undefined && patch.qrCode === undefined;
  const undo = keepsQrCode ? { ...patch, qrCode: view.qrCode } : patch;
  return updateLink(em, actor, { id, patch: undo, undoes: change.id, ...request }, options);
}

function ownFields(change: FieldChanges): string[] {
  return Object.keys(change).filter((field) => !derived.has(field));
}

function refused(message: string, fields: readonly string[], why: string): AppError {
  return new AppError('CONFLICT', message, { issues: fields.map((path) => ({ path, message: why })) });
}
