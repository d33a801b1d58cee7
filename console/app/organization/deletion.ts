import { type QueryKey, useIsMutating, useQueryClient } from '@tanstack/react-query';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useMutationOnce } from '#console/ui/use-mutation-once.ts';

/** The mutation key of a deletion, by which pages of the deleted thing know that it is under way. */
function deletionKey(id: string): readonly string[] {
  return ['deletion', id];
}

/** Whether a thing is being deleted. Its page asks for it no more then, since the answer would be 404. */
export function useIsBeingDeleted(id: string): boolean {
  return useIsMutating({ mutationKey: deletionKey(id) }) > 0;
}

interface DeletionOptions {
  send: () => Promise<unknown>;
  /** What is said when it worked, and where it failed. */
  done: string;
  failed: string;
  /** Key of what is known of the thing. */
  query: QueryKey;
  /** Leads away from its page. */
  leave: () => Promise<void>;
  refresh: readonly QueryKey[];
}

/** Deletes a thing from its own page. */
export function useDeletion(id: string, { send, done, failed, query, leave, refresh }: DeletionOptions) {
  const queries = useQueryClient();
  return useMutationOnce({
    mutationKey: deletionKey(id),
    // Reads that are under way would be answered by 404.
    onMutate: () => queries.cancelQueries({ predicate: ({ queryKey }) => queryKey.includes(id) }),
    mutationFn: send,
    onSuccess: async () => {
      sayDone(done);
      // The person may be on another page by now.
      if (location.pathname.includes(id)) await leave();
      queries.removeQueries({ queryKey: query });
      await Promise.all(refresh.map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
    onError: (error) => sayFailed(failed, error),
  });
}
