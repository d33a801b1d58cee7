import { v7 as uuidv7 } from 'uuid';
import type { Actor } from '#core/organizations/actor.ts';
import { defaultFolderColor } from '#core/links/label.ts';
import { AppError, invalid } from '#core/errors/errors.ts';
import { foldCase } from '#core/lib/fold-case.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { plans } from '#core/organizations/plans.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';
import type { Transaction } from '#db/connection/database.ts';
import { countFolders, emptyFolder, insertFolder, readFolder, setFolder, tombstoneFolder } from '#db/links/folders.ts';
import { notifyChanged } from '#db/links/notify-changes.ts';
import { lockDeletes, lockOrganization } from '#db/connection/locks.ts';
import { insertDeletion, lastId } from '#db/deletions/deletions.ts';

/** A name, trimmed, and a color `#rrggbb`. */
interface FolderDraft {
  name: string;
  color?: string | undefined;
}

// A choice: some hundred milliseconds of a call.
const movedAtOnce = 2_000;

const nameInUse = (): AppError => new AppError('ALREADY_EXIST', 'A folder with this name exists already.');

/**
 * Creates a folder. @returns its id.
 * @throws AppError ALREADY_EXIST, without regard to case; FOLDER_LIMIT_REACHED, the default folder not counted.
 */
export async function createFolder(
  tx: Transaction,
  { organizationId, plan }: Actor,
  { name, color = defaultFolderColor }: FolderDraft,
  { now }: { now: Date },
): Promise<string> {
  await lockOrganization(tx, organizationId);
  const nameKey = foldCase(name);
  const { count, isTaken } = await countFolders(tx, organizationId, nameKey);
  if (isTaken) throw nameInUse();
  const limit = plans[plan].folders;
  if (count >= limit)
    throw new AppError('FOLDER_LIMIT_REACHED', `Your plan allows ${limit} ${limit === 1 ? 'folder' : 'folders'}.`);
  const id = uuidv7();
  await insertFolder(tx, { id, organizationId, name, nameKey, color, now });
  return id;
}

/**
 * Changes a folder's name, color or both. The default folder keeps its name.
 * @throws AppError NOT_FOUND, FORBIDDEN, ALREADY_EXIST; VALIDATION_ERROR for another name of the default folder.
 */
export async function updateFolder(
  tx: Transaction,
  actor: Actor,
  id: string,
  patch: Partial<FolderDraft>,
  { now }: { now: Date },
): Promise<void> {
  // Commands that create folders look a name up and rely on the result: they hold the same lock.
  if (patch.name !== undefined) await lockOrganization(tx, actor.organizationId);
  const folder = requireOwn(await readFolder(tx, id, 'for no key update'), actor, 'folder');
  const { name = folder.name, color = folder.color } = patch;
  if (folder.isDefault && name !== folder.name) throw invalid('name', 'of the default folder cannot be changed');
  if (name === folder.name && color === folder.color) return;
  try {
    await setFolder(tx, id, { name, nameKey: foldCase(name), color, now });
  } catch (error) {
    throw isUniqueViolation(error, 'folders_name_key') ? nameInUse() : error;
  }
}

/**
 * Deletes a folder; its links go to the default one. Of more than 2,000 links, a workflow moves the rest; reads show them in
 * the default folder already.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR for the default folder.
 */
export async function deleteFolder(tx: Transaction, actor: Actor, id: string, { now }: { now: Date }): Promise<void> {
  await lockDeletes(tx, actor.organizationId);
  const folder = requireOwn(await readFolder(tx, id), actor, 'folder');
  if (folder.isDefault) throw invalid('id', 'is the default folder, which cannot be deleted');
  // Lock order: links, then folder (docs/locks.md); then the links that were put into it in between.
  const moved = await emptyFolder(tx, folder, { now, limit: movedAtOnce });
  requireOwn(await readFolder(tx, id, 'for update'), actor, 'folder');
  const late = await emptyFolder(tx, folder, { now, limit: movedAtOnce - moved.count });
  await tombstoneFolder(tx, id, now);
  const { organizationId } = folder;
  await insertDeletion(tx, { id, kind: 'folder', organizationId, links: 0, deletedAt: now, toldTo: lastId });
  await notifyChanged(tx, [...moved.changed, ...late.changed]);
}

/** Moves some links of a deleted folder to the default one. @returns how many; fewer than `limit`: these were the last. */
export async function emptyDeletedFolder(
  tx: Transaction,
  folder: { id: string; organizationId: string },
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const { count, changed } = await emptyFolder(tx, folder, { now, limit });
  await notifyChanged(tx, changed);
  return count;
}
