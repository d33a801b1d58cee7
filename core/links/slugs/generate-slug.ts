import { randomInt } from 'node:crypto';

/** Base58: no characters that look alike in print. */
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const generatedLength = 7;

/**
 * Generates a random base58 slug, which cannot be guessed from others.
 * @param attempt how many generated slugs were taken: the slug grows by a character each time.
 */
export function generateSlug(attempt = 0): string {
  let slug = '';
  for (let index = 0; index < generatedLength + attempt; index += 1) slug += alphabet[randomInt(alphabet.length)];
  return slug;
}
