import { type SelectQueryBuilder, sql } from 'kysely';
import { deleteSome } from '#db/connection/delete-some.ts';
import type { EntityManager, Tables } from '#db/connection/entity-manager.ts';
import { forgetRolls, lockRolls } from '#db/stats/rollups.ts';

interface RemovedClicks {
  /** UTC. */
  day: string;
  /** The quarter of an hour, 1 to 96. */
  quarter: number;
  clicks: number;
}

interface MovedClicks {
  table: 'clicks' | 'bot_clicks';
  organizationId: string;
  ids: readonly string[];
  /** Of their times, inclusive (ISO 8601). */
  start: string;
  /** Exclusive. */
  end: string;
}

/**
 * Removes a batch of the clicks of deleted links, then of bots' visits of them, and subtracts them from the counts in the same transaction. Safe to repeat
 * after an interruption. Not before a minute after the deletion: until then an edge may still ship clicks of the links.
 * @returns how many; none: there are no more.
 */
export async function removeClicks(
  em: EntityManager,
  { organizationId, linkIds, limit }: { organizationId: string; linkIds: readonly string[]; limit: number },
): Promise<number> {
  if (linkIds.length === 0) return 0;
  const ofLinks = em.kysely
    .selectFrom('Click')
    .where('organizationId', '=', organizationId)
    .where('linkId', 'in', linkIds);
  const removed = await removeSome(ofLinks, (partition) =>
    subtracting(em, organizationId, (em) => removeFrom(em, partition, { column: 'link_id', ids: linkIds, limit })),
  );
  return removed > 0 ? removed : deleteSome(em, 'BotClick', sql`link_id = any(${linkIds}::uuid[])`, limit);
}

/** Removes a batch of a deleted organization's clicks; its counts stay. @returns how many. */
export function removeOrganizationClicks(em: EntityManager, organizationId: string, limit: number): Promise<number> {
  return removeSome(em.kysely.selectFrom('Click').where('organizationId', '=', organizationId), (partition) =>
    removeFrom(em, partition, { column: 'organization_id', ids: [organizationId], limit }),
  );
}

/** Removes clicks, or bots' visits, that ClickHouse has; counts are subtracted in the same transaction. */
export async function removeMovedClicks(
  em: EntityManager,
  { table, organizationId, ids, start, end }: MovedClicks,
): Promise<number> {
  const condition = 'organization_id = $1 and clicked_at >= $2 and clicked_at < $3 and id = any($4::uuid[])';
  const remove = (em: EntityManager) => removeCounted(em, table, condition, [organizationId, start, end, ids]);
  return sumOf(await (table === 'clicks' ? subtracting(em, organizationId, remove) : remove(em)));
}

/** Removes clicks of an organization, and subtracts them from its counts in the same transaction. */
function subtracting(
  em: EntityManager,
  organizationId: string,
  remove: (em: EntityManager) => Promise<RemovedClicks[]>,
): Promise<RemovedClicks[]> {
  return em.transactional(async (em) => {
    await lockRolls(em, organizationId);
    const removed = await remove(em);
    if (removed.length === 0) return removed;
    const days = [...new Set(removed.map(({ day }) => day))];
    await forgetRolls(em, organizationId, days);
    await subtract(em, organizationId, days, removed);
    return removed;
  });
}

/** Removes some clicks from the partition that holds the first of them; a click may move to another partition before. */
async function removeSome(
  clicks: SelectQueryBuilder<Tables, 'Click', object>,
  remove: (partition: string) => Promise<RemovedClicks[]>,
): Promise<number> {
  for (;;) {
    // Quoted where it must be, as every text of a `regclass`.
    const partition = sql<string>`tableoid::regclass::text`.as('partition');
    const first = await clicks.select(partition).limit(1).executeTakeFirst();
    if (first === undefined) return 0;
    const removed = await remove(first.partition);
    if (removed.length > 0) return sumOf(removed);
  }
}

function sumOf(removed: readonly RemovedClicks[]): number {
  return removed.reduce((sum, { clicks }) => sum + clicks, 0);
}

function removeFrom(
  em: EntityManager,
  partition: string,
  { column, ids, limit }: { column: 'link_id' | 'organization_id'; ids: readonly string[]; limit: number },
): Promise<RemovedClicks[]> {
  const some = `select ctid from ${partition} where ${column} = any($1::uuid[]) limit $2`;
  return removeCounted(em, partition, `ctid = any(array(${some}))`, [ids, limit]);
}

// By hand: a batch of thousands of clicks is one statement on one partition, by their `ctid` (bench row `deletes`).
/** Removes clicks, and counts them by quarter of an hour. @param condition SQL with the parameters `values`. */
async function removeCounted(
  em: EntityManager,
  table: string,
  condition: string,
  values: unknown[],
): Promise<RemovedClicks[]> {
  const { rows } = await em.query<RemovedClicks>(
    `with gone as (delete from ${table} where ${condition} returning clicked_at at time zone 'UTC' as at)
     select at::date::text as day, floor(extract(epoch from at::time) / 900)::int + 1 as quarter, count(*)::int as clicks
     from gone group by 1, 2`,
    values,
  );
  return rows;
}

// By hand, the update: counts are subtracted from arrays (bench row `deletes`).
async function subtract(
  em: EntityManager,
  organizationId: string,
  days: readonly string[],
  gone: readonly RemovedClicks[],
): Promise<void> {
  // Ingest of clicks of these days waits from here on; both lock in this order.
  await em.kysely
    .selectFrom('ClickDay')
    .select('day')
    .where('organizationId', '=', organizationId)
    .where('day', 'in', days)
    .orderBy('day')
    .forUpdate()
    .execute();
  const [first, last] = ['array_lower(d.quarters, 1)', 'array_upper(d.quarters, 1)'];
  await em.query(
    `update click_days d set quarters[${first}:${last}] = array(
       select greatest(coalesce(d.quarters[i], 0) - coalesce(g.clicks, 0), 0)
       from generate_series(${first}, ${last}) i
       left join unnest($3::date[], $4::int[], $5::int[]) g (day, quarter, clicks) on g.day = d.day and g.quarter = i
       order by i)
     where organization_id = $1 and day = any($2::date[])`,
    [
      organizationId,
      days,
      gone.map(({ day }) => day),
      gone.map(({ quarter }) => quarter),
      gone.map(({ clicks }) => clicks),
    ],
  );
  await em.kysely
    .deleteFrom('ClickDay')
    .where('organizationId', '=', organizationId)
    .where('day', 'in', days)
    .where(({ ref }) => sql<boolean>`0 = all(${ref('quarters')})`)
    .execute();
}
