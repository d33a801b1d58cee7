import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSearch, readSearch, stringifySearch } from '#console/app/places/search.ts';
import {
  filterStates,
  filtersOf,
  lastFilter,
  linksParameters,
  linkSorts,
  type LinksSearch,
  orderOf,
  readTypedSearch,
} from '#console/links/search.ts';

const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
const searches: fc.Arbitrary<LinksSearch> = fc.record(
  {
    q: names,
    domain: fc.uniqueArray(names, { minLength: 1, maxLength: 5 }),
    folder: fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 5 }),
    tag: fc.uniqueArray(names, { minLength: 1, maxLength: 5 }),
    state: fc.uniqueArray(fc.constantFrom(...filterStates), { minLength: 1 }),
    sort: fc.constantFrom(...linkSorts),
    page: fc.integer({ min: 1 }),
    view: fc.constantFrom('table', 'dense'),
  },
  { requiredKeys: [] },
);

describe('the address of the list', () => {
  test('holds every filter, order and page', () => {
    fc.assert(
      fc.property(searches, (search) => {
        expect(readSearch(linksParameters, parseSearch(stringifySearch({ ...search })))).toEqual(search);
      }),
    );
  });

  test('asks the API for its filters by the names of the API', () => {
    expect(filtersOf({ q: 'a', domain: ['go.example'], folder: ['f'], tag: ['t'], state: ['active'] })).toEqual({
      search: 'a',
      domainNames: ['go.example'],
      folderIds: ['f'],
      tagNames: ['t'],
      states: ['active'],
    });
    expect(filtersOf({ sort: 'clicks', page: 3 })).toEqual({});
  });

  test('asks for an order by a field and a direction', () => {
    expect(orderOf('-createdAt')).toEqual({ sortBy: 'createdAt', sortOrder: 'desc' });
    expect(orderOf('clicks')).toEqual({ sortBy: 'currentClicks', sortOrder: 'asc' });
  });
});

describe('a typed search', () => {
  test('names folders as people see them', () => {
    const folders = [{ id: 'f1', name: 'Spring Sale' }];
    expect(readTypedSearch('folder:"spring sale" shoes', {}, { folders })).toEqual({ folder: ['f1'], q: 'shoes' });
    expect(readTypedSearch('folder:none', {}, { folders })).toEqual({ q: 'folder:none' });
  });

  test('becomes filters and a text', () => {
    expect(readTypedSearch('tag:spring state:expired shoes', {})).toEqual({
      tag: ['spring'],
      state: ['expired'],
      q: 'shoes',
    });
    expect(readTypedSearch('red  tag:"spring sale" domain:go.example shoes', {})).toEqual({
      tag: ['spring sale'],
      domain: ['go.example'],
      q: 'red shoes',
    });
  });

  test('takes the names of filters and states of the person’s language beside those of the address', () => {
    const stateNames = {
      active: 'An',
      inactive: 'Aus',
      expired: 'Abgelaufen',
      capped: 'Grenze erreicht',
      archived: 'Archiviert',
    };
    const words = { tag: 'Tag', domain: 'Domain', folder: 'Ordner', state: 'Zustand', stateNames };
    const known = { folders: [{ id: 'f1', name: 'Frühling' }], words };
    expect(readTypedSearch('zustand:abgelaufen ordner:frühling Schuhe', {}, known)).toEqual({
      state: ['expired'],
      folder: ['f1'],
      q: 'Schuhe',
    });
    expect(readTypedSearch('Zustand:"Grenze erreicht" state:inactive', {}, known)).toEqual({
      state: ['capped', 'inactive'],
    });
    expect(readTypedSearch('zustand:weg farbe:rot', {}, known)).toEqual({ q: 'zustand:weg farbe:rot' });
    expect(lastFilter('Schuhe zustand:abg', words)).toBe('abg');
    expect(lastFilter('ordner:', words)).toBe('');
    expect(lastFilter('farbe:rot', words)).toBeUndefined();
  });

  test('adds to the filters that are there, without doubles, and begins at the first page', () => {
    expect(readTypedSearch('tag:a tag:b', { tag: ['a'], folder: ['f'], page: 4, q: 'old' })).toEqual({
      tag: ['a', 'b'],
      folder: ['f'],
    });
  });

  test('keeps words that only look like filters', () => {
    expect(readTypedSearch('state:gone http://a.example hashtag:x', {})).toEqual({
      q: 'state:gone http://a.example hashtag:x',
    });
  });

  test('never fails, and changes no filter that it does not name', () => {
    fc.assert(
      fc.property(fc.string(), searches, (text, search) => {
        const next = readTypedSearch(text, search);
        expect(next.folder).toEqual(search.folder);
        expect(next.sort).toEqual(search.sort);
      }),
    );
  });
});
