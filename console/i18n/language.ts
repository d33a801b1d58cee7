import { createStore } from '#console/ui/browser/store.ts';

export const languages = ['en', 'de'] as const;
/** A language of the console. */
export type Language = (typeof languages)[number];

const remembered = 'waymark.language';
const language = createStore<Language>('en');

/** @returns the language of the console, as it changes. */
export const useLanguage = language.use;

/** Shows the console in the language that the person chose in this browser, else in the browser's, else in English. */
export function applyLanguage(): void {
  const wanted = [localStorage.getItem(remembered), ...navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())];
  const known = wanted.find((tag): tag is Language => languages.includes(tag as Language)) ?? 'en';
  document.documentElement.lang = known;
  language.set(known);
}

/** Changes the language, and keeps it for the next visit of this browser. */
export function setLanguage(next: Language): void {
  localStorage.setItem(remembered, next);
  applyLanguage();
}
