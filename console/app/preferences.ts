import { keep, readKept } from '#console/ui/browser/kept.ts';
import { createStore } from '#console/ui/browser/store.ts';

// What is only taste, remembered in this browser. Filters and sorts that others should see are in the URL.

interface Preferences {
  theme: 'system' | 'light' | 'dark';
  /** Whether single letters act as keys (WCAG 2.1.4). */
  hasSingleKeys: boolean;
  /** Whether rows of lists have one line. */
  isDense: boolean;
  hiddenColumns: readonly string[];
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

const kept = readKept('localStorage', key) as Partial<Preferences> | undefined;
const preferences = createStore<Preferences>({ ...defaults, ...kept });

export const readPreferences = preferences.get;

/** @returns the preferences, as they change. */
export const usePreferences = preferences.use;

/** Changes preferences, and keeps them for the next visit. */
export function setPreferences(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
  keep('localStorage', key, preferences.get());
  applyTheme();
}

export function applyTheme(): void {
  const { theme } = preferences.get();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
