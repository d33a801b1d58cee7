/** Resources that permissions name. */
export const resources = ['shortLinks', 'domains', 'stats', 'files', 'apiKeys', 'webhooks'] as const;
/** Actions on a resource. */
export const actions = ['create', 'read', 'update', 'delete'] as const;

/** A resource that permissions name. */
export type Resource = (typeof resources)[number];
/** An action on a resource. */
export type Action = (typeof actions)[number];
/** What a key may do: resource to actions. */
export type Permissions = Partial<Record<Resource, readonly Action[]>>;

/** One action on one resource. */
export interface Permission {
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

/** Whether `permissions` allow `action` on `resource`. */
export function isAllowed(permissions: Permissions, resource: Resource, action: Action): boolean {
  return Object.hasOwn(permissions, resource) && (permissions[resource]?.includes(action) ?? false);
}
