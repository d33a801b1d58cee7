import { domainToASCII, domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePunycode, toAsciiHost } from '#core/domains/idna.ts';
import { readDomainName } from '#core/domains/name.ts';
import { anyCharacter } from '#test/support/texts.ts';

const part = fc.oneof(
  fc.constantFrom(
    'a',
    'X',
    'x',
    'y',
    'xn--',
    'ü',
    'ß',
    '.',
    ':',
    '/',
    '?',
    '#',
    '@',
    '%',
    '%41',
    '[',
    '::1',
    ']',
    '0x7f',
  ),
  fc.constantFrom(
    '256',
    '-',
    '_',
    '。',
    'İ',
    '\u00ad',
    '\t',
    ' ',
    'xn--mnchen-3ya',
    '\\',
    '😀',
    '\u200d',
    '\ud800',
    'ｘ',
  ),
  fc.string({ unit: anyCharacter, maxLength: 3 }),
);

describe('toAsciiHost', () => {
  it.each([
    ['MÜNCHEN.example', 'xn--mnchen-3ya.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['x', 'x'],
    ['ｘ', 'x'],
    ['y', 'y'],
    ['', ''],
    ['a b', ''],
    ['\ud800', ''],
    ['256.256.256.256', ''],
  ])('reads %j as %j', (text, host) => {
    expect(toAsciiHost(text)).toBe(host);
  });

  it('reads any text as node:url does', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const text = parts.join('');
        expect(toAsciiHost(text)).toBe(domainToASCII(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('decodePunycode', () => {
  it.each([
    // RFC 3492 §7.1: (A), (G), (L), (S).
    ['egbpdaj6bu4bxfgehfvwxn', 'ليهمابتكلموشعربي؟'],
    ['ihqwcrb4cv8a8dqg056pqjye', '他们为什么不说中文'],
    ['3b-ww4c5e180e575a65lsy2b', '3年b組金八先生'],
    ['-> $1.00 <--', '-> $1.00 <-'],
    ['', ''],
    ['ls8h', '💩'],
  ])('decodes %j', (encoded, decoded) => {
    expect(decodePunycode(encoded)).toBe(decoded);
  });

  it.each(['99999999', 'mnchen-3y', 'ü', 'a-_'])('refuses %j', (encoded) => {
    expect(decodePunycode(encoded)).toBeUndefined();
  });

  it('decodes what node:url encodes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }), (text) => {
        const host = domainToASCII(text);
        fc.pre(/^xn--[^.]*$/.test(host));
        expect(decodePunycode(host.slice('xn--'.length))).toBe(domainToUnicode(host));
      }),
    );
  });
});

it('names of domains may hold exactly the punycode that node:url decodes and encodes again', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9-]{1,8}$/), (encoded) => {
      const label = `xn--${encoded}`;
      fc.pre(!label.endsWith('-'));
      const decoded = domainToUnicode(label);
      const isSound = decoded !== label && domainToASCII(decoded) === label;
      expect(readDomainName(`${label}.com`).domain).toBe(isSound ? `${label}.com` : undefined);
    }),
    { numRuns: 5_000 },
  );
});
