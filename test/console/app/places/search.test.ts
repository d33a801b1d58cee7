import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findUnread, parseSearch, readSearch, stringifySearch } from '#console/app/places/search.ts';
import { filterStates, linkSorts, linksParameters, type LinksSearch, readTypedSearch } from '#console/links/search.ts';
import { anyCharacter } from '#test/support/texts.ts';

const text = fc.string({ minLength: 1, maxLength: 40, unit: anyCharacter }).filter((value) => value.isWellFormed());
const list = fc.uniqueArray(text, { minLength: 1, maxLength: 6 });
const searches: fc.Arbitrary<LinksSearch> = fc.record(
  {
    q: text,
    domain: list,
    folder: list,
    tag: list,
    state: fc.uniqueArray(fc.constantFrom(...filterStates), { minLength: 1 }),
    sort: fc.constantFrom(...linkSorts),
    page: fc.integer({ min: 1, max: 1_000_000 }),
    view: fc.constantFrom('table', 'dense'),
  },
  { requiredKeys: [] },
);

describe('the state of a page in its address', () => {
  test('every state is read back as it was written', () => {
    fc.assert(
      fc.property(searches, (search) => {
        const address = stringifySearch({ ...search });
        expect(readSearch(linksParameters, parseSearch(address))).toEqual(search);
      }),
    );
  });

  test('reading an address never fails and writes nothing that is not understood', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (address) => {
        const read = readSearch(linksParameters, parseSearch(address));
        expect(readSearch(linksParameters, parseSearch(stringifySearch({ ...read })))).toEqual(read);
      }),
    );
  });

  test('addresses are short: names and values stay readable', () => {
    expect(stringifySearch({ tag: ['spring', 'a,b', '50%'], sort: '-clicks', q: 'a b/c' })).toBe(
      '?tag=spring,a%252Cb,50%2525&sort=-clicks&q=a+b/c',
    );
  });

  test('a value that is not understood replaces the raw one, wherever both are joined', () => {
    const raw = parseSearch('?page=-3&sort=up&tag=a');
    const joined = { ...raw, ...readSearch(linksParameters, raw) };
    expect(joined).toEqual({ page: undefined, sort: undefined, tag: ['a'] });
  });

  test('names that no page knows are reported, unset ones are not', () => {
    const raw = parseSearch('?tag=a&page=-3&sort=up&foo=1&q=');
    expect(findUnread(linksParameters, raw)).toEqual(['page', 'sort', 'foo']);
    expect(readSearch(linksParameters, raw)).toEqual({ tag: ['a'] });
  });
});

describe('a search as it is typed', () => {
  test.each<[string, LinksSearch, LinksSearch]>([
    ['tag:spring state:expired shoes', {}, { tag: ['spring'], state: ['expired'], q: 'shoes' }],
    ['tag:"black friday"  red  shoes', { page: 4 }, { tag: ['black friday'], q: 'red shoes' }],
    ['tag:a', { tag: ['b'] }, { tag: ['b', 'a'] }],
    ['state:nonsense', {}, { q: 'state:nonsense' }],
    ['https://example.com/?a=b', {}, { q: 'https://example.com/?a=b' }],
    ['', { q: 'before' }, {}],
  ])('%j is read with %j', (typed, before, after) => {
    expect(readTypedSearch(typed, before)).toEqual(after);
  });
});
