import { AppError } from '#core/errors/errors.ts';
import type { Actor } from '#core/audit/actor.ts';
import { findWiderLimit, type KeyLimits } from '#core/organizations/key-limits.ts';
import {
  findMissing,
  isAllowed,
  type Permissions,
  permissionsOf,
  resources,
  type Role,
} from '#core/organizations/permissions.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ApiKey, Membership } from '#db/entities/accounts/people.ts';
import { limitsOfKey, permissionsOfKey } from '#db/organizations/api-keys.ts';

/**
 * Checks grants: a session of an owner or admin grants everything, a key only what it holds. Neither grants a key that may be used for
 * longer or from more places (2.5). Reads the database, since a role or a key may have been narrowed after the call was let in.
 * @param limits `wanted` of the key; `present`: limits that it has already, which need no grant.
 * @throws AppError ACTION_NOT_ALLOWED naming the permission or the limit that may not be granted, UNAUTHORIZED for a revoked key
 * and for a person who has left the organization.
 */
export async function requireGrants(
  em: EntityManager,
  { organizationId, userId, keyId }: Pick<Actor, 'organizationId' | 'userId' | 'keyId'>,
  granted: Permissions,
  limits: { wanted: KeyLimits; present?: KeyLimits },
): Promise<void> {
  const role = await em.getRepository(Membership).roleOf({ organizationId, userId }, 'share');
  const key = keyId === undefined ? undefined : await em.getRepository(ApiKey).read(keyId, 'share');
  // The key was revoked, or the person removed, since the call was let in.
  if (keyId === undefined ? role === undefined : key === undefined) throw new AppError('UNAUTHORIZED');
  const held = key === undefined ? permissionsOf(role ?? 'member') : permissionsOfKey(key);
  const missing = findMissing(granted, held);
  if (missing !== undefined) {
    const { resource, action } = missing;
    const who = key === undefined ? 'A member' : 'This key';
    throw new AppError('ACTION_NOT_ALLOWED', `${who} may not grant ${action} ${resource}.`, { resource, action });
  }
  if (key === undefined) return;
  const present = limits.present === undefined ? [] : [limits.present];
  const wider = findWiderLimit(limits.wanted, [limitsOfKey(key.key), ...present]);
  if (wider !== undefined) {
    const message = `This key may not grant ${wider} beyond its own.`;
    const action = limits.present === undefined ? 'create' : 'update';
    throw new AppError('ACTION_NOT_ALLOWED', message, { resource: 'apiKeys', action });
  }
}

// A member signs in from anywhere, for as long as they are one.
export const limitsOfMember: KeyLimits = { expiresAt: null, allowedAddresses: null, folderIds: null, domainIds: null };

/**
 * Checks that the caller may give a person a role: a key only one whose permissions it holds, without a limit of its own (2.5).
 * @param before the person's present role; undefined: none.
 * @throws AppError as `requireGrants`.
 */
export async function requireRoleGrant(em: EntityManager, actor: Actor, role: Role, before?: Role): Promise<void> {
  const present = before === undefined ? {} : permissionsOf(before);
  if (findMissing(permissionsOf(role), present) === undefined) return;
  await requireGrants(em, actor, withoutHeld(permissionsOf(role), present), { wanted: limitsOfMember });
}

/** The permissions that `held` lacks. */
export function withoutHeld(permissions: Permissions, held: Permissions): Permissions {
  return Object.fromEntries(
    resources.map((resource) => [
      resource,
      (permissions[resource] ?? []).filter((action) => !isAllowed(held, resource, action)),
    ]),
  );
}

export const notOfRole = (message: string, action: 'create' | 'update' | 'delete'): AppError =>
  new AppError('ACTION_NOT_ALLOWED', message, { resource: 'apiKeys', action });
