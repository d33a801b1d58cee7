import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { switchOrganization } from '#console/api/people/session.ts';
import type { Session } from '#console/api/types.ts';
import { sayFailed } from '#console/ui/messages.tsx';
import { moveSession } from '#console/app/refresh-session.ts';
import { useAppWords } from '#console/app/words.ts';

/** @returns a function that shows the links of another organization that the session is in now. */
export function useShowOrganization(): (session: Session) => Promise<void> {
  const queries = useQueryClient();
  const router = useRouter();
  return useCallback(
    async (session) => {
      await router.navigate({ to: '/links', search: {} });
      await moveSession(queries, session);
      await router.invalidate();
    },
    [queries, router],
  );
}

/** @returns a function that moves the session to another organization of the person, and shows its links. */
export function useOrganizationSwitch(): (id: string) => Promise<void> {
  const words = useAppWords();
  const show = useShowOrganization();
  return useCallback(
    async (id: string) => {
      try {
        await show(await switchOrganization(id));
      } catch (error) {
        sayFailed(words.switchOrganization, error);
      }
    },
    [words, show],
  );
}
