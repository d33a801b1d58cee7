import type { QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '#console/api/people/session.ts';
import type { Session } from '#console/api/types.ts';

/** Reads the session again after its organization changed, and forgets what was read of the one before. */
export async function refreshSession(queries: QueryClient): Promise<void> {
  await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
  queries.removeQueries({ type: 'inactive' });
  await queries.invalidateQueries();
}

/**
 * Moves the pages on the screen to another organization, and forgets what was read of the one before. The query of the session stays in the
 * cache: the frame observes it, and an observer of a removed query is never notified.
 * @param session in the other organization; undefined: it is read.
 */
export async function moveSession(queries: QueryClient, session?: Session): Promise<void> {
  const { queryKey } = sessionQuery;
  queries.removeQueries({ predicate: (query) => query.queryKey[0] !== queryKey[0] });
  if (session === undefined) await queries.invalidateQueries({ queryKey });
  else queries.setQueryData(queryKey, session);
}
