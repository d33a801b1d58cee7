import { createHash, randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'wm_live_';
const randomLength = 43;
const pattern = /^wm_live_[0-9A-Za-z]{43}$/;

/** Generates an API key: `wm_live_` and 43 random characters of base62, 256 bits (2.7). */
export function createApiKey(): string {
  let key = prefix;
  for (let index = 0; index < randomLength; index += 1) key += alphabet[randomInt(alphabet.length)];
  return key;
}

/** Whether a text has the form of an API key; other texts need no look-up. */
export function isApiKey(text: string): boolean {
  return pattern.test(text);
}

/** SHA-256 of a key or token: the only form that is stored. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
