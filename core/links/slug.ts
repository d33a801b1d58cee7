import { randomInt } from 'node:crypto';
import { countCharacters } from '#core/lib/text.ts';

/** Base58: no characters that are mistaken for one another in print. */
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const generatedLength = 7;
const maxLength = 255;

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

/** Whether a slug is a name that others look for on every host (3.3). */
export function isReservedSlug(slug: string): boolean {
  return reserved.has(slug);
}

// One character as a reader sees it: an emoji that Unicode recommends, pictographs joined by a zero-width joiner beyond
// those, a pair of regional indicators; or a letter, a mark, a digit, one of four signs.
const pictograph = String.raw`(?=\p{ExtPict})(?:\p{RGI_Emoji}|\p{ExtPict})[\uFE0F\p{EMod}]*`;
const character = new RegExp(
  String.raw`${pictograph}(?:\u200D${pictograph})*|\p{RGI_Emoji}|\p{RI}{2}|[\p{L}\p{M}\p{Nd}\-_.~]`,
  'gv',
);

/**
 * What is wrong with a slug in its NFC form, or undefined: 1 to 255 code points; letters, marks and digits of any
 * script, emoji, `-`, `_`, `.`, `~`; not only dots, not only invisible characters; not reserved (3.3).
 */
export function slugProblem(slug: string): string | undefined {
  const length = countCharacters(slug);
  if (length === 0 || length > maxLength) return 'must have 1 to 255 characters';
  // One by one: a pattern of the whole would try every way to divide it, which takes for ever for a row of emoji.
  if (slug.replaceAll(character, '') !== '') return 'may hold letters, digits, emoji and - _ . ~ only';
  const key = slugKey(slug);
  if (/^\.+$/.test(key)) return 'must not be only dots';
  // Marks that draw nothing, fillers of Hangul, variation selectors.
  if (/^\p{DI}+$/u.test(slug)) return 'must not be only invisible characters';
  if (isReservedSlug(key)) return 'is reserved';
  return undefined;
}

const variationSelector = '\uFE0F';

/**
 * The form of a slug in NFC that tells links apart: without U+FE0F, which only asks for a colourful picture of the sign before
 * it, and which keyboards and messengers add and drop (3.3).
 */
export function slugKey(slug: string): string {
  return slug.includes(variationSelector) ? slug.replaceAll(variationSelector, '') : slug;
}

/**
 * A random slug of base58 that nobody can guess from others.
 * @param attempt how often a generated slug was taken already: each time it grows by a character.
 */
export function generateSlug(attempt = 0): string {
  let slug = '';
  for (let index = 0; index < generatedLength + attempt; index += 1) slug += alphabet[randomInt(alphabet.length)];
  return slug;
}
