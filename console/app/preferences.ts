import { createStore } from '#console/ui/browser/store.ts';

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
function read(): Preferences {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    return { ...defaults, ...(typeof kept === 'object' ? kept : {}) };
  } catch {
    return defaults;
  }
}

const preferences = createStore(read());

/** The preferences of this browser now. */
export const readPreferences = preferences.get;

/** @returns the preferences, as they change. */
export const usePreferences = preferences.use;

/** Changes preferences, and keeps them for the next visit. */
export function setPreferences(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
  localStorage.setItem(key, JSON.stringify(preferences.get()));
  applyTheme();
}

/** Puts the theme on the page. */
export function applyTheme(): void {
  const { theme } = preferences.get();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
