import { type GroupBy, groupWithoutValue, isFiltered, type Range } from '#core/stats/stats.ts';
import type { Database, Sql } from '#db/connection/database.ts';
import { createStatement, type StatsQuery, timeText, valueSql } from './clicks-filter.ts';
import {
  countPoints,
  type GroupCount,
  type Groups,
  inSnapshot,
  minRolledClicks,
  noRolls,
  readCounted,
  readCounts,
  readVisitors,
  rollsOf,
} from './query.ts';
import type { Rolls } from './rollup-queue.ts';

/** The period that a report is about: consecutive points, without gaps. */
export interface Period {
  readonly range: Range;
  readonly points: readonly Range[];
}

/** Statistics of one period. */
export interface PeriodReport {
  /** Clicks of each point. */
  points: number[];
  total: number;
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
  groupBys: readonly GroupBy[];
  /** How many groups of each. */
  limit: number;
  nowMs: number;
}

// By hand, every statement of this file: the reports of bench row A1, made as in query.ts.

// Of the earlier period more groups are read than of the present one, which mostly has the same groups in another order.
export const earlierGroups = 1_000;

/** Reads a timeline and several breakdowns of one moment. */
export function readReport(
  db: Database,
  query: ReportQuery,
  present: Period,
  earlier: Period | undefined,
): Promise<Report> {
  return inSnapshot(db, async (tx) => {
    const found = await readPeriod(tx, query, present);
    const limit = Math.max(query.limit, earlierGroups);
    const before = earlier === undefined ? undefined : await readPeriod(tx, { ...query, limit }, earlier);
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
): Promise<{ report: PeriodReport; rolls: Rolls }> {
  const query: StatsQuery = { ...rest, range };
  const breakdowns = new Map<GroupBy, Groups>();
  if (points.length === 0) {
    for (const groupBy of groupBys) breakdowns.set(groupBy, { rows: [], total: 0 });
    return { report: { points: [], total: 0, breakdowns }, rolls: noRolls };
  }
  if (isFiltered(query.filters)) {
    const report = await readFiltered(tx, query, groupBys, limit, points);
    if (groupBys.includes('uniqueVisitors'))
      report.breakdowns.set('uniqueVisitors', await readVisitors(tx, query, limit));
    return { report, rolls: noRolls };
  }
  const counts = await readCounts(tx, query);
  const clicks = await countPoints(tx, query, points, counts);
  for (const groupBy of groupBys) {
    const groups =
      groupBy === 'uniqueVisitors'
        ? await readVisitors(tx, query, limit)
        : await readCounted(tx, query, groupBy, limit, counts);
    breakdowns.set(groupBy, groups);
  }
  return {
    report: { points: clicks, total: sum(clicks), breakdowns },
    rolls: rollsOf({ ...query, nowMs }, counts, minRolledClicks),
  };
}

/** Counts filtered clicks by point and by each grouping but that by visitor: they are read once for all. */
async function readFiltered(
  tx: Sql,
  query: StatsQuery,
  groupBys: readonly GroupBy[],
  limit: number,
  points: readonly Range[],
): Promise<PeriodReport> {
  const sql = createStatement(query);
  const dimensions = groupBys.filter((groupBy) => groupBy !== 'uniqueVisitors');
  const starts = sql.value(points.map(({ startMs }) => timeText(startMs)));
  const columns = ['point', ...dimensions.map((_, index) => `v${index}`)];
  // `grouping` has a bit for each column, the first one's highest, which is 0 where the row is a group of that column.
  const allBits = 2 ** columns.length - 1;
  const maskOf = (index: number): number => allBits - 2 ** (columns.length - 1 - index);
  const values = dimensions.map(
    (dimension, index) =>
      `coalesce(${valueSql(dimension)}, ${sql.value(groupWithoutValue(dimension))}::text) as v${index}`,
  );
  const links = dimensions.indexOf('shortLinks');
  const link =
    links < 0
      ? 'null'
      : `case when mask = ${maskOf(links + 1)} then (select json_build_object('domain', d.domain, 'slug', l.slug)
          from short_links l join domains d on d.id = l.domain_id where l.id = "group"::uuid) end`;
  const { rows } = await tx.query<{
    mask: number;
    group: string;
    count: number;
    total: number;
    link: GroupCount['link'] | null;
  }>(
    `with counted as (
       select grouping(${columns.join(', ')}) as mask, coalesce(${columns.join(', ')}) as "group", count(*) as count
       from (
         select width_bucket(c.clicked_at, ${starts}::timestamptz[])::text as point
           ${values.map((value) => `, ${value}`).join('')}
         from ${sql.clicks()}
       ) picked
       group by grouping sets (${columns.map((column) => `(${column})`).join(', ')})
     ), ranked as (
       select *, (sum(count) over (partition by mask))::bigint as total,
         row_number() over (partition by mask order by count desc, "group" collate "C") as rank
       from counted
     )
     select mask, "group", count, total, ${link} as link from ranked
     where mask = ${maskOf(0)} or rank <= ${sql.value(limit)}::int order by mask, rank`,
    sql.values,
  );
  const clicks = points.map(() => 0);
  for (const { mask, group, count } of rows) if (mask === maskOf(0)) clicks[Number(group) - 1] = count;
  const breakdowns = new Map<GroupBy, Groups>();
  for (const [index, dimension] of dimensions.entries()) {
    const own = rows.filter(({ mask }) => mask === maskOf(index + 1));
    breakdowns.set(dimension, {
      rows: own.map(({ group, count, link: named }) => ({ group, count, ...(named === null ? {} : { link: named }) })),
      total: own[0]?.total ?? 0,
    });
  }
  return { points: clicks, total: sum(clicks), breakdowns };
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
