import {
  type ClickFilters,
  dimensions,
  type GroupBy,
  groupWithoutValue,
  type ValueFilters,
} from '#core/stats/stats.ts';
import { localDays } from '#core/stats/days.ts';
import { valueSql } from '#db/stats/clicks-filter.ts';
import { readBreakdown, readTimeline } from '#db/stats/query.ts';
import { readReport } from '#db/stats/report.ts';
import { ids, tagId } from './clicks.ts';
import type { Filled } from './kept.ts';

/** A request for statistics. */
export interface Statistic {
  name: string;
  /** Whether it covers all clicks of the organization, and no unique visitors: then rollups answer it. */
  isCounted: boolean;
  /** Clicks that it is about. */
  clicks: number;
  /** Reads it as the API does. @returns the result, as text for comparison. */
  read(): Promise<string>;
  /** Reads the same by one GROUP BY over the clicks. */
  readRaw(): Promise<string>;
}

const limit = 10;
const allClicks: ClickFilters = { shortLinkIds: [], domainIds: [], folderIds: [], tagIds: [] };
const zones = ['UTC', 'Asia/Kolkata'];
const defaultMs = 30 * 86_400_000;

/**
 * All statistics of a whole organization; then some of the default range: the last 30 days, which begin in the middle of a
 * day.
 */
export function wholeStatistics(filled: Filled): Statistic[] {
  const { size } = filled;
  const about = { filled, organization: 0, clicks: size.largest, filters: allClicks, where: 'true' };
  const startMs = filled.endMs - defaultMs;
  const recent = { ...about, filled: { ...filled, startMs }, clicks: size.largest / 2 };
  return [
    ...dimensions.map((groupBy) => breakdown(groupBy, { ...about, groupBy, isCounted: true })),
    ...zones.map((zone) => timeline(`by day, ${zone}`, zone, { ...about, isCounted: true })),
    ...(['city', 'country'] as const).map((groupBy) =>
      breakdown(`${groupBy}, last 30 days`, { ...recent, groupBy, isCounted: true }),
    ),
    breakdown('uniqueVisitors', { ...about, groupBy: 'uniqueVisitors', isCounted: false }),
  ];
}

/** Filtered statistics, some with a filter that every click passes: rollups cannot answer them. */
export function filteredStatistics(filled: Filled): Statistic[] {
  const { size } = filled;
  const domainId = ids.domain(0);
  const byDomain = {
    filled,
    organization: 0,
    clicks: size.largest,
    filters: { ...allClicks, domainIds: [domainId] },
    where: `domain_id = '${domainId}'`,
    isCounted: false,
  };
  const byTag = { ...byDomain, filters: { ...allClicks, tagIds: [tagId] }, where: `tag_ids && '{${tagId}}'` };
  const linkId = ids.link(1, 0);
  const byLink = {
    ...byDomain,
    organization: 1,
    clicks: size.hottest,
    filters: { ...allClicks, shortLinkIds: [linkId] },
    where: `link_id = '${linkId}'`,
  };
  const groupBys = ['city', 'country', 'destination', 'shortLinks', 'uniqueVisitors'] as const;
  return [
    ...groupBys.map((groupBy) => breakdown(`domain: ${groupBy}`, { ...byDomain, groupBy })),
    timeline('domain: by day, UTC', 'UTC', byDomain),
    ...(['city', 'uniqueVisitors'] as const).map((groupBy) => breakdown(`tag: ${groupBy}`, { ...byTag, groupBy })),
    ...(['city', 'uniqueVisitors'] as const).map((groupBy) => breakdown(`link: ${groupBy}`, { ...byLink, groupBy })),
    timeline('link: by day, UTC', 'UTC', byLink),
  ];
}

const reported = ['country', 'city', 'referer', 'browser', 'shortLinks', 'qrCode', 'uniqueVisitors'] as const;

/** What a page of statistics asks for: of a whole organization, with the period before, and filtered by values. */
export function reports(filled: Filled): Statistic[] {
  const about = { filled, organization: 0, clicks: filled.size.largest, filters: allClicks, where: 'true' };
  const byValue = (values: ValueFilters, where: string) => ({
    ...about,
    filters: { ...allClicks, values },
    where,
    isCounted: false,
  });
  return [
    report('report', { ...about, isCounted: false }),
    report('report of a country', byValue({ country: ['US'] }, `country = 'US'`)),
    report(
      'report of a country and a referer',
      byValue({ country: ['US'], referer: ['direct'] }, `country = 'US' and referer is null`),
    ),
  ];
}

/** A timeline and seven breakdowns of one moment. */
function report(name: string, about: About): Statistic {
  const { filled, organization, filters, clicks, isCounted } = about;
  const { db, startMs, endMs } = filled;
  const range = { startMs, endMs };
  const query = { organizationId: ids.organization(organization), filters, groupBys: reported, limit, nowMs: endMs };
  const parts = [timeline('', 'UTC', about), ...reported.map((groupBy) => breakdown('', { ...about, groupBy }))];
  const points = localDays(range, 'UTC');
  return {
    name,
    isCounted,
    clicks,
    async read() {
      const { present } = await readReport(db, query, { range, points }, undefined);
      const groups = reported.map((groupBy) =>
        JSON.stringify(present.breakdowns.get(groupBy)!.rows.map(({ group, count }) => [group, count])),
      );
      return [JSON.stringify(points.map(({ date }, index) => [date, present.points[index]])), ...groups].join();
    },
    async readRaw() {
      const texts: string[] = [];
      for (const part of parts) texts.push(await part.readRaw());
      return texts.join();
    },
  };
}

interface About {
  filled: Filled;
  organization: number;
  clicks: number;
  filters: ClickFilters;
  /** The same as SQL. */
  where: string;
  isCounted: boolean;
}

function breakdown(name: string, about: About & { groupBy: GroupBy }): Statistic {
  const { filled, organization, filters, where, groupBy, clicks, isCounted } = about;
  const { db, startMs, endMs } = filled;
  const organizationId = ids.organization(organization);
  const query = { organizationId, range: { startMs, endMs }, filters };
  const from = `clicks c where organization_id = $1 and clicked_at >= $2 and clicked_at < $3 and ${where}`;
  const text =
    groupBy === 'uniqueVisitors'
      ? `select "group", count from (select count(distinct visitor) as visitors, count(*) as clicks from ${from}) v
         cross join lateral (values ('unique', visitors), ('returning', clicks - visitors)) g ("group", count)
         order by count desc`
      : `select * from (
           select coalesce(${valueSql(groupBy)}, '${groupWithoutValue(groupBy)}') as "group", count(*) as count from ${from} group by 1
         ) g order by count desc, "group" collate "C" limit ${limit}`;
  return {
    name,
    isCounted,
    clicks,
    async read() {
      const { rows } = await readBreakdown(db, { ...query, groupBy, limit, nowMs: endMs });
      return JSON.stringify(rows.map(({ group, count }) => [group, count]));
    },
    async readRaw() {
      const values = [organizationId, new Date(startMs), new Date(endMs)];
      const { rows } = await db.query<{ group: string; count: number }>(text, values);
      return JSON.stringify(rows.map(({ group, count }) => [group, count]));
    },
  };
}

function timeline(name: string, zone: string, about: About): Statistic {
  const { filled, organization, filters, where, clicks, isCounted } = about;
  const { db, startMs, endMs } = filled;
  const organizationId = ids.organization(organization);
  const query = { organizationId, range: { startMs, endMs }, filters };
  const days = localDays(query.range, zone);
  const text = `select to_char(clicked_at at time zone '${zone}', 'YYYY-MM-DD') as "date", count(*) as count from clicks c
    where organization_id = $1 and clicked_at >= $2 and clicked_at < $3 and ${where} group by 1 order by 1`;
  return {
    name,
    isCounted,
    clicks,
    async read() {
      const counts = await readTimeline(db, query, days);
      return JSON.stringify(days.map(({ date }, index) => [date, counts[index]]));
    },
    async readRaw() {
      const values = [organizationId, new Date(startMs), new Date(endMs)];
      const { rows } = await db.query<{ date: string; count: number }>(text, values);
      return JSON.stringify(rows.map(({ date, count }) => [date, count]));
    },
  };
}
