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

/** Whether `permissions` allow `action` on `resource`. */
export function isAllowed(permissions: Permissions, resource: Resource, action: Action): boolean {
  return Object.hasOwn(permissions, resource) && (permissions[resource]?.includes(action) ?? false);
}
