import { describe, expect, it } from 'vitest';
import { readDomainName, searchTerms } from '#core/domains/name.ts';

describe('readDomainName', () => {
  it.each([
    ['go.example.com', 'go.example.com'],
    ['GO.Example.COM', 'go.example.com'],
    [' go.example.com ', 'go.example.com'],
    ['go.example.com.', 'go.example.com'],
    ['grüße.de', 'xn--gre-6ka8l.de'],
    ['XN--GRE-6KA8L.de', 'xn--gre-6ka8l.de'],
    ['ｇｏ．example.com', 'go.example.com'],
    ['☃.net', 'xn--n3h.net'],
    ['مثال.إختبار', 'xn--mgbh0fb.xn--kgbechtv'],
    ['a.b', 'a.b'],
    ['1.2.example', '1.2.example'],
    ['a--b.example', 'a--b.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    [`${'a.'.repeat(123)}example`, `${'a.'.repeat(123)}example`],
  ])('takes %s', (input, domain) => {
    expect(readDomainName(input)).toEqual({ domain });
  });

  it.each([
    '',
    ' ',
    '.',
    'localhost',
    'com.',
    'https://example.com',
    'example.com/',
    'example.com/path',
    'example.com:443',
    'user@example.com',
    'example.com?x',
    'example.com#x',
    'a%2eexample.com',
    'a\\b.com',
    'exa mple.com',
    'exa\tmple.com',
    'exa\u0000mple.com',
    'exa\u200b mple.com',
    '*.example.com',
    '_dmarc.example.com',
    'a_b.example.com',
    '-a.example.com',
    'a-.example.com',
    'a..example.com',
    '.example.com',
    'example.com..',
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '::1',
    'example.123',
    'xn--a.com',
    'xn--.com',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(124)}example`,
  ])('refuses %j', (input) => {
    expect(readDomainName(input).problem).toMatch(/^must /);
  });
});

describe('searchTerms', () => {
  it('looks for what was typed, and for how it is stored', () => {
    expect(searchTerms(' Example ')).toEqual(['example']);
    expect(searchTerms('Grüße.de')).toEqual(['grüße.de', 'xn--gre-6ka8l.de']);
    expect(searchTerms(' ')).toEqual([]);
  });
});
