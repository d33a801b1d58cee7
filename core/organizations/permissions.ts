import * as z from 'zod';

/** Resources that permissions name. Each route names its own (`config.access`); `api/plugins/caller/access.ts` refuses the others. */
export const resources = ['shortLinks', 'domains', 'stats', 'files', 'apiKeys', 'webhooks'] as const;
export const actions = ['create', 'read', 'update', 'delete'] as const;

export type Resource = (typeof resources)[number];
export type Action = (typeof actions)[number];
/** Types of API keys: of a member, the one of the organization, and those of its programs. */
export const keyTypes = ['user', 'bot', 'integration'] as const;
export type KeyType = (typeof keyTypes)[number];
/** Permissions of a key: resource to actions. */
export type Permissions = Partial<Record<Resource, readonly Action[]>>;

/** One action on one resource. */
interface Permission {
  resource: Resource;
  action: Action;
}

/** The first permission of `wanted` that `held` lacks, or undefined. */
export function findMissing(wanted: Permissions, held: Permissions): Permission | undefined {
  for (const resource of resources) {
    const action = wanted[resource]?.find((one) => !isAllowed(held, resource, one));
    if (action !== undefined) return { resource, action };
  }
  return undefined;
}

export function isAllowed(permissions: Permissions, resource: Resource, action: Action): boolean {
  return Object.hasOwn(permissions, resource) && (permissions[resource]?.includes(action) ?? false);
}

const actionsSchema = z
  .array(z.enum(actions))
  .max(100)
  .overwrite((given) => actions.filter((action) => given.includes(action)))
  .optional();

/** Permissions as clients send them: unknown names are refused, repeated actions count once. */
export const permissionsSchema = z
  .strictObject({
    shortLinks: actionsSchema,
    domains: actionsSchema,
    stats: actionsSchema,
    files: actionsSchema,
    apiKeys: actionsSchema,
    webhooks: actionsSchema,
  } satisfies Record<Resource, typeof actionsSchema>)
  .meta({ id: 'Permissions', description: 'Allowed actions by resource.' });

export const roles = ['owner', 'admin', 'member'] as const;

export type Role = (typeof roles)[number];

const memberPermissions: Permissions = {
  shortLinks: actions,
  domains: actions,
  stats: actions,
  files: actions,
  webhooks: actions,
};

/** Whether a role manages the organization: its keys and its members. */
export function isAdmin(role: Role): boolean {
  return role !== 'member';
}

/** The part of permissions that changes nothing. */
export function readOnly(permissions: Permissions): Permissions {
  const readable = resources.filter((resource) => isAllowed(permissions, resource, 'read'));
  return Object.fromEntries(readable.map((resource) => [resource, ['read']]));
}

/** Permissions of a role: all, except that a member has none for API keys. */
export function permissionsOf(role: Role): Permissions {
  return isAdmin(role) ? { ...memberPermissions, apiKeys: actions } : memberPermissions;
}

/** The permissions of a key as far as its holder's role allows them now: `apiKeys` is for user keys of owners and admins. */
export function heldPermissions(
  permissions: Permissions,
  { type, role }: { type: KeyType; role: Role | undefined },
): Permissions {
  if (type === 'user' && role !== undefined && isAdmin(role)) return permissions;
  const { apiKeys: _withheld, ...held } = permissions;
  return held;
}
