import { createHash, randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'wm_live_';
const randomLength = 43;
const pattern = /^wm_live_[0-9A-Za-z]{43}$/;

/** Makes an API key: `wm_live_` and 43 random characters of base62, 256 bits (2.7). */
export function createApiKey(): string {
  let key = prefix;
  for (let index = 0; index < randomLength; index += 1) key += alphabet[randomInt(alphabet.length)];
  return key;
}

/** Whether `text` has the form of an API key; what has not, needs no look-up. */
export function isApiKey(text: string): boolean {
  return pattern.test(text);
}

/** The SHA-256 of a key or token, the only form in which it is kept. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
