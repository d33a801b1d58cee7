import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { output } from 'zod';
import type { Agents, GroupBy } from '#core/stats/stats.ts';
import type { Comparison, Interval } from '#core/stats/intervals.ts';
import type { clicksSchema, overviewSchema, reportSchema, timelineSchema } from '#api/stats/schema.ts';
import { addressOf, call } from '#console/api/client.ts';
import { pagesQuery, readQuery } from '#console/api/query.ts';

/** What statistics are about: ids of links, folders, tags and domains, and values under the names of their dimensions. */
export type StatsFilters = Readonly<Record<string, readonly string[]>>;

/** A range of statistics. Dates are days of the time zone, or moments; the end is exclusive. */
interface StatsRange {
  startDate?: string;
  endDate?: string;
  timezone?: string;
}

interface StatsQuery extends StatsRange {
  shortLinkIds?: readonly string[];
}

type Report = output<typeof reportSchema>;
/** A timeline and breakdowns of one moment. */
export interface StatsReport extends Report {
  /** Breakdowns of the dimensions that are filtered by, without their own filters: the values among which a person chooses. */
  choices: Report['breakdowns'];
}
type ClickPage = output<typeof clicksSchema>;
export type Click = ClickPage['data'][number];

export interface ReportQuery extends StatsRange {
  filters: StatsFilters;
  groupBys: readonly GroupBy[];
  interval: Interval;
  compare?: Comparison | undefined;
  /** Whose visits are counted; undefined: people's, which are the clicks. */
  agents?: Agents | undefined;
  limit?: number;
}

const everyMs = 30_000;

/** The filter of a dimension's values. */
const filterOf = (groupBy: GroupBy): string => (groupBy === 'shortLinks' ? 'shortLinkIds' : groupBy);

/** A timeline, breakdowns and the period before, of one moment. */
export function reportQuery({ filters, ...rest }: ReportQuery, refetchInterval = everyMs) {
  return queryOptions<StatsReport>({
    queryKey: ['stats', 'report', rest, filters],
    queryFn: async ({ signal }) => {
      const read = (query: object) => call<Report>('GET', '/stats/report', { query: { ...rest, ...query }, signal });
      const choosing = rest.groupBys.filter((groupBy) => filters[filterOf(groupBy)] !== undefined);
      const [report, ...whole] = await Promise.all([
        read(filters),
        ...choosing.map((groupBy) => read({ ...filters, [filterOf(groupBy)]: undefined, groupBys: [groupBy] })),
      ]);
      return { ...report, choices: whole.flatMap(({ breakdowns }) => breakdowns) };
    },
    refetchInterval,
    // The old figures stay, marked as old, until those of another period or filter are there.
    placeholderData: keepPreviousData,
  });
}

/** A page of single clicks, the newest first. */
export function readClicks(
  range: Omit<StatsRange, 'timezone'>,
  filters: StatsFilters,
  page: { limit: number; cursor: string | undefined },
  signal: AbortSignal,
) {
  return call<ClickPage>('GET', '/stats/clicks', { query: { ...range, ...filters, ...page }, signal });
}

/** Single clicks, the newest first, page after page. */
export function clicksQuery(range: Omit<StatsRange, 'timezone'>, filters: StatsFilters, limit: number) {
  const query = { ...range, ...filters, limit };
  return pagesQuery<ClickPage>(['stats', 'clicks', range, filters, limit], '/stats/clicks', query);
}

/** Address of all clicks as CSV, for a link that the browser follows. */
export function exportAddress(range: Omit<StatsRange, 'timezone'>, filters: StatsFilters): string {
  return addressOf('/stats/export', { query: { ...range, ...filters, bom: 1 } });
}

/** Clicks of each day. */
export function timelineQuery(filters: StatsQuery) {
  return readQuery<output<typeof timelineSchema>>(['stats', 'timeline', filters], '/stats/clicks-over-time', {
    query: { ...filters },
    refetchInterval: everyMs,
  });
}

/** Clicks by the values of a dimension, most first. */
export function overviewQuery(groupBy: GroupBy, filters: StatsQuery) {
  return readQuery<output<typeof overviewSchema>>(['stats', 'overview', groupBy, filters], '/stats/overview', {
    query: { groupBy, ...filters },
    refetchInterval: everyMs,
  });
}
