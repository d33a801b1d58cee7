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

/** @returns why the session does not allow an action in its organization; undefined: it does. */
export function useRefusal(resource: Resource, action: Action): string | undefined {
  const { notAllowed, viewedOnly } = useUiWords();
  const { viewing } = useSession();
  if (useCan(resource, action)) return undefined;
  return viewing === null ? notAllowed : viewedOnly;
}

/** @returns why the session does not allow what owners alone may do; undefined: it does. @param ownersOnly says so. */
export function useOwnersRefusal(ownersOnly: string): string | undefined {
  const { viewedOnly } = useUiWords();
  const { viewing, organization } = useSession();
  if (viewing !== null) return viewedOnly;
  return organization.role === 'owner' ? undefined : ownersOnly;
}
