import type { Actor } from '#core/organizations/actor.ts';
import { createApiKey, hashToken } from '#core/organizations/api-key.ts';
import { AppError, invalid } from '#core/errors/errors.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import {
  findMissing,
  isAdmin,
  isAllowed,
  type Permissions,
  permissionsOf,
  resources,
  type Role,
} from '#core/organizations/permissions.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';
import { channels, type KeyChange, notify } from '#db/notifications/notify.ts';
import { ApiKey, Membership } from '#db/entities/people.ts';
import { changedNames } from '#commands/activity.ts';
import { type ApiKeyType, type HeldKey, permissionsOfKey } from '#db/organizations/api-keys.ts';
import { recordChange } from './audit.ts';

/**
 * An API key to create. A user key belongs to the user, a bot key to the organization's bot; without `value` a random one is
 * made.
 */
type ApiKeyDraft = {
  organizationId: string;
  name: string;
  permissions: Permissions;
  value?: string;
} & ({ type: 'user'; userId: string } | { type: 'bot' });

/** A new key, and its value: only the hash is stored. */
interface CreatedKey {
  key: ApiKey;
  value: string;
}

/**
 * Creates an API key (2.6). `apiKeys` may be held only by the user key of an owner or admin (2.5).
 * @param grantedBy the actor that grants its permissions; undefined: an operator, who may grant all.
 * @throws AppError VALIDATION_ERROR for a user who is not a member or a permission that the key may not hold,
 * ACTION_NOT_ALLOWED for one that `grantedBy` may not grant, ALREADY_EXIST for a second user key of a user, or a second bot
 * key.
 */
export async function createKey(
  em: EntityManager,
  draft: ApiKeyDraft,
  { now, grantedBy }: { now: Date; grantedBy?: Actor },
): Promise<CreatedKey> {
  const { organizationId, type, name, permissions, value = createApiKey() } = draft;
  if (grantedBy !== undefined) await requireGrants(em, grantedBy, permissions);
  const { userId, role } = await requireHolder(em, draft);
  requireGrantable(permissions, type, role);
  const fields = { organizationId, userId, type, name, permissions };
  const key = em.getRepository(ApiKey).add({ ...fields, keyHash: hashToken(value), last4: value.slice(-4) }, now);
  await em.flush().catch((error: unknown) => {
    if (isUniqueViolation(error, 'api_keys_bot_key')) throw inUse('This organization has a bot key already.');
    throw isUniqueViolation(error, 'api_keys_user_key')
      ? inUse('This user has a key of this organization already.')
      : error;
  });
  if (grantedBy !== undefined) {
    const details = { name, type, permissions };
    await recordChange(em, grantedBy, { action: 'apiKey.created', subjectId: key.id, details }, now);
  }
  return { key, value };
}

const inUse = (message: string): AppError => new AppError('ALREADY_EXIST', message);

/** Finds the holder of a new key; the lock keeps a person a member until the key exists. */
async function requireHolder(
  em: EntityManager,
  draft: ApiKeyDraft,
): Promise<{ userId: string; role: Role | undefined }> {
  const { organizationId } = draft;
  if (draft.type === 'bot') {
    const userId = await em.getRepository(Membership).findBot(organizationId);
    if (userId === undefined) throw new AppError('NOT_FOUND', `There is no organization ${organizationId}.`);
    return { userId, role: undefined };
  }
  const { userId } = draft;
  const role = await em.getRepository(Membership).roleOf({ organizationId, userId }, 'share');
  if (role === undefined) throw invalid('userId', 'must be a member of the organization');
  return { userId, role };
}

/**
 * Checks grants: a session of an owner or admin grants everything, a key only what it holds (2.5). Reads the database, since a
 * role or a key may have been narrowed after the call was let in.
 * @throws AppError ACTION_NOT_ALLOWED naming the permission that may not be granted, UNAUTHORIZED for a revoked key and for a
 * person who has left the organization.
 */
async function requireGrants(
  em: EntityManager,
  { organizationId, userId, keyId }: Actor,
  granted: Permissions,
): Promise<void> {
  const role = await em.getRepository(Membership).roleOf({ organizationId, userId }, 'share');
  const key = keyId === undefined ? undefined : await em.getRepository(ApiKey).read(keyId, 'share');
  // The key was revoked, or the person removed, since the call was let in.
  if (keyId === undefined ? role === undefined : key === undefined) throw new AppError('UNAUTHORIZED');
  const held = key === undefined ? permissionsOf(role ?? 'member') : permissionsOfKey(key);
  const missing = findMissing(granted, held);
  if (missing === undefined) return;
  const { resource, action } = missing;
  const who = key === undefined ? 'A member' : 'This key';
  throw new AppError('ACTION_NOT_ALLOWED', `${who} may not grant ${action} ${resource}.`, { resource, action });
}

/** The permissions that `held` lacks. */
function withoutHeld(permissions: Permissions, held: Permissions): Permissions {
  return Object.fromEntries(
    resources.map((resource) => [
      resource,
      (permissions[resource] ?? []).filter((action) => !isAllowed(held, resource, action)),
    ]),
  );
}

function requireGrantable(permissions: Permissions, type: ApiKeyType, role: Role | undefined): void {
  if ((permissions.apiKeys ?? []).length === 0) return;
  if (type === 'user' && role !== undefined && isAdmin(role)) return;
  throw invalid('permissions.apiKeys', 'may be held only by the user key of an owner or admin');
}

/**
 * Changes a key's name, its permissions or both, in force with the next call on every process. Permissions that the key has
 * already need no grant: a key that holds less can send a record back whole.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR for a permission that the key may not hold, ACTION_NOT_ALLOWED for
 * one that the actor may not grant.
 */
export async function updateKey(
  em: EntityManager,
  actor: Actor,
  id: string,
  patch: { name?: string | undefined; permissions?: Permissions | undefined },
): Promise<void> {
  const held = await holdOwn(em, actor, id);
  const { key, role } = held;
  const { permissions } = patch;
  if (permissions !== undefined) {
    requireGrantable(permissions, key.type, role);
    await requireGrants(em, actor, withoutHeld(permissions, permissionsOfKey(held)));
  }
  const now = new Date();
  key.change(patch, now);
  await em.flush();
  await announceKey(em, key);
  const details = { name: key.name, fields: changedNames(patch), ...(permissions && { permissions }) };
  await recordChange(em, actor, { action: 'apiKey.updated', subjectId: id, details }, now);
}

/** Revokes a key for good; the next call with it fails on every process. @throws AppError NOT_FOUND, FORBIDDEN. */
export async function revokeKey(em: EntityManager, actor: Actor, id: string): Promise<void> {
  const { key } = await holdOwn(em, actor, id);
  const now = new Date();
  key.revoke(now);
  await em.flush();
  await announceKey(em, key);
  const details = { name: key.name, type: key.type };
  await recordChange(em, actor, { action: 'apiKey.revoked', subjectId: id, details }, now);
}

/** Locks a key of the actor's organization until the end of the transaction. @throws AppError NOT_FOUND, FORBIDDEN. */
async function holdOwn(em: EntityManager, actor: Actor, id: string): Promise<HeldKey> {
  const held = await em.getRepository(ApiKey).read(id, 'no key update');
  requireOwn(held?.key, actor, 'API key');
  return held!;
}

/** Notifies every process, with the commit, to read a key again. */
export async function announceKey(em: EntityManager, { keyHash }: ApiKey): Promise<void> {
  await notify(em, channels.keys, JSON.stringify({ keyHash: keyHash.toString('hex') } satisfies KeyChange));
}
