import type { Actor } from '#core/audit/actor.ts';
import { defaultFolderColor, type LabelDraft, type LabelPatch } from '#core/labels/label.ts';
import { AppError, invalid } from '#core/errors/errors.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { plans } from '#core/organizations/plans.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Folder } from '#db/entities/links/links.ts';
import { notifyChanged } from '#db/links/notify-changes.ts';
import { lockOrganization, lockPart } from '#db/connection/locks.ts';
import { insertDeletion, lastId } from '#db/deletions/deletions.ts';
import { flushRefusing } from '#commands/flush.ts';
import { changedNames, recordActivity } from '#commands/activity.ts';

// Some hundred milliseconds of a call.
const movedAtOnce = 2_000;

const nameInUse = (): AppError =>
  new AppError('ALREADY_EXIST', 'A folder with this name exists already.', { reason: 'name' });

/**
 * Creates a folder.
 * @throws AppError ALREADY_EXIST, without regard to case; FOLDER_LIMIT_REACHED, the default folder not counted.
 */
export async function createFolder(
  em: EntityManager,
  actor: Actor,
  { name, color }: LabelDraft,
  now: Date,
): Promise<Folder> {
  const { organizationId, plan } = actor;
  await lockOrganization(em, organizationId);
  const folders = em.getRepository(Folder);
  const { count, isTaken } = await folders.countFor(organizationId, name);
  if (isTaken) throw nameInUse();
  const limit = plans[plan].folders;
  // The default folder is not counted.
  if (count > limit)
    throw new AppError('FOLDER_LIMIT_REACHED', `Your plan allows ${limit} ${limit === 1 ? 'folder' : 'folders'}.`);
  const folder = folders.add(organizationId, { name, color: color ?? defaultFolderColor }, now);
  // One row alone: a flush would compare every entity of the call.
  await em.insert(folder);
  await recordActivity(em, actor, { action: 'folder.created', subjectId: folder.id, name: folder.name }, now);
  return folder;
}

/**
 * Changes a folder's name, color or both. The default folder keeps its name.
 * @throws AppError NOT_FOUND, FORBIDDEN, ALREADY_EXIST; VALIDATION_ERROR for another name of the default folder.
 */
export async function updateFolder(
  em: EntityManager,
  actor: Actor,
  id: string,
  patch: LabelPatch,
  now: Date,
): Promise<Folder> {
  // Commands that create folders look a name up and rely on the result: they hold the same lock.
  if (patch.name !== undefined) await lockOrganization(em, actor.organizationId);
  const folder = requireOwn(await em.findOne(Folder, { id }), actor, 'folder');
  const fields = changedNames(patch, folder);
  if (fields.length === 0) return folder;
  folder.change(patch, now);
  await flushRefusing(em, { folders_name_key: nameInUse });
  const details = { fields };
  await recordActivity(em, actor, { action: 'folder.updated', subjectId: id, name: folder.name, details }, now);
  return folder;
}

/**
 * Deletes a folder; its links go to the default one. Of more than 2,000 links, a workflow moves the rest; reads show them in
 * the default folder already.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR for the default folder.
 */
export async function deleteFolder(em: EntityManager, actor: Actor, id: string, now: Date): Promise<void> {
  const { organizationId } = actor;
  await lockPart(em, 'deletes', organizationId);
  const folders = em.getRepository(Folder);
  const folder = requireOwn(await folders.findOne({ id }), actor, 'folder');
  if (folder.isDefault) throw invalid('id', 'is the default folder, which cannot be deleted');
  // Lock order: links, then folder (docs/locks.md); then the links that were put into it in between.
  const moved = await folders.empty({ id, organizationId }, { now, limit: movedAtOnce });
  requireOwn(await folders.hold(id), actor, 'folder');
  const late = await folders.empty({ id, organizationId }, { now, limit: movedAtOnce - moved.count });
  folder.deletedAt = now;
  await em.flush();
  await insertDeletion(em, { id, kind: 'folder', organizationId, links: 0, deletedAt: now, toldTo: lastId });
  await recordActivity(em, actor, { action: 'folder.deleted', subjectId: id, name: folder.name }, now);
  await notifyChanged(em, [...moved.changed, ...late.changed]);
}

/** Moves some links of a deleted folder to the default one. @returns how many; fewer than `limit`: these were the last. */
export async function emptyDeletedFolder(
  em: EntityManager,
  folder: { id: string; organizationId: string },
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const { count, changed } = await em.getRepository(Folder).empty(folder, { now, limit });
  await notifyChanged(em, changed);
  return count;
}
