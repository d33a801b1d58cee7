import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { readSignedId, writeSignedId } from '#core/secrets/signed-id.ts';

const [key, other] = [randomBytes(32), randomBytes(32)];

test('a token holds its id, and is the same for the same id and key', () => {
  const id = uuidv7();
  const token = writeSignedId(id, key);
  expect(token).toMatch(/^[\w-]{64}$/);
  expect(writeSignedId(id, key)).toBe(token);
  expect(readSignedId(token, [key])).toBe(id);
  expect(readSignedId(token, [other, key])).toBe(id);
});

test('a token of another key, of another id or of another form is not read', () => {
  const token = writeSignedId(uuidv7(), key);
  const foreign = writeSignedId(uuidv7(), other);
  expect(readSignedId(token, [other])).toBeUndefined();
  expect(readSignedId(token, [])).toBeUndefined();
  for (let place = 0; place < token.length; place += 1) {
    const changed = token.slice(0, place) + (token[place] === 'A' ? 'B' : 'A') + token.slice(place + 1);
    expect(readSignedId(changed, [key])).toBeUndefined();
  }
  for (const text of ['', 'x', token.slice(1), `${token}A`, `${token}=`, foreign]) {
    expect(readSignedId(text, [key])).toBeUndefined();
  }
});
