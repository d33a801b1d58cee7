import type { Action, Resource } from '#core/organizations/permissions.ts';
import { useSession } from './sign-in/session-context.tsx';

/** @returns whether the person's role allows an action in the organization of the session. */
export function useCan(resource: Resource, action: Action): boolean {
  return useSession().permissions[resource]?.includes(action) ?? false;
}
