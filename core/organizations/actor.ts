import type { Permissions } from './permissions.ts';
import type { Plan } from './plans.ts';

/** Who acts: the organization, its plan, what the key may do, and the user to whom the action is attributed. */
export interface Actor {
  organizationId: string;
  plan: Plan;
  userId: string;
  permissions: Permissions;
  /** The API key that the call bears; undefined for a session and for work of the service itself. */
  keyId?: string;
}
