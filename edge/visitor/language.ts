import { copyField } from '#core/clicks/click.ts';
import { acceptedLanguages, comparableLanguage } from '#core/routing/languages.ts';
import { rememberTexts } from '#core/lib/text/remember-texts.ts';

interface Language {
  /** `comparableLanguage`; null: unknown. */
  readonly tag: string | null;
  /** The base language as a field of a journal's line. */
  readonly field: string;
}

const maxLanguages = 2_000;
const maxLength = 1_024;

/** Reads Accept-Language headers through a cache. */
export function createLanguages(): (header: string | undefined) => Language {
  const read = rememberTexts(maxLanguages, (header): Language => {
    const tag = preferredLanguage(header);
    return { tag, field: copyField(tag === null ? null : tag.split('-')[0]!) };
  });
  // A header longer than any browser's is cut behind its last whole language.
  return (header = '') =>
    read(header.length > maxLength ? header.slice(0, Math.max(0, header.lastIndexOf(',', maxLength))) : header);
}

/** The most wanted language of an Accept-Language header, or null. */
export function preferredLanguage(header: string): string | null {
  for (const range of acceptedLanguages(header)) {
    const language = comparableLanguage(range);
    if (language !== null) return language;
  }
  return null;
}
