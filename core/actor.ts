import type { Permissions } from './permissions.ts';
import type { Plan } from './plans.ts';

/** Who acts: the organization, its plan, what the key may do, and the user to whom the action is attributed. */
export interface Actor {
  organizationId: string;
  plan: Plan;
  userId: string;
  permissions: Permissions;
}
