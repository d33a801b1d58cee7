import { dimensionIds, dimensions } from '#core/stats/stats.ts';
import { quarterMs, quartersPerDay, type Roll, weekOf } from '#core/stats/plan.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Sql } from '#db/connection/database.ts';
import { lockName, tryLockName } from '#db/connection/locks.ts';
import { ClickRoll, ClickValue, ClickWeekRoll, ClickWeekValue } from '#db/entities/rollups.ts';
import { dayText, valueSql } from './clicks-filter.ts';

/**
 * Counts that spare statistics the reading of every click. They hold every row of `clicks`, clicks of deleted links included:
 * - `click_days`, added to at ingest, in the same transaction (`day-counts.ts`);
 * - `click_values`, counted afterwards, and only for days with many clicks of organizations that look at them: at ingest every
 *   click would cost a dozen writes, and for small days the counts are larger than the clicks. `click_rolls` holds the number
 *   of clicks that were counted; where a day has another number now, statistics read the clicks instead;
 * - `click_week_values`, whole weeks, added up from these: of days with thousands of values each, most values recur.
 *   `click_week_rolls` holds the number of clicks they comprise.
 */

// Beyond either, a day's counts of a dimension are hardly read more quickly than its clicks.
const defaultMaxValues = 10_000;
const maxValueBytes = 1_000_000;

const allDimensions = Object.values(dimensionIds);
const valueRows = dimensions.map((name) => `(${dimensionIds[name]}::smallint, ${valueSql(name)})`).join(', ');

/**
 * Hides the clicks of deleted links from every statistic, from this transaction on.
 * @param deletionId the deletion that removes them.
 */
export async function hideClicks(
  em: EntityManager,
  linkIds: readonly string[],
  deletionId: string | null = null,
): Promise<void> {
  await em.kysely
    .insertInto('HiddenLink')
    .columns(['organizationId', 'linkId', 'purgeId'])
    .expression(({ selectFrom, val }) =>
      selectFrom('ShortLink')
        .select(['organization', 'id', val(deletionId).as('purgeId')])
        .where('id', 'in', linkIds)
        .orderBy('organization')
        .orderBy('id'),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Counts a day's clicks by value, from midnight (UTC) up to a quarter of an hour. Does nothing while another process counts for
 * this organization.
 * @param maxValues a dimension with more values on that day is left out.
 */
export async function rollDay(
  em: EntityManager,
  organizationId: string,
  { startMs, quarters }: Roll,
  maxValues = defaultMaxValues,
): Promise<void> {
  const day = dayText(startMs);
  await counting(em, organizationId, async (em) => {
    await forgetRolls(em, organizationId, [day]);
    // By hand: one statement reads each click of the day once, for all dimensions (bench row A1).
    await em.query(
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
         select $1, dimension, $6::date, array_agg(c.value), array_agg(c.clicks)
         from counted c join sizes s using (dimension) where c.value is not null and not s.is_large group by dimension
       )
       insert into click_rolls (organization_id, day, quarters, clicks, unrolled)
       select $1, $6::date, $5, coalesce(max(clicks), 0),
         coalesce(bit_or(case when is_large then 1 << dimension else 0 end), 0)
       from sizes`,
      [organizationId, new Date(startMs), new Date(startMs + quarters * quarterMs), maxValues, quarters, day],
    );
  });
}

/**
 * Adds up a week's counts by value. Does nothing while another process counts for this organization, or where a day with clicks
 * has no exact counts.
 * @param startMs a Monday's midnight (UTC).
 */
export async function rollWeek(em: EntityManager, organizationId: string, startMs: number): Promise<void> {
  const monday = dayText(startMs);
  await counting(em, organizationId, async (em) => {
    await forgetWeeks(em, organizationId, [monday]);
    // By hand: all days are of one snapshot, and values are added up from arrays (bench row A1).
    await em.query(
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
  });
}

/** Counts in one transaction, unless another process counts for this organization. */
async function counting(
  em: EntityManager,
  organizationId: string,
  work: (em: EntityManager) => Promise<void>,
): Promise<void> {
  await em.transactional(
    async (em) => {
      if (await tryLockName(em, lockOf(organizationId))) await work(em);
    },
    { plans: 'custom' },
  );
}

/** Locks an organization's counts by value until the end of the transaction: its clicks are not counted and removed at once. */
export async function lockRolls(tx: Sql, organizationId: string): Promise<void> {
  await lockName(tx, lockOf(organizationId));
}

function lockOf(organizationId: string): string {
  return `rollups ${organizationId}`;
}

/** Removes the counts by value of some days (`YYYY-MM-DD`) of an organization, and of their weeks. */
export async function forgetRolls(em: EntityManager, organizationId: string, days: readonly string[]): Promise<void> {
  await em.nativeDelete(ClickRoll, { organizationId, day: { $in: days } });
  await em.nativeDelete(ClickValue, { organizationId, dimension: { $in: allDimensions }, day: { $in: days } });
  await forgetWeeks(em, organizationId, [...new Set(days.map((day) => dayText(weekOf(Date.parse(day)))))]);
}

async function forgetWeeks(em: EntityManager, organizationId: string, mondays: readonly string[]): Promise<void> {
  await em.nativeDelete(ClickWeekRoll, { organizationId, day: { $in: mondays } });
  await em.nativeDelete(ClickWeekValue, { organizationId, dimension: { $in: allDimensions }, day: { $in: mondays } });
}
