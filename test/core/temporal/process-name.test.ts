import fc from 'fast-check';
import { expect, test } from 'vitest';
import { processName } from '#core/temporal/search-attributes.ts';
import { anyCharacter } from '#test/support/texts.ts';

test.each([
  [['go.example.com'], 1, 'go.example.com'],
  [['a/one', 'a/two'], 2, 'a/one, a/two'],
  [['a/one', 'a/two'], 14, 'a/one, a/two +12'],
  [[`a/${'x'.repeat(60)}`, `a/${'y'.repeat(60)}`], 2, `a/${'x'.repeat(60)} +1`],
  [['x'.repeat(200)], 1, `${'x'.repeat(79)}…`],
  [[], 0, ''],
])('%j of %d are named %s', (names, count, name) => expect(processName(names, count)).toBe(name));

test('a name leaves room in a summary of 400 bytes, whatever its characters, and is well-formed', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCharacter, maxLength: 200 }), { maxLength: 3 }), (names) => {
      const name = processName(names);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(330);
      expect(name.isWellFormed()).toBe(true);
    }),
  );
});
