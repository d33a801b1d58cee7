import { uuidv7 } from '#core/lib/uuid.ts';
import type { Actor } from '#core/audit/actor.ts';
import { colorOf, type LabelDraft, type LabelPatch } from '#core/labels/label.ts';
import { AppError } from '#core/errors/errors.ts';
import { foldCase } from '#core/lib/text/fold-case.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { plans } from '#core/organizations/plans.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Tag } from '#db/entities/links/links.ts';
import { notifyChanged } from '#db/links/notify-changes.ts';
import { lockPart } from '#db/connection/locks.ts';
import { flushRefusing } from '#commands/flush.ts';
import { changedNames, recordActivity } from '#commands/activity.ts';

/**
 * Creates the tags among `names` that `known` (folded name to id) lacks, as far as the plan allows. Holds the lock of the
 * organization's tags, so that the quota holds under concurrent calls.
 * @returns ids of the new tags by folded name.
 * @throws AppError PLAN_LIMIT_REACHED.
 */
export async function createMissingTags(
  em: EntityManager,
  actor: Actor,
  names: readonly string[],
  known: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const added = new Map<string, string>();
  const missing = new Map<string, string>();
  // The first spelling of a name is kept.
  for (const name of names) if (!missing.has(foldCase(name))) missing.set(foldCase(name), name);
  for (const key of known.keys()) missing.delete(key);
  if (missing.size === 0) return added;
  const organization = actor.organizationId;
  await lockPart(em, 'tags', organization);
  const repository = em.getRepository(Tag);
  // Another call may have made some of them while this one waited for the lock.
  for (const { nameKey, id } of await repository.holdNamed(organization, [...missing.keys()])) {
    missing.delete(nameKey);
    added.set(nameKey, id);
  }
  if (missing.size === 0) return added;
  const limit = plans[actor.plan].tags;
  if ((await repository.count({ organization })) + missing.size > limit)
    throw new AppError('PLAN_LIMIT_REACHED', `Your plan allows ${limit} tags.`);
  const tags = [...missing].map(([nameKey, name]) => ({
    id: uuidv7(),
    organization,
    name,
    nameKey,
    color: colorOf(nameKey),
  }));
  await em.kysely.insertInto('Tag').values(tags).execute();
  for (const { nameKey, id } of tags) added.set(nameKey, id);
  return added;
}

const nameInUse = (): AppError =>
  new AppError('ALREADY_EXIST', 'A tag with this name exists already.', { reason: 'name' });

/**
 * Creates a tag.
 * @throws AppError ALREADY_EXIST, without regard to case; PLAN_LIMIT_REACHED.
 */
export async function createTag(em: EntityManager, actor: Actor, { name, color }: LabelDraft, now: Date): Promise<Tag> {
  const { organizationId, plan } = actor;
  await lockPart(em, 'tags', organizationId);
  const tags = em.getRepository(Tag);
  const { count, isTaken } = await tags.countFor(organizationId, name);
  if (isTaken) throw nameInUse();
  const limit = plans[plan].tags;
  if (count >= limit) throw new AppError('PLAN_LIMIT_REACHED', `Your plan allows ${limit} tags.`);
  const tag = tags.add(organizationId, { name, color: color ?? colorOf(foldCase(name)) }, now);
  await em.flush();
  await recordActivity(em, actor, { action: 'tag.created', subjectId: tag.id, name: tag.name }, now);
  return tag;
}

/**
 * Changes a tag's name, color or both.
 * @throws AppError NOT_FOUND, FORBIDDEN, ALREADY_EXIST.
 */
export async function updateTag(
  em: EntityManager,
  actor: Actor,
  id: string,
  patch: LabelPatch,
  now: Date,
): Promise<Tag> {
  if (patch.name !== undefined) await lockPart(em, 'tags', actor.organizationId);
  const tag = requireOwn(await em.findOne(Tag, { id }), actor, 'tag');
  const fields = changedNames(patch, tag);
  if (fields.length === 0) return tag;
  tag.change(patch, now);
  await flushRefusing(em, { tags_name_key: nameInUse });
  const details = { fields };
  await recordActivity(em, actor, { action: 'tag.updated', subjectId: id, name: tag.name, details }, now);
  return tag;
}

/** Deletes a tag, whose name is free at once; its links lose it. @throws AppError NOT_FOUND, FORBIDDEN. */
export async function deleteTag(em: EntityManager, actor: Actor, id: string, now: Date): Promise<void> {
  const tags = em.getRepository(Tag);
  const tag = requireOwn(await tags.hold(id), actor, 'tag');
  tag.deletedAt = now;
  await em.flush();
  await notifyChanged(em, await tags.takeOff(id));
  await recordActivity(em, actor, { action: 'tag.deleted', subjectId: id, name: tag.name }, now);
}
