import { useSyncExternalStore } from 'react';
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
const prefix = 'waymark.views.';
const listeners = new Set<() => void>();
const none: readonly SavedView[] = [];
let read: { key: string; text: string | null; views: readonly SavedView[] } | undefined;

/** Keeps the views. */
function write(key: string, views: readonly SavedView[]): void {
  localStorage.setItem(prefix + key, JSON.stringify(views));
  for (const listener of listeners) listener();
}

function readViews(key: string): readonly SavedView[] {
  const text = localStorage.getItem(prefix + key);
  if (read?.key === key && read.text === text) return read.views;
  try {
    const views: unknown = JSON.parse(text ?? '[]');
    read = { key, text, views: Array.isArray(views) ? (views as SavedView[]) : none };
  } catch {
    read = { key, text, views: none };
  }
  return read.views;
}

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
  const views = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      addEventListener('storage', listener);
      return () => {
        listeners.delete(listener);
        removeEventListener('storage', listener);
      };
    },
    () => readViews(key),
  );
  return {
    views,
    save: (view: SavedView) => write(key, withView(views, view)),
    remove: (name: string) =>
      write(
        key,
        views.filter((view) => view.name !== name),
      ),
  };
}
