import { csvLine } from '#core/csv/csv.ts';
import type { Site } from '#core/links/site.ts';
import type { Position } from '#db/connection/lists/paging.ts';
import type { LocalDay } from '#core/stats/days.ts';
import type { Interval } from '#core/stats/intervals.ts';
import type { GroupBy, Range } from '#core/stats/stats.ts';
import type { ClickView, GroupCount, Groups } from '#db/stats/query.ts';
import type { PeriodReport } from '#db/stats/report.ts';
import { pageOf } from '#api/cursor.ts';
import { type Click, clickFields, type Clicks, type Overview, type StatsReport } from './schema.ts';

export function presentOverview({ rows, total }: Groups, site: Site): Overview {
  return { data: rows.map((row) => presentGroup(row, site)), totalClicks: total };
}

const presentGroup = ({ group, count, link }: GroupCount, site: Site): Overview['data'][number] => ({
  group,
  count,
  ...(link === undefined ? {} : { label: site.originUrl(link.domain, link.slug) }),
});

interface ReportFrame {
  timezone: string;
  interval: Interval;
  groupBys: readonly GroupBy[];
  present: DatedPeriod;
  earlier: DatedPeriod | undefined;
}

interface DatedPeriod {
  range: Range;
  points: readonly LocalDay[];
}

export function presentReport(
  { timezone, interval, groupBys, present, earlier }: ReportFrame,
  counted: { present: PeriodReport; earlier: PeriodReport | undefined },
  site: Site,
): StatsReport {
  return {
    ...presentPeriod(present, counted.present),
    timezone,
    interval,
    breakdowns: groupBys.map((groupBy) => {
      const { rows, total } = counted.present.breakdowns.get(groupBy)!;
      const before = counted.earlier?.breakdowns.get(groupBy);
      return {
        groupBy,
        data: rows.map((row) => ({
          ...presentGroup(row, site),
          ...(before === undefined ? {} : { previousCount: previousCountOf(row.group, before) }),
        })),
        totalClicks: total,
      };
    }),
    previous: earlier === undefined || counted.earlier === undefined ? null : presentPeriod(earlier, counted.earlier),
  };
}

/** Null where the group may be among those that were not read. */
function previousCountOf(group: string, { rows, total }: Groups): number | null {
  const found = rows.find((row) => row.group === group);
  if (found !== undefined) return found.count;
  return rows.reduce((sum, { count }) => sum + count, 0) === total ? 0 : null;
}

function presentPeriod({ range, points }: DatedPeriod, { points: counts }: PeriodReport) {
  return {
    startDate: new Date(range.startMs).toISOString(),
    endDate: new Date(range.endMs).toISOString(),
    totalClicks: totalOf(counts),
    timeline: points.map(({ date, startMs }, index) => ({
      date,
      startsAt: new Date(startMs).toISOString(),
      count: counts[index]!,
    })),
  };
}

export const totalOf = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** @param clicks one more than `limit` where a next page follows. */
export function presentClicks(clicks: readonly ClickView[], limit: number): Clicks {
  const { rows, nextCursor } = pageOf(clicks, limit, positionOf);
  return { data: rows.map(presentClick), nextCursor };
}

export function presentCsv(clicks: readonly ClickView[]): string {
  return clicks
    .map((click) => {
      const shown = presentClick(click);
      return csvLine(clickFields.map((field) => (shown[field] === null ? null : String(shown[field]))));
    })
    .join('');
}

export function positionOf({ clickedAt, id }: ClickView): Position {
  return { atMs: clickedAt.getTime(), id };
}

function presentClick(click: ClickView): Click {
  return { ...click, clickedAt: click.clickedAt.toISOString() };
}
