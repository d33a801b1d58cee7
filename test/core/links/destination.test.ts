import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deepLinkProblem,
  destinationSchema,
  mailProblem,
  normalizePhone,
  urlProblem,
  webAddressesOfDestination,
  webAddressesOfLink,
} from '#core/links/destination.ts';
import { anyUrl } from '#test/support/texts.ts';

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
    'https://example..com/',
    'https://.example.com/',
    'https://münchen..example/',
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
  it.each([
    'app://open/1',
    'intent://x#Intent;scheme=app;end',
    'https://example.com/app',
    'myapp:go',
    'intent://example.com/a#Intent;scheme=https;S.browser_fallback_url=https%3A%2F%2Fexample.org%2F;end',
    'intent:#Intent;action=a.b.C;end',
    'android-app://com.example/https/example.com/a',
    'android-app://com.example',
    'market://details?id=com.example',
    'fb://page?about:blank',
  ])('accepts %s', (link) => {
    expect(deepLinkProblem(link)).toBeUndefined();
  });

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
    'java\tscript:1',
    '\tjavascript:1',
    ' javascript:1',
    '\u200bjavascript:1',
    'filesystem:https://example.com/',
    'View-Source:https://example.com/',
    'about:blank',
    'content://x',
    'ws://example.com/',
    'wss://example.com/',
    'intent://x#Intent;scheme=javascript;end',
    'INTENT://x#Intent;scheme=JavaScript;end',
    'intent://x#Intent;scheme=java%73cript;end',
    'intent://x#Intent;scheme=java%09script;end',
    'intent://x#Intent;scheme=java%2573cript;end',
    'intent://x#Intent;scheme=app;scheme=data;end',
    'intent://x#Intent;scheme=data;scheme=app;end',
    'intent://x#y#Intent;scheme=file;end',
    'intent:javascript:alert(1)#Intent;end',
    'intent:intent:javascript:alert(1)#Intent;end',
    'intent:about:blank#Intent;package=com.android.chrome;end',
    'intent://x#Intent;scheme=;end',
    'intent://user:pass@example.com/#Intent;scheme=https;end',
    'intent://x#Intent;S.browser_fallback_url=javascript%3Aalert(1);end',
    'intent://x#Intent;S.browser%5Ffallback_url=javascript%3Aalert(1);end',
    'intent://x#Intent;S.browser_fallback_url=https%3A%2F%2Fa%3Ab%40example.com%2F;end',
    'intent://x#Intent;S.browser_fallback_url=https%3A%2F%2Fexample.com%2F%0A;end',
    'intent://x#Intent;S.browser_fallback_url=app%3A%2F%2Fx;end',
    'intent://x#Intent;S.browser_fallback_url=https%3A%2F%2Fexample.com%2F;S.browser_fallback_url=data%3A;end',
    'android-app://com.example/javascript/alert(1)',
    'android-app://com.example/java%73cript/alert(1)',
    'https://user:pass@example.com/',
    'https:example.com',
    'http://',
  ])('refuses %j', (link) => {
    expect(deepLinkProblem(link)).toBeDefined();
  });
});

describe('webAddressesOfDestination', () => {
  const link = { type: 'link', value: 'https://example.com/' } as const;

  it.each([
    [link, ['https://example.com/']],
    [{ type: 'mail', value: 'a@example.com' } as const, []],
    [
      { ...link, iosDeepLink: 'app://x', androidDeepLink: 'intent://x#Intent;scheme=app;end' },
      ['https://example.com/'],
    ],
    [{ ...link, iosDeepLink: 'https://example.com/' }, ['https://example.com/']],
    [
      {
        ...link,
        iosDeepLink: 'HTTPS://a.example/',
        androidDeepLink:
          'intent://b.example/x?y#Intent;scheme=https;package=a.b;S.browser_fallback_url=http%3A%2F%2Fc.example%2F%3Fd%3D1;end',
      },
      ['https://example.com/', 'HTTPS://a.example/', 'https://b.example/x?y', 'http://c.example/?d=1'],
    ],
    [
      { ...link, androidDeepLink: 'android-app://a.b/https/d.example/e?f' },
      ['https://example.com/', 'https://d.example/e?f'],
    ],
  ])('lists the web addresses of %j', (destination, urls) => {
    expect(webAddressesOfDestination(destination)).toEqual(urls);
  });
});

describe('webAddressesOfLink', () => {
  const plain = { enableDeepLinking: false, iosDeepLink: null, androidDeepLink: null };
  const link = (value: string) => ({ type: 'link' as const, value, ...plain });

  it('names each address of destination, rules and expired URL once', () => {
    const [first, second, third] = ['https://example.com/1', 'https://example.com/2', 'https://example.com/3'];
    expect(webAddressesOfLink({ destination: link(first) })).toEqual([first]);
    expect(webAddressesOfLink({ destination: link(first), rules: [], expiredUrl: null })).toEqual([first]);
    expect(webAddressesOfLink({ destination: link(first), expiredUrl: first })).toEqual([first]);
    expect(webAddressesOfLink({ rules: [{ destination: link(second) }], expiredUrl: third })).toEqual([second, third]);
    expect(webAddressesOfLink({ destination: { ...link('+4930123456'), type: 'phone' } })).toEqual([]);
  });
});

describe('destinationSchema', () => {
  it('keeps the bytes of every web address that it accepts', () => {
    fc.assert(
      fc.property(anyUrl, (value) => {
        expect(destinationSchema.parse({ type: 'link', value }).value).toBe(value);
      }),
    );
  });
});
