import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeNext } from '#console/app/sign-in/next.ts';

test.each([
  ['/links', '/links'],
  ['/links?tag=a&new=https://example.com/', '/links?tag=a&new=https://example.com/'],
  ['/links/1/edit', '/links/1/edit'],
  [undefined, '/links'],
  ['', '/links'],
  ['links', '/links'],
  ['https://evil.example/', '/links'],
  ['//evil.example/', '/links'],
  ['/\\evil.example', '/links'],
  ['/\t/evil.example', '/links'],
  ['/..//evil.example', '/links'],
  ['javascript:alert(1)', '/links'],
  ['/sign-in?next=/sign-in', '/links'],
])('the sign-in with next=%j leads to %s', (next, expected) => {
  expect(safeNext(next)).toBe(expected);
});

test('the sign-in leads to no other host, whatever next is', () => {
  const parts = fc.constantFrom(
    '/',
    '//',
    '\\',
    '..',
    '.',
    '@',
    ':',
    '%2f',
    '\t',
    '\n',
    'evil.example',
    'https:',
    '?',
    '#',
    'a',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 8 }), (pieces) => {
      const path = safeNext(pieces.join(''));
      expect(new URL(path, 'http://console.test').origin).toBe('http://console.test');
      expect(path).toMatch(/^\/(?!\/)/);
    }),
    { numRuns: 2_000 },
  );
});
