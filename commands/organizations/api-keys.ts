import { v7 as uuidv7 } from 'uuid';
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
import {
  type ApiKeyRow,
  type ApiKeyType,
  insertApiKey,
  readApiKey,
  setApiKey,
  tombstoneApiKey,
} from '#db/organizations/api-keys.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';
import type { Transaction } from '#db/connection/database.ts';
import { channels, type KeyChange, notify } from '#db/connection/notify.ts';
import { findBot, readRole } from '#db/organizations/people.ts';

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

/** A new key's record, and `key`, its value: only the hash is stored. */
type CreatedKey = ApiKeyRow & { key: string };

/**
 * Creates an API key (2.6). `apiKeys` may be held only by the user key of an owner or admin (2.5).
 * @param grantedBy the actor that grants its permissions; undefined: an operator, who may grant all.
 * @throws AppError VALIDATION_ERROR for a user who is not a member or a permission that the key may not hold,
 * ACTION_NOT_ALLOWED for one that `grantedBy` may not grant, ALREADY_EXIST for a second user key of a user, or a second bot
 * key.
 */
export async function createKey(
  tx: Transaction,
  draft: ApiKeyDraft,
  { now, grantedBy }: { now: Date; grantedBy?: Actor },
): Promise<CreatedKey> {
  const { organizationId, type, name, permissions, value = createApiKey() } = draft;
  if (grantedBy !== undefined) await requireGrants(tx, grantedBy, permissions);
  const { userId, role } = await requireHolder(tx, draft);
  requireGrantable(permissions, type, role);
  const record = {
    id: uuidv7(),
    organizationId,
    type,
    name,
    permissions,
    last4: value.slice(-4),
    userId,
    createdAt: now,
  };
  const keyHash = hashToken(value);
  try {
    await insertApiKey(tx, { ...record, keyHash });
  } catch (error) {
    if (isUniqueViolation(error, 'api_keys_bot_key')) throw inUse('This organization has a bot key already.');
    throw isUniqueViolation(error, 'api_keys_user_key')
      ? inUse('This user has a key of this organization already.')
      : error;
  }
  return { key: value, ...record, lastUsedAt: null };
}

const inUse = (message: string): AppError => new AppError('ALREADY_EXIST', message);

/** Finds the holder of a new key; the lock keeps a person a member until the key exists. */
async function requireHolder(tx: Transaction, draft: ApiKeyDraft): Promise<{ userId: string; role: Role | undefined }> {
  const { organizationId } = draft;
  if (draft.type === 'bot') {
    const userId = await findBot(tx, organizationId);
    if (userId === undefined) throw new AppError('NOT_FOUND', `There is no organization ${organizationId}.`);
    return { userId, role: undefined };
  }
  const { userId } = draft;
  const role = await readRole(tx, { organizationId, userId }, 'for share of m');
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
  tx: Transaction,
  { organizationId, userId, keyId }: Actor,
  granted: Permissions,
): Promise<void> {
  const role = await readRole(tx, { organizationId, userId }, 'for share of m');
  const key = keyId === undefined ? undefined : await readApiKey(tx, keyId, 'for share of k');
  // The key was revoked, or the person removed, since the call was let in.
  if (keyId === undefined ? role === undefined : key === undefined) throw new AppError('UNAUTHORIZED');
  const held = key === undefined ? permissionsOf(role ?? 'member') : key.permissions;
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
  tx: Transaction,
  actor: Actor,
  id: string,
  patch: { name?: string | undefined; permissions?: Permissions | undefined },
): Promise<void> {
  const before = requireOwn(await readApiKey(tx, id, 'for no key update of k'), actor, 'API key');
  const { organizationId, userId, type } = before;
  const { permissions } = patch;
  if (permissions !== undefined) {
    const role = type === 'user' ? await readRole(tx, { organizationId, userId }) : undefined;
    requireGrantable(permissions, type, role);
    await requireGrants(tx, actor, withoutHeld(permissions, before.permissions));
  }
  await announceKey(tx, await setApiKey(tx, id, patch));
}

/** Revokes a key for good; the next call with it fails on every process. @throws AppError NOT_FOUND, FORBIDDEN. */
export async function revokeKey(tx: Transaction, actor: Actor, id: string): Promise<void> {
  requireOwn(await readApiKey(tx, id, 'for no key update of k'), actor, 'API key');
  await announceKey(tx, await tombstoneApiKey(tx, id));
}

/** Notifies every process, with the commit, to read a key again. @param keyHash hex. */
export async function announceKey(tx: Transaction, keyHash: string): Promise<void> {
  await notify(tx, channels.keys, JSON.stringify({ keyHash } satisfies KeyChange));
}
