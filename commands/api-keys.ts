import { v7 as uuidv7 } from 'uuid';
import type { Actor } from '../core/actor.ts';
import { createApiKey, hashToken } from '../core/api-key.ts';
import { AppError, invalid } from '../core/errors.ts';
import { requireOwn } from '../core/ownership.ts';
import type { Permissions } from '../core/permissions.ts';
import { isAdmin, type Role } from '../core/roles.ts';
import {
  type ApiKeyRow,
  type ApiKeyType,
  insertApiKey,
  readApiKey,
  setApiKey,
  tombstoneApiKey,
} from '../db/api-keys.ts';
import { isDuplicate } from '../db/constraint.ts';
import type { Sql } from '../db/database.ts';
import { channels, type KeyChange, notify } from '../db/notify.ts';
import { findBot, readRole } from '../db/people.ts';

/** A key to make. A user key is the user's, a bot key the organization's bot's; `value` is made where it is not given. */
export type ApiKeyDraft = {
  organizationId: string;
  name: string;
  permissions: Permissions;
  value?: string;
} & ({ type: 'user'; userId: string } | { type: 'bot' });

/** A new key's record, and `key`, its value, which is kept nowhere. */
export type CreatedKey = ApiKeyRow & { key: string };

/**
 * Makes an API key (2.6). `apiKeys` may be held only by the user key of an owner or admin (2.5).
 * @throws AppError VALIDATION_ERROR for a user who is not a member or a permission that the key may not hold, ALREADY_EXIST
 * for a second user key of a user, or a second bot key.
 */
export async function createKey(tx: Sql, draft: ApiKeyDraft, { now }: { now: Date }): Promise<CreatedKey> {
  const { organizationId, type, name, permissions, value = createApiKey() } = draft;
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
    if (isDuplicate(error, 'api_keys_bot_key')) throw inUse('This organization has a bot key already.');
    throw isDuplicate(error, 'api_keys_user_key') ? inUse('This user has a key of this organization already.') : error;
  }
  return { key: value, ...record, lastUsedAt: null };
}

const inUse = (message: string): AppError => new AppError('ALREADY_EXIST', message);

/** Whose key it will be; the lock keeps a person a member until the key is there. */
async function requireHolder(tx: Sql, draft: ApiKeyDraft): Promise<{ userId: string; role: Role | undefined }> {
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

function requireGrantable(permissions: Permissions, type: ApiKeyType, role: Role | undefined): void {
  if ((permissions.apiKeys ?? []).length === 0) return;
  if (type === 'user' && role !== undefined && isAdmin(role)) return;
  throw invalid('permissions.apiKeys', 'may be held only by the user key of an owner or admin');
}

/**
 * Changes a key's name, its permissions or both, in force with the next call on every process.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR for a permission that the key may not hold.
 */
export async function updateKey(
  tx: Sql,
  actor: Actor,
  id: string,
  patch: { name?: string | undefined; permissions?: Permissions | undefined },
): Promise<void> {
  const { organizationId, userId, type } = requireOwn(
    await readApiKey(tx, id, 'for no key update of k'),
    actor,
    'API key',
  );
  const { permissions } = patch;
  if (permissions !== undefined) {
    const role = type === 'user' ? await readRole(tx, { organizationId, userId }) : undefined;
    requireGrantable(permissions, type, role);
  }
  await announceKey(tx, await setApiKey(tx, id, patch));
}

/** Revokes a key for good; the next call with it fails on every process. @throws AppError NOT_FOUND, FORBIDDEN. */
export async function revokeKey(tx: Sql, actor: Actor, id: string): Promise<void> {
  requireOwn(await readApiKey(tx, id, 'for no key update of k'), actor, 'API key');
  await announceKey(tx, await tombstoneApiKey(tx, id));
}

/** Tells every process, with the commit, to read a key again. @param keyHash hex. */
export async function announceKey(tx: Sql, keyHash: string): Promise<void> {
  await notify(tx, channels.keys, JSON.stringify({ keyHash } satisfies KeyChange));
}
