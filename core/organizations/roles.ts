import { actions, type Permissions } from './permissions.ts';

/** What a person is in an organization (2.8). */
export const roles = ['owner', 'admin', 'member'] as const;

/** A role's name. */
export type Role = (typeof roles)[number];

const memberPermissions: Permissions = {
  shortLinks: actions,
  domains: actions,
  stats: actions,
  files: actions,
  webhooks: actions,
};

/** Whether a role manages the organization: its keys and its people. */
export function isAdmin(role: Role): boolean {
  return role !== 'member';
}

/** What a role may do: all, but for a member nothing with API keys (2.8). */
export function permissionsOf(role: Role): Permissions {
  return isAdmin(role) ? { ...memberPermissions, apiKeys: actions } : memberPermissions;
}
