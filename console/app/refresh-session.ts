import type { QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '#console/api/session.ts';

/** Reads the session again after its organization changed, and forgets what was read of the one before. */
export async function refreshSession(queries: QueryClient): Promise<void> {
  await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
  queries.removeQueries({ type: 'inactive' });
  await queries.invalidateQueries();
}
