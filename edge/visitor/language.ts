import { copyField } from '#core/clicks/click.ts';
import { comparableLanguage } from '#core/routing/languages.ts';
import { copyText } from '#core/lib/text/copy-text.ts';
import { LRUCache } from 'lru-cache';

/** The language that a visitor prefers. */
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
  const cache = new LRUCache<string, Language>({ max: maxLanguages });
  return (header = '') => {
    // A header longer than any browser's is cut behind its last whole language.
    const key = header.length > maxLength ? header.slice(0, Math.max(0, header.lastIndexOf(',', maxLength))) : header;
    let language = cache.get(key);
    if (language === undefined) {
      const tag = preferredLanguage(key);
      language = { tag, field: copyField(tag === null ? null : tag.split('-')[0]!) };
      cache.set(copyText(key), language);
    }
    return language;
  };
}

/** The language of highest quality in an Accept-Language header (the first of equals, RFC 9110 §12.5.4), or null. */
export function preferredLanguage(header: string): string | null {
  let best: string | null = null;
  let bestQuality = 0;
  for (const item of header.split(',')) {
    const [range = '', ...parameters] = item.split(';');
    const weight = parameters.map((parameter) => /^\s*q\s*=\s*([0-9.]+)\s*$/i.exec(parameter)?.[1]).find(Boolean);
    const quality = weight === undefined ? 1 : Number(weight);
    if (!(quality > bestQuality && quality <= 1)) continue;
    const language = comparableLanguage(range.trim());
    if (language === null) continue;
    best = language;
    bestQuality = quality;
  }
  return best;
}
