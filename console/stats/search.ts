import { listParameter, type Parameters, textParameter, wordParameter } from '#console/app/places/search.ts';
import type { StatsFilters } from '#console/api/links/stats.ts';
import { comparisons, type Comparison, type Interval, intervals } from '#core/stats/intervals.ts';
import type { Agents, Dimension } from '#core/stats/stats.ts';
import { isDate, type PeriodSearch, periodNames, readZone } from './period.ts';

/** Groups of breakdowns that are shown together. */
export const tabs = {
  places: ['country', 'region', 'city', 'continent'],
  sources: ['referer', 'utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'],
  devices: ['os', 'browser', 'device', 'lang'],
  links: ['shortLinks', 'destination', 'qrCode'],
} as const satisfies Record<string, readonly Dimension[]>;
type Tab = keyof typeof tabs;
export const tabNames = Object.keys(tabs) as Tab[];

/** Dimensions that clicks are filtered by, under their own names; links have `link`. */
export const filterDimensions = [...tabs.places, ...tabs.sources, ...tabs.devices, 'destination', 'qrCode'] as const;
type FilterDimension = (typeof filterDimensions)[number];
export const idFilters = ['link', 'folder', 'tag', 'domain'] as const;
type IdFilter = (typeof idFilters)[number];
export type FilterName = FilterDimension | IdFilter;

type Bots = Exclude<Agents, 'humans'>;
const bots: readonly Bots[] = ['all', 'bots', 'previews', 'scanners', 'crawlers', 'tools'];

export type StatsSearch = PeriodSearch & {
  interval?: Interval;
  compare?: Comparison | 'none';
  tab?: Tab;
  /** Unset: people, whose visits are the clicks. */
  agents?: Bots;
} & { [Name in FilterName]?: readonly string[] | undefined };

const dateParameter = { read: (value: unknown) => (typeof value === 'string' && isDate(value) ? value : undefined) };
const zoneParameter = { read: (value: unknown) => readZone(textParameter.read(value)) };

export const statsParameters = {
  period: wordParameter(periodNames),
  from: dateParameter,
  to: dateParameter,
  zone: zoneParameter,
  interval: wordParameter(intervals),
  compare: wordParameter([...comparisons, 'none']),
  tab: wordParameter(tabNames),
  agents: wordParameter(bots),
  ...Object.fromEntries([...idFilters, ...filterDimensions].map((name) => [name, listParameter])),
} as unknown as Parameters<StatsSearch>;

const apiNames: Readonly<Record<IdFilter, 'shortLinkIds' | 'folderIds' | 'tagIds' | 'domainIds'>> = {
  link: 'shortLinkIds',
  folder: 'folderIds',
  tag: 'tagIds',
  domain: 'domainIds',
};

/** The filters of the API for the parameters of a page. */
export function filtersOf(search: StatsSearch): StatsFilters {
  const filters: Record<string, readonly string[]> = {};
  for (const name of idFilters) if (search[name] !== undefined) filters[apiNames[name]] = search[name];
  for (const name of filterDimensions) if (search[name] !== undefined) filters[name] = search[name];
  return filters;
}

/** The filters that are set, in a fixed order. */
export function setFilters(search: StatsSearch): { name: FilterName; value: string }[] {
  return [...idFilters, ...filterDimensions].flatMap((name) => (search[name] ?? []).map((value) => ({ name, value })));
}

/** The filter that a click on a group of a dimension sets. */
export function filterOf(dimension: Dimension): FilterName {
  return dimension === 'shortLinks' ? 'link' : dimension;
}

/**
 * Sets a value of a filter, or takes it off where it is set.
 * @param isMore whether other values of the filter stay, so that either is meant.
 */
export function toggleFilter(
  search: StatsSearch,
  name: FilterName,
  value: string,
  isMore: boolean,
): Partial<StatsSearch> {
  const before = search[name] ?? [];
  const rest = before.filter((one) => one !== value);
  const next = before.includes(value) ? rest : isMore ? [...before, value] : [value];
  return { [name]: next.length === 0 ? undefined : next };
}
