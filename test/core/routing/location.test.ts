import { validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toLocation, toMailto } from '#core/routing/location.ts';
import { anyCharacter, anyUrl } from '#test/support/texts.ts';

describe('toLocation (4.6)', () => {
  test.each([
    ['https://example.com/a?b=1#c', 'https://example.com/a?b=1#c'],
    ['HTTPS://EXAMPLE.com:8080/A%2fb//?%zz=|"<>', 'HTTPS://EXAMPLE.com:8080/A%2fb//?%zz=|"<>'],
    ['https://müller.example/straße?q=ü#ß', 'https://xn--mller-kva.example/stra%C3%9Fe?q=%C3%BC#%C3%9F'],
    ['https://bücher.example:8443/', 'https://xn--bcher-kva.example:8443/'],
    ['https://例え.テスト', 'https://xn--r8jz45g.xn--zckzah'],
    ['https://e.com/👩‍💻', 'https://e.com/%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB'],
    ['https://e.com/@ü', 'https://e.com/@%C3%BC'],
    ['https://e.com\\@ü.example/', 'https://e.com\\@%C3%BC.example/'],
    ['https://e.com/\r\nset-cookie: a=b', 'https://e.com/%0D%0Aset-cookie:%20a=b'],
    ['myapp://ü', 'myapp://xn--tda'],
    ['intent://open#Intent;scheme=x;end', 'intent://open#Intent;scheme=x;end'],
  ])('%s → %s', (url, expected) => {
    expect(toLocation(url)).toBe(expected);
  });

  test('returns a valid header value for any input, keeps ASCII, and is idempotent', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 200 });
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          text.map((rest) => `https://${rest}`),
          anyUrl,
        ),
        (url) => {
          const location = toLocation(url);
          expect(location).toMatch(/^[\x21-\x7e]*$/);
          validateHeaderValue('location', location);
          expect(toLocation(location)).toBe(location);
          expect(location === url).toBe(/^[\x21-\x7e]*$/.test(url));
        },
      ),
    );
  });

  test('leads where a browser would go', () => {
    const host = fc.constantFrom('müller.example', 'example.com', '例え.テスト', 'faß.de');
    fc.assert(
      fc.property(host, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, path, query) => {
        const url = `https://${name}/${encodeURI(path.toWellFormed()).replaceAll('%25', 'ü')}?${query.replaceAll(/[\s\p{Cc}#]/gu, '')}`;
        expect(new URL(toLocation(url)).href).toBe(new URL(url).href);
      }),
    );
  });
});

describe('toMailto', () => {
  test.each([
    ['someone@example.com', 'mailto:someone@example.com'],
    ['a.b+tag@example.com', 'mailto:a.b+tag@example.com'],
    ['who?cc=x&y%z@example.com', 'mailto:who%3Fcc%3Dx%26y%25z@example.com'],
    ['jörg@müller.example', 'mailto:j%C3%B6rg@xn--mller-kva.example'],
  ])('%s → %s', (address, expected) => {
    expect(toMailto(address)).toBe(expected);
  });
});
