import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { allFoldersQuery, allTagsQuery, usableDomainsQuery } from '#console/api/links/labels.ts';
import { linkListQuery } from '#console/api/links/links.ts';
import { filterStates } from '#console/links/search.ts';
import { useNow } from '#console/ui/browser/now.ts';
import { useGroupName } from './names.ts';
import { browserZone, dateIn, type Period, readPeriod } from './period.ts';
import { filterDimensions, type FilterName, idFilters, type StatsSearch } from './search.ts';

/** Pages of statistics, which share their filters. */
type StatsPath = '/frame/stats' | '/frame/stats/clicks' | '/frame/stats/live';

/** The parameters of a page of statistics, its period, and what changes them. */
export interface StatsView {
  search: StatsSearch;
  timeZone: string;
  /** The present date in the zone. */
  today: string;
  period: Period;
  /** Whether it is known when the period begins: all time begins with the first link, which is read. */
  isKnown: boolean;
  change: (change: Partial<StatsSearch>) => void;
}

const oldestLinkQuery = linkListQuery({ states: filterStates }, { sortBy: 'createdAt', sortOrder: 'asc', limit: 1 });

/** Reads the address of a page of statistics. */
export function useStatsView(from: StatsPath): StatsView {
  const search: StatsSearch = useSearch({ from });
  const navigate = useNavigate();
  const now = useNow();
  const timeZone = search.zone ?? browserZone();
  const isZoneUnnamed = search.zone === undefined;
  useEffect(() => {
    // Others who get the address see the same days.
    if (isZoneUnnamed) void navigate({ to: '.', search: (before) => ({ ...before, zone: timeZone }), replace: true });
  }, [isZoneUnnamed, navigate, timeZone]);
  const today = dateIn(now, timeZone);
  const isAll = search.period === 'all';
  const { data: oldest } = useQuery({ ...oldestLinkQuery, enabled: isAll });
  const [link] = oldest?.data ?? [];
  const first = link === undefined ? today : dateIn(new Date(link.createdAt), timeZone);
  return {
    search,
    timeZone,
    today,
    period: readPeriod(search, today, first),
    isKnown: !isAll || oldest !== undefined,
    change: (change) => void navigate({ to: '.', search: (before) => ({ ...before, ...change }), replace: true }),
  };
}

/** @returns what names a value of a filter. */
export function useFilterName(labels: ReadonlyMap<string, string>): (name: FilterName, value: string) => string {
  const groupName = useGroupName();
  const { data: folders } = useQuery(allFoldersQuery);
  const { data: tags } = useQuery(allTagsQuery);
  const { data: domains = [] } = useQuery(usableDomainsQuery);
  return (name, value) => {
    if (name === 'folder') return folders?.find(({ id }) => id === value)?.name ?? value;
    if (name === 'tag') return tags?.find(({ id }) => id === value)?.name ?? value;
    if (name === 'domain') return domains.find(({ id }) => id === value)?.domain ?? value;
    if (name === 'link') return groupName('shortLinks', value, labels.get(value));
    return groupName(name, value);
  };
}

export function withoutFilters(): Partial<StatsSearch> {
  return Object.fromEntries([...idFilters, ...filterDimensions].map((name) => [name, undefined]));
}
