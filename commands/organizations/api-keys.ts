import type { Actor } from '#core/audit/actor.ts';
import { createApiKey, hashToken } from '#core/organizations/api-key.ts';
import { AppError, invalid, invalidFields, type Issue } from '#core/errors/errors.ts';
import { findWiderLimit, type KeyLimits } from '#core/organizations/key-limits.ts';
import { uuidv7 } from '#core/lib/uuid.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { type Reach, toReach } from '#core/organizations/reach.ts';
import {
  heldPermissions,
  isAdmin,
  type KeyType,
  type Permissions,
  type Role,
} from '#core/organizations/permissions.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lockOrganization } from '#db/connection/locks.ts';
import { ApiKey, Membership } from '#db/entities/accounts/people.ts';
import { flushRefusing } from '#commands/flush.ts';
import { changedNames } from '#commands/activity.ts';
import { requireGrants, withoutHeld } from './grants.ts';
import { endLostInvitations } from './inviters.ts';
import { requireScope } from '#commands/webhooks/scope.ts';
import { type HeldKey, limitsOfKey, permissionsOfKey } from '#db/organizations/api-keys.ts';
import { recordChange } from './audit.ts';

/**
 * An API key to create, without limits where they are not given. A user key belongs to the user, other keys to the organization's
 * bot; without `value` a random one is made.
 */
type ApiKeyDraft = {
  organizationId: string;
  name: string;
  permissions: Permissions;
  value?: string;
} & { [Limit in keyof KeyLimits]?: KeyLimits[Limit] | undefined } & (
    | { type: 'user'; userId: string }
    | { type: 'bot' | 'integration' }
  );

// A key for each program of a large company; all keys of a page are read.
const maxIntegrationKeys = 100;

/**
 * Creates an API key. `apiKeys` may be held only by the user key of an owner or admin.
 * @returns the key, and its value: only the hash is stored.
 * @param grantedBy the actor that grants its permissions; undefined: an operator, who may grant all.
 * @throws AppError VALIDATION_ERROR for a user who is not a member, a permission that the key may not hold and an end that has
 * passed, ACTION_NOT_ALLOWED for what `grantedBy` may not grant, ALREADY_EXIST for a second user key of a user, a second bot key
 * and a second integration key of one name, PLAN_LIMIT_REACHED for one integration key too many.
 */
export async function createKey(
  em: EntityManager,
  draft: ApiKeyDraft,
  { now, grantedBy }: { now: Date; grantedBy?: Actor },
): Promise<{ key: ApiKey; value: string }> {
  const { organizationId, type, name, permissions, value = createApiKey() } = draft;
  const { expiresAt = null, allowedAddresses = null, folderIds = null, domainIds = null } = draft;
  const limits = { expiresAt, allowedAddresses, folderIds, domainIds };
  const issues = expiresAt !== null && expiresAt <= now ? [endHasPassed] : [];
  if (type === 'integration') await requireRoom(em, organizationId);
  if (grantedBy !== undefined) await requireGrants(em, grantedBy, permissions, { wanted: limits });
  const { userId, role } = await findHolder(em, draft);
  if (type === 'user' && role === undefined)
    issues.push({ path: 'userId', message: 'must be a member of the organization' });
  issues.push(...permissionIssues(permissions, { type, role, limits }));
  if (issues.length > 0) throw invalidFields(issues);
  await requireOwnReach(em, organizationId, limits, undefined);
  const key = em.create(ApiKey, {
    id: uuidv7(),
    organization: organizationId,
    user: userId,
    type,
    name,
    permissions,
    expiresAt,
    allowedAddresses: allowedAddresses && [...allowedAddresses],
    folderIds: folderIds && [...folderIds],
    domainIds: domainIds && [...domainIds],
    keyHash: hashToken(value),
    last4: value.slice(-4),
    createdAt: now,
    updatedAt: now,
  });
  await flushRefusing(em, {
    api_keys_bot_key: () => inUse('This organization has a bot key already.', 'type'),
    api_keys_user_key: () => inUse('This user has a key of this organization already.', 'type'),
    api_keys_integration_key: nameInUse,
  });
  if (grantedBy !== undefined) {
    const details = { name, type, permissions, ...limits };
    await recordChange(em, grantedBy, { action: 'apiKey.created', subjectId: key.id, details }, now);
  }
  return { key, value };
}

const inUse = (message: string, reason: 'name' | 'type'): AppError =>
  new AppError('ALREADY_EXIST', message, { reason });

/** Why a key may not hold `apiKeys`. */
export const notOfAdmin = 'may be held only by the user key of an owner or admin';
export const notRestricted = 'may not be held by a key that is restricted to folders or domains';
const endHasPassed: Issue = { path: 'expiresAt', message: 'must be in the future' };

const nameInUse = (): AppError => inUse('An integration key of this organization has this name already.', 'name');

/** Locks the organization, so that its integration keys are made one after the other. Lock order: organization, then keys. */
async function requireRoom(em: EntityManager, organizationId: string): Promise<void> {
  await lockOrganization(em, organizationId);
  const count = await em.getRepository(ApiKey).countOf(organizationId, 'integration');
  if (count < maxIntegrationKeys) return;
  throw new AppError('PLAN_LIMIT_REACHED', `An organization has at most ${maxIntegrationKeys} integration keys.`);
}

/** Finds the holder of a new key; the lock keeps a person a member until the key exists. No role: a person who is no member, or the Bot. */
async function findHolder(em: EntityManager, draft: ApiKeyDraft): Promise<{ userId: string; role: Role | undefined }> {
  const { organizationId } = draft;
  if (draft.type !== 'user') {
    const userId = await em.getRepository(Membership).findBot(organizationId);
    if (userId === undefined) throw new AppError('NOT_FOUND', `There is no organization ${organizationId}.`);
    return { userId, role: undefined };
  }
  const { userId } = draft;
  return { userId, role: await em.getRepository(Membership).roleOf({ organizationId, userId }, 'share') };
}

/** Finds what forbids `apiKeys`: a key that manages keys and people is an owner's or admin's, and reaches the whole organization. */
function permissionIssues(
  permissions: Permissions,
  { type, role, limits }: { type: KeyType; role: Role | undefined; limits: Reach },
): Issue[] {
  if ((permissions.apiKeys ?? []).length === 0) return [];
  const path = 'permissions.apiKeys';
  const isAdmins = type === 'user' && role !== undefined && isAdmin(role);
  return [
    ...(isAdmins ? [] : [{ path, message: notOfAdmin }]),
    ...(toReach(limits) === undefined ? [] : [{ path, message: notRestricted }]),
  ];
}

/**
 * Checks that the folders and domains of a key are the organization's; domains of the platform are allowed.
 * @param present folders and domains that the key has already: they are accepted also where they were deleted since.
 */
async function requireOwnReach(
  em: EntityManager,
  organizationId: string,
  wanted: Reach,
  present: Reach | undefined,
): Promise<void> {
  const toScope = ({ folderIds, domainIds }: Reach) => ({
    folderIds: [...(folderIds ?? [])],
    domainIds: [...(domainIds ?? [])],
    tagIds: [],
    linkIds: [],
  });
  await requireScope(em, organizationId, toScope(wanted), present === undefined ? null : toScope(present));
}

/** Fields of a key that change; undefined: the field stays. */
type ApiKeyPatch = { name?: string | undefined; permissions?: Permissions | undefined } & {
  [Limit in keyof KeyLimits]?: KeyLimits[Limit] | undefined;
};

/**
 * Changes a key's name, permissions and limits, in force with the next call on every process. What the key has already needs no
 * grant: a key that holds less can send a record back whole. A wider limit grants every permission of the changed key anew.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR for a permission that the key may not hold and an end that has passed,
 * ACTION_NOT_ALLOWED for what the actor may not grant, ALREADY_EXIST for the name of another integration key.
 */
export async function updateKey(
  em: EntityManager,
  actor: Actor,
  id: string,
  patch: ApiKeyPatch,
  now: Date,
): Promise<void> {
  const held = await holdOwn(em, actor, id);
  const { key, role } = held;
  const { name = key.name, permissions = key.permissions } = patch;
  const present = limitsOfKey(key);
  const wanted = {
    expiresAt: patch.expiresAt === undefined ? present.expiresAt : patch.expiresAt,
    allowedAddresses: patch.allowedAddresses === undefined ? present.allowedAddresses : patch.allowedAddresses,
    folderIds: patch.folderIds === undefined ? present.folderIds : patch.folderIds,
    domainIds: patch.domainIds === undefined ? present.domainIds : patch.domainIds,
  };
  const { expiresAt } = wanted;
  const endsAnew = expiresAt !== null && expiresAt.getTime() !== present.expiresAt?.getTime();
  const issues = endsAnew && expiresAt <= now ? [endHasPassed] : [];
  // What the key holds already is not looked at again, but for a reach, which it may not get.
  const isAsked = patch.permissions !== undefined || toReach(wanted) !== undefined;
  if (isAsked) issues.push(...permissionIssues(permissions, { type: key.type, role, limits: wanted }));
  if (issues.length > 0) throw invalidFields(issues);
  await requireOwnReach(em, actor.organizationId, wanted, present);
  const isWider = findWiderLimit(wanted, [present]) !== undefined;
  const granted = heldPermissions(permissions, { type: key.type, role });
  const added = isWider ? granted : withoutHeld(permissions, permissionsOfKey(held));
  await requireGrants(em, actor, added, { wanted, present });
  const fields = changedNames(patch, { name: key.name, permissions: key.permissions, ...present });
  key.change({ name, permissions, ...wanted }, now);
  await flushRefusing(em, { api_keys_integration_key: nameInUse });
  const changed = Object.fromEntries(
    Object.entries(patch).filter(([field]) => field !== 'name' && fields.includes(field)),
  );
  await endLostInvitations(em, { organizationId: actor.organizationId, userId: key.user.id }, now);
  const details = { name: key.name, fields, ...changed };
  await recordChange(em, actor, { action: 'apiKey.updated', subjectId: id, details }, now);
}

/**
 * Gives a key another value; the present one works until `previousUntil`, and one before it no longer. The actor learns the value:
 * a key that acts must hold everything that the key holds.
 * @returns the value.
 * @throws AppError NOT_FOUND, FORBIDDEN, also for the user key of another person; ACTION_NOT_ALLOWED for a key that holds less.
 */
export async function rotateKey(
  em: EntityManager,
  actor: Actor,
  id: string,
  { previousUntil, now }: { previousUntil: Date; now: Date },
): Promise<string> {
  const held = await holdOwn(em, actor, id);
  const { key } = held;
  if (key.type === 'user' && key.user.id !== actor.userId)
    throw new AppError('FORBIDDEN', 'Only the member whose key it is may rotate it: others may revoke it.');
  await requireGrants(em, actor, permissionsOfKey(held), { wanted: limitsOfKey(key) });
  if (key.expiresAt && key.expiresAt <= now)
    throw invalid('', 'The key has ended, and another value would too: give it a later expiresAt first.');
  const value = createApiKey();
  key.rotate({ keyHash: hashToken(value), last4: value.slice(-4) }, { previousUntil, now });
  await em.flush();
  const details = { name: key.name, previousUntil: key.previousKeyUntil ?? null };
  await recordChange(em, actor, { action: 'apiKey.rotated', subjectId: id, details }, now);
  return value;
}

/** Revokes a key for good; the next call with it fails on every process. @throws AppError NOT_FOUND, FORBIDDEN. */
export async function revokeKey(em: EntityManager, actor: Actor, id: string): Promise<void> {
  const { key } = await holdOwn(em, actor, id);
  const now = new Date();
  key.revoke(now);
  await em.flush();
  await endLostInvitations(em, { organizationId: actor.organizationId, userId: key.user.id }, now);
  const details = { name: key.name, type: key.type };
  await recordChange(em, actor, { action: 'apiKey.revoked', subjectId: id, details }, now);
}

/** Locks a key of the actor's organization until the end of the transaction. @throws AppError NOT_FOUND, FORBIDDEN. */
async function holdOwn(em: EntityManager, actor: Actor, id: string): Promise<HeldKey> {
  const held = await em.getRepository(ApiKey).read(id, 'no key update');
  requireOwn(held?.key, actor, 'API key');
  return held!;
}
