import { type Language, useLanguage } from './language.ts';
import { type UiWords, uiWords } from './ui.ts';

/**
 * Makes a hook that returns an area's sentences in the person's language, and those of components, such as `save`, where the area has none
 * of that name. The type of the English dictionary is that of all others, so a missing sentence does not compile.
 */
export function createWords<W extends object>(dictionaries: Record<Language, W>): () => W & Omit<UiWords, keyof W> {
  const words = {
    en: { ...uiWords.en, ...dictionaries.en },
    de: { ...uiWords.de, ...dictionaries.de },
  };
  return () => words[useLanguage()];
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
