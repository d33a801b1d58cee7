import { expect, test } from 'vitest';
import { name } from '#core/lib/schemas.ts';

test.each([
  ['a', 'a'],
  ['  Spring sale ', 'Spring sale'],
  ['\u200bx', '\u200bx'],
  ['🏳️‍🌈', '🏳️‍🌈'],
  ['שָׁלוֹם', 'שָׁלוֹם'],
  ['x'.repeat(30), 'x'.repeat(30)],
])('%j is a name', (sent, stored) => {
  expect(name(30).parse(sent)).toBe(stored);
});

test.each([
  '',
  '  ',
  '\u200b',
  '\u200b\u200d\u2060\ufeff',
  '\u3164',
  '\u115f\u1160',
  '\u2800',
  '\u00ad',
  '\u202e',
  '\u2066\u2069',
  '\ufe0f',
  '\u{e0001}',
  '\u0001',
  'a\nb',
  'a\r\nb',
  'a\u0085b',
  'a\u2028b',
  'a\u2029b',
  'a\vb',
  'a\fb',
  'a\u0000b',
  'x'.repeat(31),
])('%j is not a name', (sent) => {
  expect(name(30).safeParse(sent).success).toBe(false);
});
