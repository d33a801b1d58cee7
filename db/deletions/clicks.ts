import { sql } from 'kysely';
import pg from 'pg';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { forgetRolls, lockRolls } from '#db/stats/rollups.ts';

// By hand: a batch of thousands of clicks is one statement on one partition, and their counts are subtracted from arrays (bench row
// `deletes`).

/**
 * Removes a batch of the clicks of deleted links, and subtracts them from the counts in the same transaction. Safe to repeat
 * after an interruption. Not before a minute after the deletion: until then an edge may still ship clicks of the links.
 * @returns how many; none: there are no more.
 */
export async function removeClicks(
  em: EntityManager,
  { organizationId, linkIds, limit }: { organizationId: string; linkIds: readonly string[]; limit: number },
): Promise<number> {
  return removeSome(em, 'link_id = any($1::uuid[]) and organization_id = $2', [linkIds, organizationId], (partition) =>
    em.transactional(async (em) => {
      await lockRolls(em, organizationId);
      const { rows } = await em.query<{ day: string; quarter: number; clicks: number }>(
        `with gone as (${deleteSome(partition, 'link_id = any($1::uuid[])')} returning clicked_at at time zone 'UTC' as at)
         select at::date::text as day, floor(extract(epoch from at::time) / 900)::int + 1 as quarter, count(*)::int as clicks
         from gone group by 1, 2`,
        [linkIds, limit],
      );
      if (rows.length === 0) return 0;
      const days = [...new Set(rows.map(({ day }) => day))];
      await forgetRolls(em, organizationId, days);
      await subtract(em, organizationId, days, rows);
      return rows.reduce((sum, { clicks }) => sum + clicks, 0);
    }),
  );
}

/** Removes a batch of a deleted organization's clicks; its counts stay. @returns how many. */
export async function removeOrganizationClicks(db: Sql, organizationId: string, limit: number): Promise<number> {
  return removeSome(db, 'organization_id = $1', [organizationId], async (partition) => {
    const { rowCount } = await db.query(deleteSome(partition, 'organization_id = $1'), [organizationId, limit]);
    return rowCount ?? 0;
  });
}

/** Removes some clicks from the partition that holds the first of them; a click may move to another partition before. */
async function removeSome(
  sql: Sql,
  condition: string,
  values: unknown[],
  remove: (partition: string) => Promise<number>,
): Promise<number> {
  for (;;) {
    const partition = await findPartition(sql, condition, values);
    if (partition === undefined) return 0;
    const count = await remove(partition);
    if (count > 0) return count;
  }
}

/** Finds the table that holds the first of some clicks. */
async function findPartition(sql: Sql, condition: string, values: unknown[]): Promise<string | undefined> {
  const { rows } = await sql.query<{ name: string }>(
    `select c.relname as name from (select tableoid from clicks where ${condition} limit 1) found
     join pg_class c on c.oid = found.tableoid`,
    values,
  );
  return rows[0]?.name;
}

/** SQL that removes `$2` clicks of one partition by their `ctid`. */
function deleteSome(partition: string, condition: string): string {
  const table = pg.escapeIdentifier(partition);
  return `delete from ${table} where ctid = any(array(select ctid from ${table} where ${condition} limit $2))`;
}

async function subtract(
  em: EntityManager,
  organizationId: string,
  days: readonly string[],
  gone: readonly { day: string; quarter: number; clicks: number }[],
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
