import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalBytes, type CanonicalUrl, canonicalUrl } from '#core/threats/url-expressions.ts';
import { anyCharacter, anyUrl } from '#test/support/texts.ts';

const text = (canonical: CanonicalUrl | undefined): string | undefined =>
  canonical &&
  `${canonical.scheme}://${canonical.host}${canonical.path}${canonical.query === undefined ? '' : `?${canonical.query}`}`;

// The examples of https://cloud.google.com/web-risk/docs/urls-hashing#canonicalization.
test.each([
  ['http://host/%25%32%35', 'http://host/%25'],
  ['http://host/%25%32%35%25%32%35', 'http://host/%25%25'],
  ['http://host/%2525252525252525', 'http://host/%25'],
  ['http://host/asdf%25%32%35asd', 'http://host/asdf%25asd'],
  ['http://host/%%%25%32%35asd%%', 'http://host/%25%25%25asd%25%25'],
  ['http://www.google.com/', 'http://www.google.com/'],
  [
    'http://%31%36%38%2e%31%38%38%2e%39%39%2e%32%36/%2E%73%65%63%75%72%65/%77%77%77%2E%65%62%61%79%2E%63%6F%6D/',
    'http://168.188.99.26/.secure/www.ebay.com/',
  ],
  [
    'http://195.127.0.11/uploads/%20%20%20%20/.verify/.eBaysecure=updateuserdataxplimnbqmn-xplmvalidateinfoswqpcmlx=hgplmcx/',
    'http://195.127.0.11/uploads/%20%20%20%20/.verify/.eBaysecure=updateuserdataxplimnbqmn-xplmvalidateinfoswqpcmlx=hgplmcx/',
  ],
  [
    'http://host%23.com/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22%252833%252944_55%252B',
    'http://host%23.com/~a!b@c%23d$e%25f^00&11*22(33)44_55+',
  ],
  ['http://3279880203/blah', 'http://195.127.0.11/blah'],
  ['http://www.google.com/blah/..', 'http://www.google.com/'],
  ['www.google.com/', 'http://www.google.com/'],
  ['www.google.com', 'http://www.google.com/'],
  ['http://www.evil.com/blah#frag', 'http://www.evil.com/blah'],
  ['http://www.GOOgle.com/', 'http://www.google.com/'],
  ['http://www.google.com.../', 'http://www.google.com/'],
  ['http://www.google.com/foo\tbar\rbaz\n2', 'http://www.google.com/foobarbaz2'],
  ['http://www.google.com/q?', 'http://www.google.com/q?'],
  ['http://www.google.com/q?r?', 'http://www.google.com/q?r?'],
  ['http://www.google.com/q?r?s', 'http://www.google.com/q?r?s'],
  ['http://evil.com/foo#bar#baz', 'http://evil.com/foo'],
  ['http://evil.com/foo;', 'http://evil.com/foo;'],
  ['http://evil.com/foo?bar;', 'http://evil.com/foo?bar;'],
  ['http://notrailingslash.com', 'http://notrailingslash.com/'],
  ['http://www.gotaport.com:1234/', 'http://www.gotaport.com/'],
  ['  http://www.google.com/  ', 'http://www.google.com/'],
  ['http:// leadingspace.com/', 'http://%20leadingspace.com/'],
  ['http://%20leadingspace.com/', 'http://%20leadingspace.com/'],
  ['%20leadingspace.com/', 'http://%20leadingspace.com/'],
  ['https://www.securesite.com/', 'https://www.securesite.com/'],
  ['http://host.com/ab%23cd', 'http://host.com/ab%23cd'],
  ['http://host.com//twoslashes?more//slashes', 'http://host.com/twoslashes?more//slashes'],
])('the published example %j is canonicalised to %s', (url, expected) => {
  expect(text(canonicalUrl(url))).toBe(expected);
});

test('bytes that are no text are escaped, as the published example says', () => {
  expect(text(canonicalBytes('http://\u0001\u0080.com/'))).toBe('http://%01%80.com/');
});

describe('hosts', () => {
  test.each([
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://017700000001/', '127.0.0.1'],
    ['http://1.2.772/', '1.2.3.4'],
    ['http://1.2.3.4.../', '1.2.3.4'],
    ['http://[2001:0db8:0000::1]/', '[2001:db8::1]'],
    ['http://[::ffff:1.2.3.4]/', '1.2.3.4'],
    ['http://[64:ff9b::1.2.3.4]:8080/', '1.2.3.4'],
  ])('%s is the address %s', (url, host) => {
    expect(canonicalUrl(url)).toMatchObject({ host, isAddress: true });
    expect(canonicalBytes(url)).toMatchObject({ host, isAddress: true });
  });

  test.each([
    'http://1.2.3.4.5/',
    'http://1.2.3.256/',
    'http://08.1.1.1/',
    'http://[::1/',
    'http://[::zz]/',
    'http://a.1/',
  ])('the host of %s is no address', (url) => expect(canonicalBytes(url)).toMatchObject({ isAddress: false }));

  test('an international name is looked up in its ASCII form', () => {
    expect(canonicalUrl('https://Bücher.example/ä')).toMatchObject({ host: 'xn--bcher-kva.example', path: '/%C3%A4' });
  });

  test('the host of a URL is the one that a browser goes to', () => {
    for (const url of [
      'http://good.example@evil.example/x',
      'http://good.example%2F@evil.example/x',
      'http:\\\\evil.example\\x',
      'http:evil.example/x',
      'http:////evil.example/x',
      'ht\ntp://evil.example:80/x',
    ]) {
      expect(text(canonicalUrl(url))).toBe('http://evil.example/x');
    }
  });

  test('a URL without a host has no canonical form', () => {
    for (const url of ['', 'http://', 'http://.../', 'http://:80/', '/path', '?q'])
      expect(canonicalUrl(url)).toBeUndefined();
  });
});

test.each([
  ['/a/./b/../c', '/a/c'],
  ['/../../a', '/a'],
  ['/a/..', '/'],
  ['/a/.', '/a/'],
  ['/a//../b', '/a/b'],
  ['/a/%252e%252e/b', '/b'],
  ['/a///b', '/a/b'],
])('the path %s is canonicalised to %s', (path, expected) => {
  expect(canonicalUrl(`http://host.example${path}`)?.path).toBe(expected);
});

describe('any text', () => {
  // Escapes of escapes, dots and slashes are likelier here than in random text.
  const piece = fc.oneof(
    fc.constantFrom(
      '%',
      '%25',
      '%2',
      '5',
      '2f',
      '%2e',
      '.',
      '..',
      '/',
      '//',
      '?',
      '#',
      '%3F',
      '%23',
      '@',
      ':',
      '\\',
      '[',
      ']',
    ),
    fc.string({ unit: anyCharacter, maxLength: 4 }),
  );
  const piecedUrl = fc.array(piece, { maxLength: 30 }).map((pieces) => `http://h.example/${pieces.join('')}`);

  test('is canonicalised to visible ASCII without "#", with whole escapes only', () => {
    fc.assert(
      fc.property(fc.oneof(piecedUrl, fc.string({ unit: anyCharacter })), (url) => {
        const canonical = text(canonicalUrl(url)) ?? '';
        expect(canonical).toMatch(/^(?:[!"$&-~]|%[0-9A-F]{2})*$/);
        expect(canonical.split('?', 1)[0]).not.toMatch(/[^:/]\/\/|\/\.\.?(\/|$)/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('has the canonical form of its canonical form', () => {
    fc.assert(
      fc.property(piecedUrl, (url) => {
        const canonical = text(canonicalBytes(Buffer.from(url).toString('latin1')))!;
        expect(text(canonicalBytes(canonical))).toBe(canonical);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is unescaped as by passes over all of it, until none changes anything', () => {
    const passes = (path: string): string => {
      const next = path.replaceAll(/%[0-9a-f]{2}/gi, (escape) =>
        String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
      );
      return next === path ? path : passes(next);
    };
    const hex = fc.array(fc.constantFrom('%', '2', '5', '3', '4', '1', 'F', 'a', 'z'), { maxLength: 40 });
    fc.assert(
      fc.property(hex, (characters) => {
        const query = characters.join('');
        const expected = passes(query).replaceAll(
          // oxlint-disable-next-line no-control-regex -- the test names the bytes that must not be left.
          /[\u0000-\u0020#%\u007f-\u00ff]/g,
          (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
        );
        expect(canonicalBytes(`http://h/?${query}`)?.query).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test('with fragment, user, port or upper-case host has the same canonical form', () => {
    fc.assert(
      fc.property(anyUrl, fc.nat(65_535), (url, port) => {
        const { protocol, hostname, origin, href } = new URL(url);
        const rest = href.slice(origin.length);
        const other = `${protocol}//user:pass@${hostname.toUpperCase()}.:${port}${rest}#f`;
        expect(text(canonicalUrl(other))).toBe(text(canonicalUrl(url)));
      }),
    );
  });
});
