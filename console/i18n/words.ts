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

/**
 * Makes a hook that returns an area's sentences in the person's language. The type of the English dictionary is that of all
 * others, so a missing sentence does not compile.
 */
export function createWords<W extends object>(dictionaries: Record<Language, W>): () => W {
  return () => dictionaries[useLanguage()];
}

/** A number as the language writes it. */
export function number(language: Language, value: number): string {
  return new Intl.NumberFormat(language).format(value);
}

/** The form of a sentence for a number, by the language's rules. */
export function plural(language: Language, count: number, forms: { one: string; other: string }): string {
  const form = new Intl.PluralRules(language).select(count) === 'one' ? forms.one : forms.other;
  return form.replace('#', number(language, count));
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
