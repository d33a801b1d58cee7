import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepLinkProblem, destinationSchema, mailProblem, normalizePhone, urlProblem } from '../../core/destination.ts';

describe('urlProblem', () => {
  it.each([
    'https://example.com',
    'http://example.com:8080/a/../b?x=%zz#frag',
    'HTTPS://EXAMPLE.COM/ä',
    'https://münchen.example/ß?q=日本',
    'https://[2001:db8::1]/',
    'https://example.com/@user',
    String.raw`https://example.com?x=\y`,
    `https://example.com/${'ä'.repeat(8172)}`,
  ])('accepts %s', (url) => {
    expect(urlProblem(url)).toBeUndefined();
  });

  it.each([
    '',
    'example.com',
    '//example.com',
    'http:/example.com',
    'http://',
    'ftp://example.com',
    'javascript:alert(1)',
    'https://user@example.com',
    'https://u:p@example.com',
    'https://@example.com',
    'https://:@example.com',
    'https:///u:p@example.com',
    String.raw`https://\u:p@example.com`,
    'https://example.com:443@example.org',
    String.raw`https://example.com\@example.org`,
    String.raw`https://example.com\a`,
    'https:///example.com',
    'https://?x',
    'https://example.com/a b',
    'https://example.com/\t',
    'https://example.com/\u007f',
    'https://example.com/\u0085',
    'https://example.com/\u2028',
    'https://example.com/\ud800',
    `https://example.com/${'a'.repeat(8173)}`,
    ' https://example.com',
  ])('refuses %j', (url) => {
    expect(urlProblem(url)).toBeDefined();
  });
});

describe('mailProblem', () => {
  it.each(['a@example.com', 'first.last+tag@sub.example.co', "o'neil@example.com", 'jörg@müller.example'])(
    'accepts %s',
    (address) => {
      expect(mailProblem(address)).toBeUndefined();
    },
  );

  it.each([
    '',
    'a',
    'a@',
    '@b.c',
    'a@b',
    'a b@example.com',
    'a@example..com',
    '.a@example.com',
    'a.@example.com',
    'mailto:a@example.com',
    'MAILTO:a@example.com',
    'a@exa mple.com',
    'a@-example.com',
    'a@b@example.com\r\nBcc: x@example.com',
  ])('refuses %j', (address) => {
    expect(mailProblem(address)).toBeDefined();
  });
});

describe('normalizePhone', () => {
  it.each([
    ['+49 (30) 123-45.67', '+49301234567'],
    ['+1 555 0100', '+15550100'],
    ['+[44]20', '+4420'],
    ['+123456789012345', '+123456789012345'],
  ])('turns %s into %s', (sent, stored) => {
    expect(normalizePhone(sent)).toBe(stored);
  });

  it.each(['', '+', '0301234567', '+0123', '+49a', '+1234567890123456', '+49/30', 'tel:+4930'])(
    'refuses %j',
    (sent) => {
      expect(normalizePhone(sent)).toBeUndefined();
    },
  );
});

describe('deepLinkProblem', () => {
  it.each(['app://open/1', 'intent://x#Intent;scheme=app;end', 'https://example.com/app', 'myapp:go'])(
    'accepts %s',
    (link) => {
      expect(deepLinkProblem(link)).toBeUndefined();
    },
  );

  it.each([
    'javascript:1',
    'JAVASCRIPT:1',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:x',
    'open',
    'app:',
    'a b:c',
    'java\nscript:1',
  ])('refuses %j', (link) => {
    expect(deepLinkProblem(link)).toBeDefined();
  });
});

describe('destinationSchema', () => {
  it('keeps the bytes of every link that it accepts', () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (value) => {
        expect(destinationSchema.parse({ type: 'link', value }).value).toBe(value);
      }),
    );
  });
});
