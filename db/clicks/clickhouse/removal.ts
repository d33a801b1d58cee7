import type { ClickHouse } from '#db/connection/clickhouse.ts';
import { clicksTable } from './schema.ts';

/**
 * Removes clicks from ClickHouse. Statistics no longer read them once a call returns; their bytes leave the disk when the part that
 * holds them is merged, or rewritten by `rewriteRemoved`. Every call may be repeated.
 */

/** Removes the clicks of deleted links of an organization. @returns how many. */
export function removeLinkClicks(
  clickhouse: ClickHouse,
  { organizationId, linkIds }: { organizationId: string; linkIds: readonly string[] },
): Promise<number> {
  return remove(clickhouse, 'organization_id = {organizationId:UUID} and link_id in {linkIds:Array(UUID)}', {
    organizationId,
    linkIds,
  });
}

/** Removes all clicks of a deleted organization. @returns how many. */
export function removeAllClicks(clickhouse: ClickHouse, organizationId: string): Promise<number> {
  return remove(clickhouse, 'organization_id = {organizationId:UUID}', { organizationId });
}

/** Removes clicks before a day (UTC, `YYYY-MM-DD`): whole months at once. @returns how many of other months. */
export async function removeOldClicks(clickhouse: ClickHouse, before: string): Promise<number> {
  const months = await clickhouse.query<{ month: string }>(
    `select distinct partition_id as month from system.parts
     where database = currentDatabase() and table = '${clicksTable}' and active and partition_id < {month:String}`,
    { month: before.slice(0, 7).replace('-', '') },
  );
  for (const { month } of months) await clickhouse.execute(`alter table ${clicksTable} drop partition id '${month}'`);
  return remove(clickhouse, 'clicks.clicked_at < {before:DateTime64(3)}', { before: `${before} 00:00:00.000` });
}

/** Rewrites the parts that still hold removed clicks, so that these leave the disk. @returns how many parts. */
export async function rewriteRemoved(clickhouse: ClickHouse): Promise<number> {
  const parts = await clickhouse.query<{ month: string; parts: number }>(
    `select partition_id as month, count() as parts from system.parts
     where database = currentDatabase() and table = '${clicksTable}' and active and has_lightweight_delete
     group by month order by month`,
  );
  for (const { month } of parts)
    await clickhouse.execute(
      `alter table ${clicksTable} apply deleted mask in partition id '${month}' settings mutations_sync = 2`,
    );
  return parts.reduce((sum, { parts: count }) => sum + count, 0);
}

async function remove(
  clickhouse: ClickHouse,
  condition: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<number> {
  const [found] = await clickhouse.query<{ clicks: number }>(
    `select count() as clicks from ${clicksTable} where ${condition}`,
    parameters,
  );
  if (found!.clicks === 0) return 0;
  await clickhouse.execute(
    `delete from ${clicksTable} where ${condition} settings lightweight_deletes_sync = 2`,
    parameters,
  );
  return found!.clicks;
}
