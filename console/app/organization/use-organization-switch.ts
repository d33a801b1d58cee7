import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { switchOrganization } from '#console/api/people/session.ts';
import { sayFailed } from '#console/ui/messages.tsx';
import { moveSession } from '#console/app/refresh-session.ts';
import { useAppWords } from '#console/app/words.ts';

/** @returns a function that moves the session to another organization of the person, and shows its links. */
export function useOrganizationSwitch(): (id: string) => Promise<void> {
  const words = useAppWords();
  const queries = useQueryClient();
  const router = useRouter();
  return useCallback(
    async (id: string) => {
      try {
        const session = await switchOrganization(id);
        await router.navigate({ to: '/links', search: {} });
        await moveSession(queries, session);
        await router.invalidate();
      } catch (error) {
        sayFailed(words.switchOrganization, error);
      }
    },
    [words, queries, router],
  );
}
