import type { Action, Resource } from '#core/organizations/permissions.ts';
import type { Session } from '#console/api/types.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { useSession } from './sign-in/session-context.tsx';

/** Whether the organization of a session is suspended: staff alone have such a session, and nothing but their own pages answers it. */
export function isHalted({ organization, viewing }: Session): boolean {
  return organization.isSuspended && viewing === null;
}

/** @returns whether the person's role allows an action in the organization of the session. */
export function useCan(resource: Resource, action: Action): boolean {
  return useSession().permissions[resource]?.includes(action) ?? false;
}

/** @returns why the person's role does not allow an action in the organization of the session; undefined: it does. */
export function useRefusal(resource: Resource, action: Action): string | undefined {
  const { notAllowed } = useUiWords();
  return useCan(resource, action) ? undefined : notAllowed;
}
