import { type Dimension, type GroupBy, groupWithoutValue, isFiltered, type Range } from '#core/stats/stats.ts';
import type { Database, Sql } from '#db/connection/database.ts';
import { createStatement, type StatsQuery, timeText, valueSql } from './clicks-filter.ts';
import {
  countPoints,
  type GroupCount,
  type Groups,
  inSnapshot,
  noRolls,
  readCounted,
  readCounts,
  readVisitors,
  rollsOf,
} from './query.ts';
import type { Rolls } from './rollup-queue.ts';

export interface Period {
  readonly range: Range;
  /** Consecutive, without gaps, and together the range; none: the report has no timeline. */
  readonly points: readonly Range[];
}

export interface PeriodReport {
  points: number[];
  breakdowns: Map<GroupBy, Groups>;
}

/** Statistics of a period and of the one that it is compared with, all of one moment. */
export interface Report {
  present: PeriodReport;
  earlier: PeriodReport | undefined;
  /** Days and weeks whose clicks should be counted by value. */
  rolls: Rolls;
}

export interface ReportQuery extends Omit<StatsQuery, 'range'> {
  /** Without any, a report is only a timeline. */
  groupBys: readonly GroupBy[];
  limit: number;
  nowMs: number;
}

// By hand, every statement of this file: the reports of bench row A1, made as in query.ts.

// Of the earlier period more groups are read than of the present one, which mostly has the same groups in another order.
export const earlierGroups = 1_000;

// A day with fewer clicks is read as quickly as its counts.
const minRolledClicks = 1_000;

/**
 * Reads a timeline and breakdowns of one moment. Filtered by link, folder, tag or domain they come from the rows of `clicks`; else
 * from the stored counts of days, and from rows for the rest.
 * @param minClicks days with fewer clicks are not worth counts by value.
 */
export function readReport(
  db: Database,
  query: ReportQuery,
  present: Period,
  earlier: Period | undefined,
  minClicks = minRolledClicks,
): Promise<Report> {
  return inSnapshot(db, async (tx) => {
    const found = await readPeriod(tx, query, present, minClicks);
    const limit = Math.max(query.limit, earlierGroups);
    const before = earlier === undefined ? undefined : await readPeriod(tx, { ...query, limit }, earlier, minClicks);
    return {
      present: found.report,
      earlier: before?.report,
      rolls: {
        days: [found, before].flatMap((part) => part?.rolls.days ?? []),
        weeks: [found, before].flatMap((part) => part?.rolls.weeks ?? []),
      },
    };
  });
}

async function readPeriod(
  tx: Sql,
  { groupBys, limit, nowMs, ...rest }: ReportQuery,
  { range, points }: Period,
  minClicks: number,
): Promise<{ report: PeriodReport; rolls: Rolls }> {
  const query: StatsQuery = { ...rest, range };
  const dimensions = groupBys.filter((groupBy) => groupBy !== 'uniqueVisitors');
  let report: PeriodReport;
  let rolls = noRolls;
  if (isFiltered(query.filters)) {
    report = await readFiltered(tx, query, dimensions, limit, points);
  } else {
    const counts = await readCounts(tx, query);
    report = { points: await countPoints(tx, query, points, counts), breakdowns: new Map() };
    for (const dimension of dimensions)
      report.breakdowns.set(dimension, await readCounted(tx, query, dimension, limit, counts));
    if (dimensions.length > 0) rolls = rollsOf({ ...query, nowMs }, counts, minClicks);
  }
  if (groupBys.includes('uniqueVisitors'))
    report.breakdowns.set('uniqueVisitors', await readVisitors(tx, query, limit));
  return { report, rolls };
}

/** Counts filtered clicks by point and by each dimension: they are read once for all. */
async function readFiltered(
  tx: Sql,
  query: StatsQuery,
  dimensions: readonly Dimension[],
  limit: number,
  points: readonly Range[],
): Promise<PeriodReport> {
  const report: PeriodReport = { points: points.map(() => 0), breakdowns: new Map() };
  const sql = createStatement(query);
  const columns = dimensions.map((dimension, index) => ({
    name: `v${index}`,
    text: `coalesce(${valueSql(dimension)}, ${sql.value(groupWithoutValue(dimension))}::text)`,
  }));
  if (points.length > 0) {
    const starts = sql.value(points.map(({ startMs }) => timeText(startMs)));
    columns.push({ name: 'point', text: `width_bucket(c.clicked_at, ${starts}::timestamptz[])` });
  }
  if (columns.length === 0) return report;
  const names = columns.map(({ name }) => name);
  // `grouping` has a bit for each column, the first one's highest, which is 0 where the row is a group of that column.
  const maskOf = (index: number): number => 2 ** columns.length - 1 - 2 ** (columns.length - 1 - index);
  // Past the dimensions.
  const pointMask = points.length > 0 ? maskOf(dimensions.length) : -1;
  const links = dimensions.indexOf('shortLinks');
  const link =
    links < 0
      ? 'null'
      : `case when mask = ${maskOf(links)} then (select json_build_object('domain', d.domain, 'slug', l.slug)
          from short_links l join domains d on d.id = l.domain_id where l.id = "group"::uuid) end`;
  const { rows } = await tx.query<{
    mask: number;
    group: string;
    count: number;
    total: number;
    link: GroupCount['link'] | null;
  }>(
    `with counted as (
       select grouping(${names.join(', ')}) as mask, coalesce(${names.map((name) => `${name}::text`).join(', ')}) as "group",
         count(*) as count
       from (select ${columns.map(({ name, text }) => `${text} as ${name}`).join(', ')} from ${sql.clicks()}) picked
       group by grouping sets (${names.map((name) => `(${name})`).join(', ')})
     ), ranked as (
       select *, (sum(count) over (partition by mask))::bigint as total,
         row_number() over (partition by mask order by count desc, "group" collate "C") as rank
       from counted
     )
     select mask, "group", count, total, ${link} as link from ranked
     where mask = ${pointMask} or rank <= ${sql.value(limit)}::int order by mask, rank`,
    sql.values,
  );
  for (const { mask, group, count } of rows) if (mask === pointMask) report.points[Number(group) - 1] = count;
  for (const [index, dimension] of dimensions.entries()) {
    const own = rows.filter(({ mask }) => mask === maskOf(index));
    report.breakdowns.set(dimension, {
      rows: own.map(({ group, count, link: named }) => ({ group, count, ...(named === null ? {} : { link: named }) })),
      total: own[0]?.total ?? 0,
    });
  }
  return report;
}
