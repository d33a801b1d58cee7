import type { Permissions } from './permissions.ts';
import type { Plan } from './plans.ts';

/** The actor of a call: its organization and plan, its permissions, and the user to whom changes are attributed. */
export interface Actor {
  organizationId: string;
  plan: Plan;
  userId: string;
  permissions: Permissions;
  /** The call's API key; undefined for a session and for work of the service itself. */
  keyId?: string;
  /** Whether staff act through the internal tools. */
  isStaff?: boolean;
}
