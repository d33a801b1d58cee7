import { v7 as uuidv7 } from 'uuid';
import type { Actor } from '#core/organizations/actor.ts';
import { AppError, invalid, tooMany } from '#core/errors/errors.ts';
import { type CleanImage, type FileKind, imageFormats } from '#core/files/kinds.ts';
import { plans } from '#core/organizations/plans.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import type { Storage } from '#core/files/storage.ts';
import type { Database, Sql, Transaction } from '#db/connection/database.ts';
import {
  insertHiddenFile,
  isFileUsed,
  listDeletedFiles,
  noteFileUse,
  readFile,
  removeFileRow,
  reviveUsedFiles,
  showFile,
  sumFileBytes,
  tombstoneFile,
  tombstoneUnusedFiles,
} from '#db/files/files.ts';
import { lockFiles } from '#db/connection/locks.ts';

/** A cleaned image to be stored. */
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
  db: Database,
  storage: Storage,
  actor: Actor,
  { kind, name, image }: FileDraft,
  { now, finish }: { now: Date; finish?: ((tx: Transaction, id: string) => Promise<void>) | undefined },
): Promise<string> {
  const { organizationId } = actor;
  const size = image.bytes.length;
  // Spares an upload that would be refused; the quota is decided under the lock, when the file shows.
  await requireRoom(db, actor, size);
  const id = uuidv7();
  const { ext, mime } = imageFormats[image.format];
  const key = `${kind}/${id}.${ext}`;
  await insertHiddenFile(db, { id, organizationId, kind, name, key, mime, size, now });
  await storage.put(key, image.bytes, mime);
  await db.transaction(async (tx) => {
    await lockFiles(tx, organizationId);
    await requireRoom(tx, actor, size, id);
    if (!(await showFile(tx, id))) throw new AppError('SERVICE_UNAVAILABLE');
    await finish?.(tx, id);
  });
  return id;
}

// The file sweep runs every hour.
const leavingRetrySeconds = 3_600;

/** @param storedId id of the file itself, where its row counts among the hidden ones. */
async function requireRoom(sql: Sql, { organizationId, plan }: Actor, size: number, storedId?: string): Promise<void> {
  const limit = plans[plan].fileBytes;
  const { shown, leaving } = await sumFileBytes(sql, organizationId);
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
export async function deleteFile(tx: Transaction, actor: Actor, id: string, { now }: { now: Date }): Promise<void> {
  requireOwn(await readFile(tx, id, 'for update'), actor, 'file');
  if (await isFileUsed(tx, id)) throw invalid('id', 'is in use by a short link or a domain');
  await tombstoneFile(tx, id, now);
}

/** Deletes files that nothing has referred to for `unusedForMs` (8.2). @returns how many. */
export async function deleteUnusedFiles(db: Database, unusedForMs: number): Promise<number> {
  await noteFileUse(db);
  return db.transaction((tx) => tombstoneUnusedFiles(tx, unusedForMs));
}

/**
 * Removes objects and rows of files that were deleted at least `deletedForMs` ago, a batch of them; a file that a call referred
 * to at the moment of its deletion comes back instead. Safe to repeat at any point.
 */
export async function removeDeletedFiles(
  db: Database,
  storage: Storage,
  { deletedForMs, limit }: { deletedForMs: number; limit: number },
): Promise<{ removed: number; revived: number; more: boolean }> {
  const revived = await reviveUsedFiles(db);
  const files = await listDeletedFiles(db, { deletedForMs, limit });
  for (const { id, key } of files) {
    await storage.remove(key);
    await db.transaction((tx) => removeFileRow(tx, id));
  }
  return { removed: files.length, revived, more: files.length === limit };
}
