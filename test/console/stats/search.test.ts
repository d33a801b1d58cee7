import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSearch, readSearch, stringifySearch } from '#console/app/places/search.ts';
import {
  filterDimensions,
  filterOf,
  filtersOf,
  idFilters,
  setFilters,
  statsParameters,
  tabNames,
  tabs,
  toggleFilter,
} from '#console/stats/search.ts';
import { comparisons, intervals } from '#core/stats/intervals.ts';
import { dimensions } from '#core/stats/stats.ts';
import { anyCharacter } from '#test/support/texts.ts';

const values = fc.uniqueArray(
  fc.string({ minLength: 1, unit: anyCharacter }).filter((text) => text.isWellFormed()),
  {
    minLength: 1,
    maxLength: 3,
  },
);
const search = fc.record(
  {
    period: fc.constantFrom('day' as const, 'year' as const),
    from: fc.constant('2026-01-01'),
    to: fc.constant('2026-02-01'),
    zone: fc.constant('Asia/Kathmandu'),
    interval: fc.constantFrom(...intervals),
    compare: fc.constantFrom(...comparisons, 'none' as const),
    tab: fc.constantFrom(...tabNames),
    agents: fc.constantFrom('all' as const, 'bots' as const, 'previews' as const),
    link: values,
    country: values,
    destination: values,
    qrCode: values,
  },
  { requiredKeys: [] },
);

describe('the address of statistics', () => {
  it('holds every filter, whatever is in it', () => {
    fc.assert(
      fc.property(search, (set) => {
        expect(readSearch(statsParameters, parseSearch(stringifySearch(set)))).toEqual(set);
      }),
    );
  });

  it('leaves out what it does not understand', () => {
    expect(
      readSearch(statsParameters, {
        from: 'x',
        zone: 'Mars',
        interval: 'era',
        agents: 'humans',
        colour: 'red',
        city: 'Berlin',
      }),
    ).toEqual({
      city: ['Berlin'],
    });
  });
});

describe('filters', () => {
  it('have a place for each dimension of the API, in one tab', () => {
    expect(Object.values(tabs).flat().toSorted()).toEqual(dimensions.toSorted());
    expect([...filterDimensions, 'shortLinks'].toSorted()).toEqual(dimensions.toSorted());
    expect(filterOf('shortLinks')).toBe('link');
  });

  it('go to the API under its names', () => {
    expect(filtersOf({ link: ['a'], folder: ['b'], tag: ['c'], domain: ['d'], country: ['DE', 'FR'] })).toEqual({
      shortLinkIds: ['a'],
      folderIds: ['b'],
      tagIds: ['c'],
      domainIds: ['d'],
      country: ['DE', 'FR'],
    });
    expect(setFilters({ country: ['DE'], link: ['a'] })).toEqual([
      { name: 'link', value: 'a' },
      { name: 'country', value: 'DE' },
    ]);
    expect(idFilters).toContain('link');
  });

  it('are replaced by a click, added to by a click with Ctrl, and taken off by another click', () => {
    expect(toggleFilter({}, 'country', 'DE', false)).toEqual({ country: ['DE'] });
    expect(toggleFilter({ country: ['DE'] }, 'country', 'FR', false)).toEqual({ country: ['FR'] });
    expect(toggleFilter({ country: ['DE'] }, 'country', 'FR', true)).toEqual({ country: ['DE', 'FR'] });
    expect(toggleFilter({ country: ['DE', 'FR'] }, 'country', 'FR', false)).toEqual({ country: ['DE'] });
    expect(toggleFilter({ country: ['DE'] }, 'country', 'DE', true)).toEqual({ country: undefined });
  });
});
