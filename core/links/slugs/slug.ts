import { countCharacters } from '#core/lib/schemas.ts';
import { lengths } from '#core/lengths.ts';

const reserved = new Set([
  '.well-known',
  'robots.txt',
  'ads.txt',
  'app-ads.txt',
  'security.txt',
  'sitemap.xml',
  'humans.txt',
  'favicon.ico',
  'apple-app-site-association',
]);

/** Whether software looks for this name on every host (3.3). */
export function isReservedSlug(slug: string): boolean {
  return reserved.has(slug);
}

// One character as a reader sees it: an emoji of Unicode's recommended set, other pictographs joined by a zero-width joiner, a
// pair of regional indicators; or a letter, a mark, a digit, one of four signs.
const pictograph = String.raw`(?=\p{ExtPict})(?:\p{RGI_Emoji}|\p{ExtPict})[\uFE0F\p{EMod}]*`;
const character = new RegExp(
  String.raw`${pictograph}(?:\u200D${pictograph})*|\p{RGI_Emoji}|\p{RI}{2}|[\p{L}\p{M}\p{Nd}\-_.~]`,
  'gv',
);

/**
 * Checks a slug in NFC: 1 to 255 code points; letters, marks and digits of any script, emoji, `-`, `_`, `.`, `~`; not only
 * dots and invisible characters; not reserved (3.3). @returns the problem, or undefined.
 */
export function slugProblem(slug: string): string | undefined {
  const length = countCharacters(slug);
  if (length === 0 || length > lengths.slug) return 'must have 1 to 255 characters';
  // One by one: a pattern of the whole slug backtracks exponentially over a row of emoji.
  if (slug.replaceAll(character, '') !== '') return 'may hold letters, digits, emoji and - _ . ~ only';
  const key = slugKey(slug);
  // Marks without ink, Hangul fillers, variation selectors.
  if (/^[.\p{DI}]*$/u.test(key)) return 'must not be only dots and invisible characters';
  if (isReservedSlug(key)) return 'is reserved';
  return undefined;
}

const variationSelector = '\uFE0F';

/**
 * The form of a slug in NFC that tells links apart: without U+FE0F, which asks for a colourful picture of the sign before it;
 * keyboards and messengers add and drop it (3.3).
 */
export function slugKey(slug: string): string {
  return slug.includes(variationSelector) ? slug.replaceAll(variationSelector, '') : slug;
}
