import type { Dimension } from '#core/stats/stats.ts';
import { dimensionIds, dimensions } from '#core/stats/stats.ts';
import { quarterMs, quartersPerDay, type Roll } from '#core/stats/plan.ts';
import type { Database, Sql } from '#db/connection/database.ts';

/**
 * Counts that spare statistics the reading of every click. They hold every row of `clicks`, clicks of deleted links included:
 * - `click_days`, added to at ingest, in the same transaction;
 * - `click_values`, counted afterwards, and only for days with many clicks of organizations that look at them: at ingest every
 *   click would cost a dozen writes, and for small days the counts are larger than the clicks. `click_rolls` holds the number
 *   of clicks that were counted; where a day has another number now, statistics read the clicks instead;
 * - `click_week_values`, whole weeks, added up from these: of days with thousands of values each, most values recur.
 *   `click_week_rolls` holds the number of clicks they comprise.
 */

/** Clicks of an organization's links in a quarter of an hour (UTC). */
export interface OrganizationClicks {
  organizationId: string;
  /** `YYYY-MM-DD` */
  day: string;
  /** From 0 at midnight to 95. */
  quarter: number;
  clicks: number;
}

// Beyond either, a day's counts of a dimension are hardly read more quickly than its clicks.
const defaultMaxValues = 10_000;
const maxValueBytes = 1_000_000;

// One process counts for an organization at a time; its clicks are not removed meanwhile.
const lockKey = `hashtextextended('rollups ' || $1::uuid, 0)`;
const dimensionList = Object.values(dimensionIds).join(', ');
const valueRows = dimensions.map((name) => `(${dimensionIds[name]}::smallint, ${valueSql(name)})`).join(', ');

/**
 * Adds clicks to the counts, in the transaction that inserts them, in the order of keys: two such transactions cannot deadlock.
 */
export async function addToRollups(tx: Sql, added: readonly OrganizationClicks[]): Promise<void> {
  const days = new Map<string, { organizationId: string; day: string; quarters: number[] }>();
  for (const { organizationId, day, quarter, clicks } of added) {
    const key = organizationId + day;
    let known = days.get(key);
    if (known === undefined) days.set(key, (known = { organizationId, day, quarters: [] }));
    known.quarters[quarter] = (known.quarters[quarter] ?? 0) + clicks;
  }
  const sorted = [...days].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
  const own = 'click_days.quarters';
  const more = 'excluded.quarters';
  const [first, last] = [`array_lower(${more}, 1)`, `array_upper(${more}, 1)`];
  await tx.query({
    name: 'rollups-add',
    // Only the slice of the array that changes is written; the array grows with it.
    text: `insert into click_days (organization_id, day, quarters)
      select organization_id, day, quarters::int[]
      from unnest($1::uuid[], $2::date[], $3::text[]) added (organization_id, day, quarters)
      on conflict (organization_id, day) do update set quarters[${first}:${last}] =
        array(select coalesce(${own}[i], 0) + ${more}[i] from generate_series(${first}, ${last}) i order by i)`,
    values: [
      sorted.map(({ organizationId }) => organizationId),
      sorted.map(({ day }) => day),
      sorted.map(({ quarters }) => toSlice(quarters)),
    ],
  });
}

/** The used part of an array in PostgreSQL's notation with bounds, which begin at 1. */
function toSlice(quarters: readonly (number | undefined)[]): string {
  const first = quarters.findIndex((clicks) => clicks !== undefined);
  const used = Array.from(quarters.slice(first), (clicks) => clicks ?? 0);
  return `[${first + 1}:${quarters.length}]={${used.join(',')}}`;
}

/**
 * Hides the clicks of deleted links from every statistic, from this transaction on (5.6).
 * @param deletionId the deletion that removes them.
 */
export async function hideClicks(tx: Sql, linkIds: readonly string[], deletionId: string | null = null): Promise<void> {
  await tx.query(
    `insert into hidden_links (organization_id, link_id, purge_id)
     select organization_id, id, $2 from short_links where id = any($1::uuid[]) order by 1, 2 on conflict do nothing`,
    [linkIds, deletionId],
  );
}

/**
 * Counts a day's clicks by value, from midnight (UTC) up to a quarter of an hour. Does nothing while another process counts for
 * this organization.
 * @param maxValues a dimension with more values on that day is left out.
 */
export async function rollDay(
  db: Database,
  organizationId: string,
  { startMs, quarters }: Roll,
  maxValues = defaultMaxValues,
): Promise<void> {
  const start = new Date(startMs).toISOString();
  const end = new Date(startMs + quarters * quarterMs).toISOString();
  const roll = async (tx: Sql): Promise<void> => {
    if (!(await tryLockRolls(tx, organizationId))) return;
    await forgetRolls(tx, organizationId, [start.slice(0, 10)]);
    await tx.query(
      `with counted as materialized (
         select v.dimension, v.value, count(*)::int as clicks
         from clicks c cross join lateral (values ${valueRows}) v (dimension, value)
         where c.organization_id = $1 and c.clicked_at >= $2 and c.clicked_at < $3
         group by 1, 2
       ), sizes as (
         select dimension, count(value) > $4 or sum(octet_length(value)) > ${maxValueBytes} as is_large,
           sum(clicks) as clicks
         from counted group by 1
       ), kept as (
         insert into click_values (organization_id, dimension, day, groups, counts)
         select $1, dimension, ${dayOf('$2')}, array_agg(c.value), array_agg(c.clicks)
         from counted c join sizes s using (dimension) where c.value is not null and not s.is_large group by dimension
       )
       insert into click_rolls (organization_id, day, quarters, clicks, unrolled)
       select $1, ${dayOf('$2')}, $5, coalesce(max(clicks), 0),
         coalesce(bit_or(case when is_large then 1 << dimension else 0 end), 0)
       from sizes`,
      [organizationId, start, end, maxValues, quarters],
    );
  };
  await db.transaction(roll, { plans: 'custom' });
}

/**
 * Adds up a week's counts by value. Does nothing while another process counts for this organization, or where a day with clicks
 * has no exact counts.
 * @param startMs a Monday's midnight (UTC).
 */
export async function rollWeek(db: Database, organizationId: string, startMs: number): Promise<void> {
  const monday = new Date(startMs).toISOString().slice(0, 10);
  const roll = async (tx: Sql): Promise<void> => {
    if (!(await tryLockRolls(tx, organizationId))) return;
    for (const table of ['click_week_rolls', 'click_week_values'])
      await tx.query(`delete from ${table} where organization_id = $1 and day = $2`, [organizationId, monday]);
    // One statement: all days are of one snapshot.
    await tx.query(
      `with days as (
         select d.day, r.clicks, r.unrolled,
           coalesce(r.quarters = ${quartersPerDay} and r.clicks = (select sum(q) from unnest(d.quarters) q), false) as holds
         from click_days d left join click_rolls r using (organization_id, day)
         where d.organization_id = $1 and d.day >= $2::date and d.day < $2::date + 7
       ), week as materialized (
         select sum(clicks) as clicks, bit_or(unrolled) as unrolled from days having bool_and(holds)
       ), kept as (
         insert into click_week_values (organization_id, dimension, day, groups, counts)
         select $1, dimension, $2::date, array_agg(value), array_agg(clicks)
         from (
           select v.dimension, u.value, sum(u.clicks)::int as clicks
           from week w
           join click_values v on v.organization_id = $1 and v.day >= $2::date and v.day < $2::date + 7
             and (w.unrolled >> v.dimension) & 1 = 0
             -- Retention removes a day before its values.
             and v.day in (select day from days)
           cross join lateral unnest(v.groups, v.counts) u (value, clicks)
           group by 1, 2
         ) summed group by dimension
       )
       insert into click_week_rolls (organization_id, day, clicks, unrolled)
       select $1, $2::date, clicks, unrolled from week`,
      [organizationId, monday],
    );
  };
  await db.transaction(roll, { plans: 'custom' });
}

/** Locks an organization's counts by value until the end of the transaction. */
export async function lockRolls(tx: Sql, organizationId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${lockKey})`, [organizationId]);
}

async function tryLockRolls(tx: Sql, organizationId: string): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>(`select pg_try_advisory_xact_lock(${lockKey}) as locked`, [
    organizationId,
  ]);
  return rows[0]!.locked;
}

/** Removes the counts by value of some days (`YYYY-MM-DD`) of an organization, and of their weeks. */
export async function forgetRolls(tx: Sql, organizationId: string, days: readonly string[]): Promise<void> {
  await tx.query(`delete from click_rolls where organization_id = $1 and day = any($2::date[])`, [
    organizationId,
    days,
  ]);
  await tx.query(
    `delete from click_values
     where organization_id = $1 and day = any($2::date[]) and dimension = any(array[${dimensionList}]::smallint[])`,
    [organizationId, days],
  );
  const weeks = 'array(select distinct date_trunc($3, day)::date from unnest($2::date[]) day)';
  await tx.query(`delete from click_week_rolls where organization_id = $1 and day = any(${weeks})`, [
    organizationId,
    days,
    'week',
  ]);
  await tx.query(
    `delete from click_week_values
     where organization_id = $1 and day = any(${weeks}) and dimension = any(array[${dimensionList}]::smallint[])`,
    [organizationId, days, 'week'],
  );
}

/** SQL of a click's value in a dimension, null where it has none; `c` names the click. */
export function valueSql(dimension: Dimension): string {
  switch (dimension) {
    case 'qrCode':
      return `case when c.is_qr_code then 'qr' end`;
    case 'shortLinks':
      return 'c.link_id::text';
    default:
      return `nullif(c.${dimension.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}, '')`;
  }
}

function dayOf(timestamp: string): string {
  return `(${timestamp}::timestamptz at time zone 'UTC')::date`;
}
