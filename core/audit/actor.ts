import type { Permissions } from '#core/organizations/permissions.ts';
import type { Plan } from '#core/organizations/plans.ts';
import type { Reach } from '#core/organizations/reach.ts';

/** The actor of a call: its organization and plan, its permissions, and the user to whom changes are attributed. */
export interface Actor {
  organizationId: string;
  plan: Plan;
  userId: string;
  permissions: Permissions;
  /** The call's API key; undefined for a session and for work of the service itself. */
  keyId?: string;
  /** The folders and domains to which the call's key is restricted; undefined: none. */
  reach?: Reach | undefined;
  /** Name that the MCP client of the call gave itself, as `toClientName` bounds it; undefined: none, or another call. */
  client?: string | undefined;
  /** Whether staff act through the internal tools. */
  isStaff?: boolean;
}
