import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slugProblem } from '#core/links/slugs/slug.ts';
import { anyCharacter } from '#test/support/texts.ts';

describe('slugProblem', () => {
  it.each([
    'a',
    'a'.repeat(255),
    'Grüße',
    '日本語',
    'नमस्ते',
    '٣',
    'a.b-c_d~e',
    '👨‍👩‍👧',
    '❤️',
    '🇩🇪',
    '1️⃣',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    '🎉'.repeat(255),
    '❤️‍🔥',
    '🏳️‍🌈👍🏽',
    '👨🏽‍🎉👧',
    '.a',
  ])('accepts %s', (slug) => {
    expect(slugProblem(slug.normalize('NFC'))).toBeUndefined();
  });

  it.each([
    '',
    'a'.repeat(256),
    '🎉'.repeat(256),
    'a b',
    'a/b',
    'a?b',
    'a#b',
    'a%b',
    'a+b',
    '.',
    '...',
    'robots.txt',
    '.well-known',
    'favicon.ico',
    'apple-app-site-association',
    '\u0000',
    'a\u200db',
    '\u202eabc',
    '\ud800',
    'a\n',
    '½',
    '€',
    '👨‍',
    '👨‍a',
    '🇩🇪🇩',
  ])('refuses %j', (slug) => {
    expect(slugProblem(slug)).toBeDefined();
  });

  it.each(['👍🏽', '❤️', '1️⃣', '🇩🇪', '👨‍👩‍👧', '👍🏽🏽'])(
    'refuses a long row of %s with a bad end, without trying every way to read it',
    (emoji) => {
      expect(slugProblem(`${emoji.repeat(30)}!`)).toBeDefined();
    },
  );

  it('accepts or refuses any text without an exception, and never accepts a character that breaks a path', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const slug = text.normalize('NFC');
        if (slugProblem(slug) === undefined) {
          expect(slug).not.toMatch(/[\s/?%&\\\p{Cc}]/u);
          expect(decodeURIComponent(encodeURIComponent(slug))).toBe(slug);
        }
      }),
    );
  });
});

describe('reserved and invisible slugs (3.3)', () => {
  it.each(['ads.txt', 'app-ads.txt', 'security.txt', 'sitemap.xml', 'humans.txt', 'robots.txt', 'favicon.ico'])(
    '%s is reserved',
    (slug) => {
      expect(slugProblem(slug)).toBe('is reserved');
    },
  );

  it.each(['\u3164', '\uFFA0\u115F', '\uFE0F', '\u034F\uFE0E', '\u17B4', '.\u3164', '\uFE0F..'])(
    '%j is invisible',
    (slug) => {
      expect(slugProblem(slug)).toBe('must not be only dots and invisible characters');
      expect(slugProblem(`a${slug}`)).toBeUndefined();
    },
  );
});
