import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addVisitorQuery, noUtm, readVisitedQuery, setUtm, utmNames, type UtmValues } from '#core/routing/utm.ts';
import { anyCharacter, anyUrl } from '#test/support/texts.ts';

const utm = (values: Partial<Record<'source' | 'medium' | 'campaign' | 'term' | 'content', string>>): UtmValues => [
  values.source ?? null,
  values.medium ?? null,
  values.campaign ?? null,
  values.term ?? null,
  values.content ?? null,
];

describe('setUtm (4.6)', () => {
  test.each([
    ['https://e.com', 'https://e.com?utm_source=a'],
    ['https://e.com/p?x=1', 'https://e.com/p?x=1&utm_source=a'],
    ['https://e.com/p?x=1#part', 'https://e.com/p?x=1&utm_source=a#part'],
    ['https://e.com/p#part?no=query', 'https://e.com/p?utm_source=a#part?no=query'],
    ['https://e.com/p?', 'https://e.com/p?utm_source=a'],
    ['https://e.com/p?x=1&', 'https://e.com/p?x=1&utm_source=a'],
    ['https://e.com/p?utm_source=old&x=1', 'https://e.com/p?utm_source=a&x=1'],
    ['https://e.com/p?x=1&utm_source=old&utm_source=older&y', 'https://e.com/p?x=1&utm_source=a&y'],
    ['https://e.com/p?utm%5Fsource=old', 'https://e.com/p?utm_source=a'],
    ['https://e.com/p?utm_source', 'https://e.com/p?utm_source=a'],
    ['https://e.com/p?UTM_SOURCE=other&b=%20+%zz&&ä=ö', 'https://e.com/p?UTM_SOURCE=other&b=%20+%zz&&ä=ö&utm_source=a'],
  ])('%s → %s', (url, expected) => {
    expect(setUtm(url, utm({ source: 'a' }))).toBe(expected);
  });

  test('values are percent-encoded, and added in the order of the specification', () => {
    expect(setUtm('https://e.com/', utm({ content: 'ä b', source: 'a&b=c', campaign: '50%' }))).toBe(
      'https://e.com/?utm_source=a%26b%3Dc&utm_campaign=50%25&utm_content=%C3%A4%20b',
    );
  });

  test('without values nothing changes', () => {
    expect(setUtm('https://e.com/?utm_source=own', noUtm)).toBe('https://e.com/?utm_source=own');
  });

  test('everything but the campaign parameters stays byte for byte, and the values can be read back', () => {
    const value = fc.option(fc.string({ minLength: 1, unit: anyCharacter }), { nil: null });
    const part = fc.stringMatching(/^[a-zA-Z0-9%+=?/;:@!$,.~-]*$/);
    fc.assert(
      fc.property(
        fc.array(part),
        fc.option(part, { nil: null }),
        fc.tuple(value, value, value, value, value),
        (pairs, fragment, values) => {
          const foreign = pairs.filter((pair) => !decodeURIComponentSafely(pair).startsWith('utm_'));
          const end = fragment === null ? '' : `#${fragment}`;
          const result = setUtm(`https://e.com/path?${foreign.join('&')}${end}`, values);
          expect(result.startsWith(`https://e.com/path?${foreign.join('&')}`)).toBe(true);
          expect(result.endsWith(end)).toBe(true);
          const query = new URLSearchParams(new URL(result).search);
          for (const [index, name] of utmNames.entries()) {
            expect(query.getAll(name)).toEqual(values[index] === null ? [] : [values[index]!.toWellFormed()]);
          }
        },
      ),
    );
  });

  test('setting twice is setting once', () => {
    fc.assert(
      fc.property(anyUrl, fc.string(), (url, source) => {
        const once = setUtm(url, utm({ source }));
        expect(setUtm(once, utm({ source }))).toBe(once);
      }),
    );
  });
});

describe('addVisitorQuery', () => {
  test.each([
    ['https://e.com/', 'a=1&b=%20', 'https://e.com/?a=1&b=%20'],
    ['https://e.com/?x=1#f', 'a=1', 'https://e.com/?x=1&a=1#f'],
    ['https://e.com/', 'qr=1', 'https://e.com/'],
    ['https://e.com/?a=0', 'qr=1&a=1&qr=1&qr=2', 'https://e.com/?a=0&a=1&qr=2'],
    ['https://e.com/?utm_source=own&x=1', 'utm_source=theirs', 'https://e.com/?x=1&utm_source=theirs'],
    ['https://e.com/?utm_source=own', 'utm_source=&utm%5Fterm&a=&b', 'https://e.com/?utm_source=own&a=&b'],
  ])('%s and %s → %s', (url, query, expected) => {
    expect(addVisitorQuery(url, query)).toBe(expected);
  });
});

describe('readVisitedQuery', () => {
  test('reads campaign parameters and the mark of a QR code', () => {
    expect(readVisitedQuery('utm_source=a+b&x=y&utm_term=%C3%A4&utm_term=2&qr=1&utm_content=')).toEqual({
      utm: ['a b', null, null, 'ä', null],
      isQrCode: true,
    });
    expect(readVisitedQuery('qr=11')).toEqual({ utm: noUtm, isQrCode: false });
  });

  test('never throws, whatever the bytes', () => {
    expect(readVisitedQuery('utm_source=%ff%zz%').utm[0]).toBe('\ufffd%zz%');
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (query) => void readVisitedQuery(`utm_source=${query}`)));
  });
});

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text.split('=')[0]!);
  } catch {
    return text;
  }
}
