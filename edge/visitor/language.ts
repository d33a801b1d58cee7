import { copyField } from '#core/clicks/click.ts';
import { createBoundedCache } from '#edge/bounded-cache.ts';

/** The language that a visitor prefers. */
interface Language {
  /** `xx` or `xx-YY`; null: unknown. */
  readonly tag: string | null;
  /** The base language as a field of a journal's line. */
  readonly field: string;
}

const maxLanguages = 2_000;
const maxBytes = 4 * 1_024 * 1_024;
const maxLength = 1_024;

/** Reads Accept-Language headers through a cache. */
export function createLanguages(): (header: string | undefined) => Language {
  const cache = createBoundedCache<Language>({ max: maxLanguages, maxBytes });
  return (header = '') => {
    // A header longer than any browser's is cut behind its last whole language.
    const key = header.length > maxLength ? header.slice(0, Math.max(0, header.lastIndexOf(',', maxLength))) : header;
    let language = cache.get(key);
    if (language === undefined) {
      const tag = preferredLanguage(key);
      language = { tag, field: copyField(tag === null ? null : tag.split('-')[0]!) };
      cache.set(key, language);
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
    const tag = toTag(range.trim());
    if (tag !== null && quality > bestQuality && quality <= 1) {
      best = tag;
      bestQuality = quality;
    }
  }
  return best;
}

/**
 * A language range as `xx` or `xx-YY`, without scripts, variants and extensions; an extension begins with a single letter or
 * digit and may contain a subtag that looks like a region. Null for `*` and for invalid ranges.
 */
function toTag(range: string): string | null {
  const [language = '', ...rest] = range.split('-');
  if (!/^[a-z]{2,3}$/i.test(language)) return null;
  const extension = rest.findIndex((part) => part.length === 1);
  const region = rest.slice(0, extension === -1 ? undefined : extension).find((part) => /^[a-z]{2}$/i.test(part));
  return region === undefined ? language.toLowerCase() : `${language.toLowerCase()}-${region.toUpperCase()}`;
}
