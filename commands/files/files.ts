import { uuidv7 } from '#core/lib/uuid.ts';
import type { Actor } from '#core/audit/actor.ts';
import { AppError, invalid, tooMany } from '#core/errors/errors.ts';
import { type CleanImage, type FileKind, imageFormats } from '#core/files/kinds.ts';
import { plans } from '#core/organizations/plans.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import type { Storage } from '#core/files/storage.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { File } from '#db/entities/files.ts';
import { lockPart } from '#db/connection/locks.ts';
import { notifyLinks } from '#db/notifications/notify.ts';
import { recordActivity } from '#commands/activity.ts';

interface FileDraft {
  kind: FileKind;
  name: string;
  image: CleanImage;
}

/**
 * Stores an image: first its row, hidden, then its object; then the row shows. The file sweep removes what a crash leaves
 * behind. @param finish runs in the transaction by which the file shows.
 * @returns its id.
 * @throws StorageError while the storage is unreachable; AppError PLAN_LIMIT_REACHED where the plan has no room for it,
 * RATE_LIMIT_EXCEEDED while as many bytes as the plan allows wait to be removed.
 */
export async function createFile(
  em: EntityManager,
  storage: Storage,
  actor: Actor,
  { kind, name, image }: FileDraft,
  { now, finish }: { now: Date; finish?: ((em: EntityManager, id: string) => Promise<void>) | undefined },
): Promise<string> {
  const { organizationId } = actor;
  const size = image.bytes.length;
  // Spares an upload that would be refused; the quota is decided under the lock, when the file shows.
  await requireRoom(em, actor, size);
  const id = uuidv7();
  const { ext, mime } = imageFormats[image.format];
  const key = `${kind}/${id}.${ext}`;
  const { width = null, height = null } = image.size ?? {};
  const file = { id, kind, name, key, mime, size, width, height };
  await em.transactional(async (em) => void em.getRepository(File).addHidden(organizationId, file, now));
  await storage.put(key, image.bytes, mime);
  await em.transactional(async (em) => {
    await lockPart(em, 'files', organizationId);
    await requireRoom(em, actor, size, id);
    if (!(await em.getRepository(File).show(id))) throw new AppError('SERVICE_UNAVAILABLE');
    await recordActivity(em, actor, { action: 'file.created', subjectId: id, name, details: { kind } }, now);
    await finish?.(em, id);
  });
  return id;
}

// The file sweep runs every hour.
const leavingRetrySeconds = 3_600;

/** @param storedId id of the file itself, where its row counts among the hidden ones. */
async function requireRoom(
  em: EntityManager,
  { organizationId, plan }: Actor,
  size: number,
  storedId?: string,
): Promise<void> {
  const limit = plans[plan].fileBytes;
  const { shown, leaving } = await em.getRepository(File).sumBytes(organizationId);
  if (shown + size > limit)
    throw new AppError('PLAN_LIMIT_REACHED', `Your plan allows ${limit} bytes of files; ${shown} are in use.`);
  // Uploading and deleting in turns would fill the storage.
  if (leaving - (storedId === undefined ? 0 : size) > limit)
    throw tooMany('Deleted files are still being removed; try again later.', leavingRetrySeconds);
}

/**
 * Deletes a file: its address is gone at once.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR while a link or domain shows it.
 */
export async function deleteFile(em: EntityManager, actor: Actor, id: string, now: Date): Promise<void> {
  const files = em.getRepository(File);
  const file = requireOwn(await files.hold(id), actor, 'file');
  if (await files.isUsed(id)) throw invalid('id', 'is in use by a short link or a domain');
  file.deletedAt = now;
  await recordActivity(em, actor, { action: 'file.deleted', subjectId: id, name: file.name }, now);
}

/** A file of any organization, by staff. @throws AppError NOT_FOUND. */
async function holdFile(em: EntityManager, id: string): Promise<File> {
  const file = await em.getRepository(File).hold(id);
  if (file === null) throw new AppError('NOT_FOUND', 'This file does not exist.');
  return file;
}

/**
 * Takes a file down: its address answers 404, previews of links and QR codes show it no more. A second take-down gives another
 * reason. @returns the file. @throws AppError NOT_FOUND.
 */
export async function takeFileDown(em: EntityManager, id: string, reason: string, now: Date): Promise<File> {
  const file = await holdFile(em, id);
  Object.assign(file, { takenDownAt: file.takenDownAt ?? now, takenDownReason: reason });
  await notifyLinks(em, await em.getRepository(File).listPreviews(id));
  await em.flush();
  return file;
}

/** Ends a take-down of a file. @returns the file. @throws AppError NOT_FOUND; CONFLICT where it is not taken down. */
export async function restoreFile(em: EntityManager, id: string): Promise<File> {
  const file = await holdFile(em, id);
  if (!file.takenDownAt) throw new AppError('CONFLICT', 'This file is not taken down.');
  Object.assign(file, { takenDownAt: null, takenDownReason: null });
  await notifyLinks(em, await em.getRepository(File).listPreviews(id));
  await em.flush();
  return file;
}

/** Stores a preview image that was drawn again, in place of the object that the file had; the file sweep removes that one. */
export async function replaceImage(em: EntityManager, storage: Storage, file: File, image: CleanImage): Promise<void> {
  const { id, kind, name, key: oldKey, mime: oldMime, size: oldSize } = file;
  const { ext, mime } = imageFormats[image.format];
  const key = `${kind}/${id}.${ext}`;
  // A picture in the right format only learns its size in pixels: drawn anew, a JPEG would lose.
  const isMoved = key !== oldKey;
  if (isMoved) await storage.put(key, image.bytes, mime);
  const isLive = await em.transactional(async (em) => {
    const files = em.getRepository(File);
    const held = await files.hold(id);
    if (held?.key !== oldKey) return held !== null;
    Object.assign(held, image.size, isMoved && { key, mime, size: image.bytes.length });
    await em.flush();
    const old = { id: uuidv7(), kind, name, key: oldKey, mime: oldMime, size: oldSize, width: null, height: null };
    if (isMoved) files.addHidden(held.organization.id, old, new Date());
    await notifyLinks(em, await files.listPreviews(id));
    return true;
  });
  if (isMoved && !isLive) await storage.remove(key);
}

/** Deletes files that nothing has referred to for `unusedForMs`. @returns how many. */
export async function deleteUnusedFiles(em: EntityManager, unusedForMs: number): Promise<number> {
  const now = new Date();
  await em.fork().getRepository(File).noteUse(now);
  const before = new Date(now.getTime() - unusedForMs);
  return em.transactional((em) => em.getRepository(File).deleteUnused(before, now));
}

/**
 * Removes objects and rows of files that were deleted at least `deletedForMs` ago, a batch of them; a file that a call referred
 * to at the moment of its deletion comes back instead. Safe to repeat at any point.
 */
export async function removeDeletedFiles(
  em: EntityManager,
  storage: Storage,
  { deletedForMs, limit }: { deletedForMs: number; limit: number },
): Promise<{ removed: number; revived: number; more: boolean }> {
  const files = em.fork().getRepository(File);
  const revived = await files.reviveUsed();
  const deleted = await files.listDeleted(new Date(Date.now() - deletedForMs), limit);
  for (const { id, key } of deleted) {
    await storage.remove(key);
    await em.transactional((em) => em.getRepository(File).remove(id));
  }
  return { removed: deleted.length, revived, more: deleted.length === limit };
}
