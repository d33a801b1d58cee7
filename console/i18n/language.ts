import { createContext, useContext } from 'react';

export const languages = ['en', 'de'] as const;
/** A language of the console. */
export type Language = (typeof languages)[number];

/** The language that the person reads. */
export const LanguageContext = createContext<Language>('en');

/** @returns the language of the console at this place of the page. */
export function useLanguage(): Language {
  return useContext(LanguageContext);
}

const remembered = 'waymark.language';

/** The language that the person chose in this browser, else the browser's, else English. */
export function initialLanguage(): Language {
  const wanted = [localStorage.getItem(remembered), ...navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())];
  return wanted.find((tag): tag is Language => languages.includes(tag as Language)) ?? 'en';
}

/** Keeps the language for the next visit of this browser. */
export function rememberLanguage(language: Language): void {
  localStorage.setItem(remembered, language);
}
