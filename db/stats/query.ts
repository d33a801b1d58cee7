import type { Selectable } from 'kysely';
import type { Dimension, Range } from '#core/stats/stats.ts';
import { dimensionIds, groupWithoutValue } from '#core/stats/stats.ts';
import {
  type DayTotals,
  planBreakdown,
  planRolls,
  planTimeline,
  planWeeks,
  quartersPerDay,
  type WeekTotals,
} from '#core/stats/plan.ts';
import { snakeCase } from '#core/lib/text/snake-case.ts';
import type { Database, Sql } from '#db/connection/database.ts';
import type { Tables } from '#db/connection/entity-manager.ts';
import type { Position } from '#db/connection/lists/paging.ts';
import type { Rolls } from './rollup-queue.ts';
import { createStatement, dayText, type StatsQuery, timeText, valueSql } from './clicks-filter.ts';

/** A group and its clicks; `link` is set where links are the groups. */
export interface GroupCount {
  group: string;
  count: number;
  link?: { domain: string; slug: string };
}

/** Groups, most clicks first, then by name in the order of code points; `total` counts the groups that are not listed, too. */
export interface Groups {
  rows: GroupCount[];
  total: number;
}

export const noRolls: Rolls = { days: [], weeks: [] };

// By hand, every statement of this file: the statistics of bench rows A1 and A2; which parts one has depends on the counts that
// are up to date.

/** Reads the groups of all clicks in a range, from stored counts and from the clicks that these leave out. */
export async function readCounted(
  tx: Sql,
  query: StatsQuery,
  dimension: Dimension,
  limit: number,
  counts: Counts,
): Promise<Groups> {
  const { parts, values } = countedParts(query, dimension, counts);
  return parts === '' ? { rows: [], total: 0 } : readGroups(tx, dimension, limit, parts, values);
}

/** The days and weeks of a query that should be counted by value. */
export function rollsOf({ range, nowMs }: StatsQuery & { nowMs: number }, counts: Counts, minClicks: number): Rolls {
  const days = planRolls(counts.days, nowMs, minClicks);
  return { days, weeks: planWeeks(range, counts, days, nowMs) };
}

/** Counts all clicks of consecutive ranges, from stored counts and from the clicks that these leave out. */
export async function countPoints(
  tx: Sql,
  query: StatsQuery,
  points: readonly Range[],
  { days, hasHidden }: Counts,
): Promise<number[]> {
  if (points.length === 0) return [];
  const { counts, raw } = planTimeline(points, days);
  const sql = createStatement(query);
  const starts = sql.value(points.map(({ startMs }) => timeText(startMs)));
  // The number, from 1, of each point with clicks, and how many it has.
  const countIn = (clicks: string, sign = ''): string =>
    `select width_bucket(c.clicked_at, ${starts}::timestamptz[]) as point, ${sign}count(*) as clicks
     from ${clicks} group by 1`;
  const parts = [
    ...(raw.length > 0 ? [countIn(sql.clicksOf(raw))] : []),
    ...(hasHidden ? [countIn(sql.hidden(), '-')] : []),
  ];
  const sums = [...counts];
  if (parts.length === 0) return sums;
  const { rows } = await tx.query<{ point: number; clicks: number }>(parts.join(' union all '), sql.values);
  for (const { point, clicks } of rows) sums[point - 1]! += clicks;
  return sums;
}

export const listed = [
  'id',
  'clickedAt',
  'domainId',
  'country',
  'region',
  'city',
  'continent',
  'lang',
  'device',
  'browser',
  'os',
  'referer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'utmTerm',
  'utmContent',
  'isQrCode',
  'destination',
] as const satisfies (keyof Tables['Click'])[];

export type ClickView = Pick<Selectable<Tables['Click']>, (typeof listed)[number]> & { shortLinkId: string };

/** Lists clicks, newest first, by time and id. @param after the last click of the page before. */
export async function listClicks(
  db: Database,
  query: StatsQuery & { after?: Position; limit: number },
): Promise<ClickView[]> {
  const { after, limit } = query;
  const sql = createStatement(query);
  let from = sql.clicks();
  if (after !== undefined) {
    const time = sql.time(after.atMs);
    // The first comparison prunes later partitions.
    from += ` and c.clicked_at <= ${time} and (c.clicked_at, c.id) < (${time}, ${sql.value(after.id)}::uuid)`;
  }
  const columns = listed.map((name) => `c.${snakeCase(name)} as "${name}"`).join(', ');
  const text = `select ${columns}, c.link_id as "shortLinkId"
    from ${from} order by c.clicked_at desc, c.id desc limit ${sql.value(limit)}`;
  return (await db.query<ClickView>(text, sql.values)).rows;
}

/** Runs queries on one snapshot: otherwise a day could count twice, or not at all. */
export function inSnapshot<T>(db: Database, work: (tx: Sql) => Promise<T>): Promise<T> {
  return db.transaction(work, { plans: 'custom', isSnapshot: true });
}

/** Bits of dimensions that were not counted by value. */
interface Unrolled {
  unrolled: number;
}

/** Counts of an organization's clicks in a range, from which the query is planned. */
interface Counts {
  days: (DayTotals & Unrolled)[];
  weeks: (WeekTotals & Unrolled)[];
  /** Whether clicks of deleted links have to be taken off. */
  hasHidden: boolean;
}

export async function readCounts(tx: Sql, { organizationId, range }: StatsQuery): Promise<Counts> {
  const { rows } = await tx.query<{
    days: [startMs: number, first: number, used: (number | null)[], rolled: number, clicks: number, unrolled: number][];
    weeks: [startMs: number, clicks: number, unrolled: number][];
    hasHidden: boolean;
  }>({
    name: 'stats-counts',
    text: `select
        (select coalesce(json_agg(json_build_array(extract(epoch from d.day) * 1000, array_lower(d.quarters, 1) - 1, d.quarters,
            coalesce(r.quarters, 0), coalesce(r.clicks, 0), coalesce(r.unrolled, 0)) order by d.day), '[]')
          from click_days d left join click_rolls r using (organization_id, day)
          where d.organization_id = $1 and d.day >= $2::date and d.day <= $3::date) as days,
        (select coalesce(json_agg(json_build_array(extract(epoch from w.day) * 1000, w.clicks, w.unrolled)), '[]')
          from click_week_rolls w
          where w.organization_id = $1 and w.day >= $2::date and w.day <= $3::date) as weeks,
        exists(select from hidden_links where organization_id = $1) as "hasHidden"`,
    values: [organizationId, dayText(range.startMs), dayText(range.endMs)],
  });
  const { days, weeks, hasHidden } = rows[0]!;
  return {
    days: days.map(([startMs, first, used, rolledQuarters, rolledClicks, unrolled]) => ({
      startMs,
      quarters: Array.from({ length: quartersPerDay }, (_, index) => used[index - first] ?? 0),
      rolledQuarters,
      rolledClicks,
      unrolled,
    })),
    weeks: weeks.map(([startMs, rolledClicks, unrolled]) => ({ startMs, rolledClicks, unrolled })),
    hasHidden,
  };
}

/** SQL of counts by value from rollups, from clicks that these leave out, and less those of deleted links; empty: there are none. */
function countedParts(query: StatsQuery, dimension: Dimension, counts: Counts): { parts: string; values: unknown[] } {
  const id = dimensionIds[dimension];
  const plan = planBreakdown(query.range, counts, ({ unrolled }) => ((unrolled >> id) & 1) === 0);
  const sql = createStatement(query);
  const value = valueSql(dimension);
  const rolled = [
    { table: 'click_values', starts: plan.rolledDays },
    { table: 'click_week_values', starts: plan.rolledWeeks },
  ].flatMap(({ table, starts }) =>
    starts.length === 0
      ? []
      : `select unnest(groups) as value, unnest(counts) as clicks from ${table}
         where organization_id = ${sql.organization} and dimension = ${id}
           and day = any(${sql.value(starts.map(dayText))}::date[])`,
  );
  const parts: string[] = [];
  if (plan.raw.length > 0)
    parts.push(`select ${value} as value, count(*) as clicks from ${sql.clicksOf(plan.raw)} group by 1`);
  if (counts.hasHidden) parts.push(`select ${value} as value, -count(*) as clicks from ${sql.hidden()} group by 1`);
  if (rolled.length === 0) return { parts: parts.join(' union all '), values: sql.values };
  parts.push(
    `select value, clicks from rolled`,
    // Clicks without a value are not counted by it.
    `select null, ${sql.value(plan.rolledClicks)}::bigint - coalesce((select sum(clicks) from rolled), 0)`,
  );
  return {
    parts: `with rolled as materialized (
        select value, sum(clicks)::bigint as clicks from (${rolled.join(' union all ')}) counted group by 1
      ) ${parts.join(' union all ')}`,
    values: sql.values,
  };
}

async function readGroups(
  tx: Sql,
  dimension: Dimension,
  limit: number,
  parts: string,
  values: readonly unknown[],
): Promise<Groups> {
  const [rest, most] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const order = 'order by count desc, "group" collate "C"';
  const link =
    dimension === 'shortLinks'
      ? `(select json_build_object('domain', d.domain, 'slug', l.slug)
          from short_links l join domains d on d.id = l.domain_id where l.id = nullif("group", ${rest})::uuid)`
      : 'null';
  const { rows } = await tx.query<{ group: string; count: number; total: number; link: GroupCount['link'] | null }>(
    `with groups as (
       select coalesce(value, ${rest}) as "group", sum(clicks)::bigint as count
       from (${parts}) parts group by 1 having sum(clicks) > 0
     ), largest as (
       select "group", count, (sum(count) over ())::bigint as total from groups ${order} limit ${most}
     )
     select "group", count, total, ${link} as link from largest ${order}`,
    [...values, groupWithoutValue(dimension), limit],
  );
  return {
    rows: rows.map(({ group, count, link }) => ({ group, count, ...(link === null ? {} : { link }) })),
    total: rows[0]?.total ?? 0,
  };
}

/** Tells how many clicks were the first ones of their visitors, and how many came later. */
export async function readVisitors(tx: Sql, query: StatsQuery, limit: number): Promise<Groups> {
  const sql = createStatement(query);
  const { rows } = await tx.query<{ visitors: number; clicks: number }>(
    `select count(*) as visitors, coalesce(sum(clicks), 0)::bigint as clicks
     from (select count(*) as clicks from ${sql.clicks()} group by c.visitor) visitors`,
    sql.values,
  );
  return visitorGroups(rows[0]!, limit);
}

/** Makes the two groups of `uniqueVisitors`: first clicks, one for each visitor, and repeated clicks. */
export function visitorGroups({ visitors, clicks }: { visitors: number; clicks: number }, limit: number): Groups {
  const groups = [
    { group: 'returning', count: clicks - visitors },
    { group: 'unique', count: visitors },
  ];
  const shown = groups.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count);
  return { rows: shown.slice(0, limit), total: clicks };
}
