import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'wm_live_';
// 220 bits.
const randomLength = 37;
// 62^6 exceeds 2^32: six characters hold each CRC-32.
const checksumLength = 6;
const pattern = /^wm_live_[0-9A-Za-z]{43}$/;

/**
 * Generates an API key: `wm_live_` and 43 characters of base62, 37 random ones and their checksum. Keys of earlier versions
 * have 43 random characters.
 */
export function createApiKey(): string {
  let random = '';
  for (let index = 0; index < randomLength; index += 1) random += alphabet[randomInt(alphabet.length)];
  return prefix + random + checksumOf(random);
}

/** Whether a text has the form of an API key; other texts need no look-up. */
export function isApiKey(text: string): boolean {
  return pattern.test(text);
}

/** Whether the last six characters of an API key are the checksum of the 37 before them, as in all keys that this version makes. */
export function hasChecksum(key: string): boolean {
  const text = key.slice(prefix.length);
  return text.slice(randomLength) === checksumOf(text.slice(0, randomLength));
}

/** CRC-32 (ISO 3309) of a text in base62, most significant digit first, filled up with zeros. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < checksumLength; index += 1) {
    digits = alphabet[rest % alphabet.length] + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/** SHA-256 of a key or token: the only form that is stored. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
