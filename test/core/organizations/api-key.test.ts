import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createApiKey, hasChecksum, isApiKey } from '#core/organizations/api-key.ts';

const alphabet = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');

it('new keys have their form and their checksum, and no two are equal', () => {
  const keys = Array.from({ length: 1_000 }, createApiKey);
  expect(keys.every((key) => isApiKey(key) && hasChecksum(key))).toBe(true);
  expect(new Set(keys).size).toBe(1_000);
});

it('a key of the documentation has its checksum', () => {
  expect(hasChecksum(`wm_live_${'0'.repeat(37)}3jnQlY`)).toBe(true);
});

it('the checksum finds every key in which one character, or two neighbours, are mistyped', () => {
  const place = fc.nat(42);
  fc.assert(
    fc.property(place, fc.constantFrom(...alphabet), (at, character) => {
      const key = createApiKey();
      const typed = key.slice(0, 8 + at) + character + key.slice(9 + at);
      expect(hasChecksum(typed)).toBe(typed === key);
    }),
  );
  fc.assert(
    fc.property(fc.nat(41), (at) => {
      const key = createApiKey();
      const [first, second] = key.slice(8 + at);
      const typed = key.slice(0, 8 + at) + second + first + key.slice(10 + at);
      expect(hasChecksum(typed)).toBe(typed === key);
    }),
  );
});
