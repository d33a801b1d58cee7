import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';

/** A change of some parameters; undefined takes one away. */
export type SearchChange<S extends object> = { [Name in keyof S]?: S[Name] | undefined };

// The parameters that each page was shown with last, by its path.
const lastSearches = new Map<string, object>();

/** The parameters that a page with `usePageSearch` was shown with last in this visit: a link back to a list leads to it as it was left. */
export function lastSearch(path: string): object {
  return { ...lastSearches.get(path) };
}

/**
 * The parameters of the page that is shown, and a function that changes some of them: the list begins at its first page again, unless
 * the change names one. A `replace` makes no step of Back, such as for each letter of a search.
 */
export function usePageSearch<S extends object>(): {
  search: S;
  change: (next: SearchChange<S>, options?: { replace?: boolean }) => void;
} {
  const search = useRouterState({ select: ({ matches }) => matches.at(-1)?.search }) as unknown as S;
  const path = useRouterState({ select: ({ matches }) => matches.at(-1)?.pathname ?? '' });
  useEffect(() => void lastSearches.set(path, { ...search, new: undefined }), [path, search]);
  const navigate = useNavigate();
  const change = useCallback(
    (next: SearchChange<S>, { replace = false } = {}) => {
      const { page } = next as { page?: number };
      void navigate({
        to: '.',
        replace,
        search: (before) => ({ ...before, ...next, page: page === 1 ? undefined : page }),
      });
    },
    [navigate],
  );
  return { search, change };
}

/** The parameters of a list with a search box, and what the box calls with its text. */
export function useListSearch<S extends { q?: string | undefined; page?: number | undefined }>() {
  const { search, change } = usePageSearch<S>();
  const searchFor = useCallback(
    (text: string) => change({ q: text === '' ? undefined : text } as SearchChange<S>, { replace: true }),
    [change],
  );
  return { search, change, searchFor };
}
