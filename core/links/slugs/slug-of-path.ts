import { countCharacters } from '#core/lib/schemas.ts';
import { slugKey } from './slug.ts';

const plainSlug = /^[A-Za-z0-9_.~-]+$/;
// oxlint-disable-next-line no-control-regex -- no slug holds one, and PostgreSQL cannot hold NUL.
const controls = /[\u0000-\u001f\u007f]/;
const encodedQuery = /&|%26|%3f/i;
// Quotes of any language (Pi, Pf), blanks and characters without width (Cf) among them. No slug ends with one of Cf but those beyond
// U+FFFF, with which flags end and of which this meets the halves alone.
const pasted = /[)\],.;!>"'`‚„\p{Pi}\p{Pf}\p{Cf}\s]/u;
// No slug has more (3.3).
const maxSlugCharacters = 255;
// Decomposed, a character may become four of three bytes each (UAX #15), and each byte is written as three characters.
const maxPathLength = maxSlugCharacters * 4 * 3 * 3;

/**
 * The key of the slug of a path (`slugKey`): empty for the bare domain, null where no slug can be meant. One trailing slash is ignored (4.2).
 */
export function slugOf(path: string): string | null {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
  const text = path.slice(1, end);
  if (text.length > maxPathLength) return null;
  if (text === '' || plainSlug.test(text)) return text.length <= maxSlugCharacters ? text : null;
  const slug = decode(text);
  return slug === null ? null : keyOf(slug);
}

/**
 * The key of the slug of a path without what was pasted behind it (4.2): punctuation, quotes and blanks of the text around a link, and
 * everything from an `&`, or a question mark that was encoded. Null where there is nothing of the kind.
 */
export function pastedSlugOf(path: string): string | null {
  const cut = path.search(encodedQuery);
  const text = cut === -1 ? path.slice(1) : path.slice(1, cut);
  const decoded = text.length > maxPathLength ? null : decode(text);
  if (decoded === null) return null;
  const whole = withoutSlash(decoded);
  const kept = withoutPasted(whole);
  if (kept === '' || (cut === -1 && kept === whole)) return null;
  return keyOf(kept === whole ? whole : withoutSlash(kept));
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text).normalize('NFC');
  } catch {
    return null;
  }
}

function keyOf(slug: string): string | null {
  return countCharacters(slug) > maxSlugCharacters ||
    slug.includes('/') ||
    slug.includes('\ufffd') ||
    controls.test(slug)
    ? null
    : slugKey(slug);
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}

/** One by one from the end: a pattern looks at each row of such characters anew, which takes the square of their number. */
function withoutPasted(text: string): string {
  let end = text.length;
  while (end > 0 && pasted.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}
