import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalUrl, urlExpressions, urlHashes } from '#core/threats/url-expressions.ts';

const expressions = (url: string): string[] => urlExpressions(canonicalUrl(url)!);

// The examples of https://cloud.google.com/web-risk/docs/urls-hashing#suffixprefix_expressions.
describe('the published examples', () => {
  test('a path with a query', () => {
    expect(expressions('http://a.b.c/1/2.html?param=1').toSorted()).toEqual(
      [
        'a.b.c/1/2.html?param=1',
        'a.b.c/1/2.html',
        'a.b.c/',
        'a.b.c/1/',
        'b.c/1/2.html?param=1',
        'b.c/1/2.html',
        'b.c/',
        'b.c/1/',
      ].toSorted(),
    );
  });

  test('a host of seven labels, of which the last five and fewer are tried', () => {
    expect(expressions('http://a.b.c.d.e.f.g/1.html').toSorted()).toEqual(
      [
        'a.b.c.d.e.f.g/1.html',
        'a.b.c.d.e.f.g/',
        'c.d.e.f.g/1.html',
        'c.d.e.f.g/',
        'd.e.f.g/1.html',
        'd.e.f.g/',
        'e.f.g/1.html',
        'e.f.g/',
        'f.g/1.html',
        'f.g/',
      ].toSorted(),
    );
  });

  test('an address, whose parts are no domains', () => {
    expect(expressions('http://1.2.3.4/1/')).toEqual(['1.2.3.4/1/', '1.2.3.4/']);
  });
});

test('four folders are tried at most', () => {
  expect(expressions('http://a.example/1/2/3/4/5.html')).toEqual([
    'a.example/1/2/3/4/5.html',
    'a.example/',
    'a.example/1/',
    'a.example/1/2/',
    'a.example/1/2/3/',
  ]);
});

test('a host of one label is tried as it is', () => {
  expect(expressions('http://localhost/')).toEqual(['localhost/']);
});

// The examples of https://cloud.google.com/web-risk/docs/urls-hashing#hash_prefix_computations (FIPS 180-2, B.1 to B.3).
test.each([
  ['abc', 4, 'ba7816bf'],
  ['abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq', 6, '248d6a61d206'],
  ['a'.repeat(1_000_000), 12, 'cdc76e5c9914fb9281a1c7e2'],
])('the published example of a hash prefix holds (%#)', (text, bytes, prefix) => {
  expect(hash('sha256', text, 'buffer').subarray(0, bytes).toString('hex')).toBe(prefix);
});

test('the hashes of a URL are those of its expressions', () => {
  // Of the tests of github.com/google/safebrowsing, and of a message in Google's forum about this test page.
  expect(urlHashes('http://foo.com/')!.map((one) => one.toString('hex'))).toEqual([
    'af30010e4c011fc77e1ab03ef898ab2f8dec17c0bd178a875ad0cd9b7a6e5973',
  ]);
  expect(urlHashes('http://testsafebrowsing.appspot.com/s/phishing.html')![0]!.toString('hex')).toBe(
    'efbd4c3ab44f327eb13ca942ad7c7f0ab47ec260a4d0b8051684a01b2ef35220',
  );
  expect(urlHashes('http://')).toBeUndefined();
});

test('a URL has 30 expressions at most, each once, all of its own host or a domain above it', () => {
  const label = fc.stringMatching(/^[a-z]{1,3}$/);
  const url = fc
    .tuple(fc.array(label, { minLength: 1, maxLength: 9 }), fc.array(label, { maxLength: 9 }), fc.option(label))
    .map(
      ([labels, folders, query]) =>
        `http://${labels.join('.')}/${folders.join('/')}${query === null ? '' : `?${query}`}`,
    );
  fc.assert(
    fc.property(url, (text) => {
      const all = expressions(text);
      expect(all.length).toBeLessThanOrEqual(30);
      expect(new Set(all).size).toBe(all.length);
      const { host, path } = canonicalUrl(text)!;
      for (const expression of all) {
        const [its = '', ...rest] = expression.split('/');
        expect(`.${host}`.endsWith(`.${its}`)).toBe(true);
        expect(its === host || its.includes('.')).toBe(true);
        expect(path.startsWith(`/${rest.join('/')}`.split('?', 1)[0]!)).toBe(true);
      }
    }),
  );
});
