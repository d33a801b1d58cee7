import { type QueryClient, useIsMutating } from '@tanstack/react-query';

/** The mutation key of a deletion, by which pages of the deleted thing know that it is under way. */
export function deletionKey(id: string): readonly string[] {
  return ['deletion', id];
}

/** Whether a thing is being deleted. Its page asks for it no more then, since the answer would be 404. */
export function useIsBeingDeleted(id: string): boolean {
  return useIsMutating({ mutationKey: deletionKey(id) }) > 0;
}

/** Ends the reads of a thing that are under way when its deletion begins. */
export function cancelReads(queries: QueryClient, id: string): Promise<void> {
  return queries.cancelQueries({ predicate: ({ queryKey }) => queryKey.includes(id) });
}
