import { useMemo, useSyncExternalStore } from 'react';
import type { LinksSearch } from '#console/links/search.ts';

// Filters of the list under a name. The API has no place for what a person prefers, and a view is no more than an address: so this
// browser keeps them, apart by person and organization, whose folders they name by ids.

/** A list of links that the person comes back to. */
interface SavedView {
  name: string;
  search: Omit<LinksSearch, 'page'>;
}

/** The most views of a person; the oldest go first. */
export const mostViews = 30;
/** The views after one is saved; one of the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const others = views.filter(({ name }) => name.toLowerCase() !== view.name.toLowerCase());
  return [...others, view].slice(-mostViews);
}

/** Whether a view is what the page shows. */
export function isShown({ search }: SavedView, { page: _page, ...shown }: LinksSearch): boolean {
  const sorted = (one: object): string =>
    JSON.stringify(
      Object.entries(one)
        .filter(([, value]) => value !== undefined)
        .toSorted(),
    );
  return sorted(search) === sorted(shown);
}

/** The views of a person. @param key of the person and the organization. */
export function useSavedViews(key: string) {
  const name = `waymark.views.${key}`;
  const text = useSyncExternalStore(subscribe, () => localStorage.getItem(name));
  const views = useMemo(() => readViews(text), [text]);
  const write = (next: readonly SavedView[]): void => {
    localStorage.setItem(name, JSON.stringify(next));
    // Browsers tell other tabs alone.
    dispatchEvent(new StorageEvent('storage'));
  };
  return {
    views,
    save: (view: SavedView) => write(withView(views, view)),
    remove: (gone: string) => write(views.filter((view) => view.name !== gone)),
  };
}

function subscribe(listener: () => void): () => void {
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}

function readViews(text: string | null): readonly SavedView[] {
  try {
    const views: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(views) ? (views as SavedView[]) : [];
  } catch {
    return [];
  }
}
