import { type GroupBy, type Range } from '#core/stats/stats.ts';
import { snakeCase } from '#core/lib/text/snake-case.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import type { Sql } from '#db/connection/database.ts';
import type { StatsQuery } from '#db/stats/clicks-filter.ts';
import { type ClickView, type GroupCount, type Groups, listed, noRolls, visitorGroups } from '#db/stats/query.ts';
import { earlierGroups, type Period, type PeriodReport, type ReportQuery } from '#db/stats/report.ts';
import type { Statistics } from '#db/stats/statistics.ts';
import { createStatement, groupSql } from './filter.ts';

/**
 * Statistics of the clicks in ClickHouse, which reads the clicks themselves: it keeps no counts. One query is of one moment, so a
 * report is one query.
 * @param sql PostgreSQL, which knows the links.
 */
export function createClickHouseStatistics(clickhouse: ClickHouse, sql: Sql): Statistics {
  return {
    async readBreakdown(query) {
      const { groupBy, limit } = query;
      const groups =
        groupBy === 'uniqueVisitors'
          ? await readVisitors(clickhouse, sql, query, limit)
          : await readGroups(clickhouse, sql, query, groupBy, limit);
      return { ...groups, rolls: noRolls };
    },
    async readTimeline(query, points) {
      if (points.length === 0) return [];
      const { parameters, clicks } = await createStatement(sql, query);
      const rows = await clickhouse.query<{ startMs: number; clicks: number }>(
        `select ${pointSql(points)} as startMs, count() as clicks from ${clicks} group by startMs`,
        parameters,
      );
      return countsOf(points, rows);
    },
    async readReport(query, present, earlier) {
      const limit = Math.max(query.limit, earlierGroups);
      return {
        present: await readPeriod(clickhouse, sql, query, present),
        earlier: earlier && (await readPeriod(clickhouse, sql, { ...query, limit }, earlier)),
        rolls: noRolls,
      };
    },
    async listClicks({ after, limit, ...query }) {
      const { parameters, value, clicks } = await createStatement(sql, query);
      // ClickHouse compares UUIDs from their second half on.
      const id = 'toUInt128(c.id)';
      const time = after && `fromUnixTimestamp64Milli(${Math.trunc(after.atMs)}, 'UTC')`;
      const rest =
        after === undefined
          ? ''
          : ` and c.clicked_at <= ${time} and (c.clicked_at, ${id}) < (${time}, toUInt128(${value('UUID', after.id)}))`;
      const columns = listed.filter((name) => name !== 'clickedAt').map((name) => `c.${snakeCase(name)} as "${name}"`);
      const rows = await clickhouse.query<Omit<ClickView, 'clickedAt'> & { clickedMs: number }>(
        `select ${columns.join(', ')}, c.link_id as "shortLinkId", toUnixTimestamp64Milli(c.clicked_at) as "clickedMs"
         from ${clicks}${rest} order by c.clicked_at desc, ${id} desc limit ${value('UInt32', limit)}`,
        parameters,
      );
      return rows.map(({ clickedMs, ...row }) => ({ ...row, clickedAt: new Date(clickedMs) }));
    },
  };
}

async function readGroups(
  clickhouse: ClickHouse,
  sql: Sql,
  query: StatsQuery,
  groupBy: Exclude<GroupBy, 'uniqueVisitors'>,
  limit: number,
): Promise<Groups> {
  const { parameters, value, clicks } = await createStatement(sql, query);
  const rows = await clickhouse.query<{ group: string; count: number; total: number }>(
    `select ${groupSql(groupBy)} as "group", count() as "count", sum(count()) over () as total
     from ${clicks} group by "group" order by "count" desc, "group" limit ${value('UInt32', limit)}`,
    parameters,
  );
  const groups = rows.map(({ group, count }) => ({ group, count }));
  return {
    rows: groupBy === 'shortLinks' ? await withLinks(sql, groups) : groups,
    total: rows[0]?.total ?? 0,
  };
}

/** Tells how many clicks were the first ones of their visitors, and how many came later. */
async function readVisitors(clickhouse: ClickHouse, sql: Sql, query: StatsQuery, limit: number): Promise<Groups> {
  const { parameters, clicks } = await createStatement(sql, query);
  const [row] = await clickhouse.query<{ visitors: number; clicks: number }>(
    `select uniqExact(c.visitor) as visitors, count() as clicks from ${clicks}`,
    parameters,
  );
  return visitorGroups(row!, limit);
}

// No mask of `grouping`.
const visitorMask = -1;

/** Counts clicks by point and by each grouping in one pass over them, and their visitors in another one of the same query. */
async function readPeriod(
  clickhouse: ClickHouse,
  sql: Sql,
  { groupBys, limit, ...rest }: ReportQuery,
  { range, points }: Period,
): Promise<PeriodReport> {
  const breakdowns = new Map<GroupBy, Groups>();
  if (points.length === 0) {
    for (const groupBy of groupBys) breakdowns.set(groupBy, { rows: [], total: 0 });
    return { points: [], total: 0, breakdowns };
  }
  const { parameters, value, clicks } = await createStatement(sql, { ...rest, range });
  const keys = groupBys
    .filter((groupBy) => groupBy !== 'uniqueVisitors')
    // Ids are grouped in a third of the time that their texts take (measured with 2,000,000 clicks).
    .map((groupBy, index) => ({
      groupBy,
      column: `v${index}`,
      text: groupBy === 'shortLinks' ? 'c.link_id' : groupSql(groupBy),
    }));
  const columns = ['point', ...keys.map(({ column }) => column)];
  // `grouping` has a bit for each column, the first one's highest, which is 0 where the row is a group of that column.
  const maskOf = (column: string): number =>
    2 ** columns.length - 1 - 2 ** (columns.length - 1 - columns.indexOf(column));
  const pointMask = maskOf('point');
  const counted = `select mask, "group", "count" from (
       select grouping(${columns.join(', ')}) as mask, count() as "count",
         multiIf(${columns.map((column) => `mask = ${maskOf(column)}, toString(${column})`).join(', ')}, '') as "group",
         row_number() over (partition by mask order by "count" desc, "group") as rank
       from (
         select ${pointSql(points)} as point ${keys.map(({ column, text }) => `, ${text} as ${column}`).join('')}
         from ${clicks}
       )
       group by grouping sets (${columns.map((column) => `(${column})`).join(', ')})
     )
     where mask = ${pointMask} or rank <= ${value('UInt32', limit)} order by mask, rank`;
  // Apart from the other groups: of visitors there are as many as clicks.
  const visitors = groupBys.includes('uniqueVisitors')
    ? `union all select ${visitorMask}, '', uniqExact(c.visitor) from ${clicks}`
    : '';
  const rows = await clickhouse.query<{ mask: number; group: string; count: number }>(
    `select * from (${counted}) ${visitors}`,
    parameters,
  );
  const ofMask = (mask: number) => rows.filter((row) => row.mask === mask);
  const counts = countsOf(
    points,
    ofMask(pointMask).map(({ group, count }) => ({ startMs: Number(group), clicks: count })),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  for (const { groupBy, column } of keys) {
    const own = ofMask(maskOf(column)).map(({ group, count }) => ({ group, count }));
    breakdowns.set(groupBy, { rows: groupBy === 'shortLinks' ? await withLinks(sql, own) : own, total });
  }
  if (visitors !== '')
    breakdowns.set('uniqueVisitors', visitorGroups({ visitors: ofMask(visitorMask)[0]!.count, clicks: total }, limit));
  return { points: counts, total, breakdowns };
}

/** SQL of the start of the point that a click lies in (Unix, milliseconds). */
function pointSql(points: readonly Range[]): string {
  // As one text: thousands of literals would take the server longer to read than the clicks.
  const starts = points.map(({ startMs }) => Math.trunc(startMs)).join(',');
  return `roundDown(toUnixTimestamp64Milli(c.clicked_at), (select arrayMap(ms -> toInt64(ms), splitByChar(',', '${starts}'))))`;
}

function countsOf(points: readonly Range[], rows: readonly { startMs: number; clicks: number }[]): number[] {
  const found = new Map(rows.map(({ startMs, clicks }) => [startMs, clicks]));
  return points.map(({ startMs }) => found.get(startMs) ?? 0);
}

/** Adds the addresses of links; a link that is removed has none. */
async function withLinks(sql: Sql, groups: readonly GroupCount[]): Promise<GroupCount[]> {
  if (groups.length === 0) return [];
  // By hand: it follows a query of statistics, whose answer names links (bench row A2).
  const { rows } = await sql.query<{ id: string; domain: string; slug: string }>({
    name: 'stats-link-names',
    text: `select l.id, d.domain, l.slug from short_links l join domains d on d.id = l.domain_id where l.id = any($1::uuid[])`,
    values: [groups.map(({ group }) => group)],
  });
  const links = new Map(rows.map(({ id, domain, slug }) => [id, { domain, slug }]));
  return groups.map((row) => {
    const link = links.get(row.group);
    return link === undefined ? row : { ...row, link };
  });
}
