import { useSyncExternalStore } from 'react';

// What is only taste, remembered in this browser. Filters and sorts that others should see are in the URL.

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

interface Preferences {
  theme: Theme;
  /** Whether single letters act as keys (WCAG 2.1.4). */
  hasSingleKeys: boolean;
  /** Whether rows of lists have one line. */
  isDense: boolean;
  /** Parts of a row that the person does not want to see. */
  hiddenColumns: readonly string[];
  /** The last sort of the list of links. */
  linkSort: string | undefined;
  /** Whether the person has put away the cards of next steps. */
  areStepsHidden: boolean;
}

const key = 'waymark.preferences';
const defaults: Preferences = {
  theme: 'system',
  hasSingleKeys: true,
  isDense: false,
  hiddenColumns: [],
  linkSort: undefined,
  areStepsHidden: false,
};
const listeners = new Set<() => void>();
let current = read();

function read(): Preferences {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    return { ...defaults, ...(typeof kept === 'object' ? kept : {}) };
  } catch {
    return defaults;
  }
}

/** The preferences of this browser now. */
export function readPreferences(): Preferences {
  return current;
}

/** Changes preferences, and keeps them for the next visit. */
export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  localStorage.setItem(key, JSON.stringify(current));
  applyTheme();
  for (const listener of listeners) listener();
}

/** @returns the preferences, as they change. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

/** Puts the theme on the page. */
export function applyTheme(): void {
  if (current.theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = current.theme;
}
