import { infiniteQueryOptions, type QueryKey, queryOptions, type UnusedSkipTokenOptions } from '@tanstack/react-query';
import { call, type CallOptions } from './client.ts';

type Request = Pick<CallOptions, 'params' | 'query' | 'isSignIn'>;

/** Options of a query that calls one GET of the API. @param queryKey begins with the resource's name; invalidating that name reads all of its queries again. */
export function readQuery<T>(
  queryKey: QueryKey,
  path: string,
  { params, query, isSignIn, ...options }: Request & Omit<UnusedSkipTokenOptions<T>, 'queryKey' | 'queryFn'> = {},
) {
  const queryFn = ({ signal }: { signal: AbortSignal }) => call<T>('GET', path, { params, query, isSignIn, signal });
  return queryOptions<T>({ queryKey, queryFn, ...options });
}

/** A list of a GET, page after page by its cursors. @param refetchInterval in milliseconds; undefined: it is read once. */
export function pagesQuery<Page extends { nextCursor: string | null }>(
  queryKey: QueryKey,
  path: string,
  query: Request['query'],
  refetchInterval?: number,
) {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) => call<Page>('GET', path, { query: { ...query, cursor }, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval,
  });
}
