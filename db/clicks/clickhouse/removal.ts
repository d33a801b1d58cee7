import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import { botClicksTable, clicksTable, shardOf } from './schema.ts';

/**
 * Removes clicks from ClickHouse. Statistics no longer read them once a call returns; their bytes leave the disk when the part that
 * holds them is merged, or rewritten by `rewriteRemoved`. Every call may be repeated.
 */

/** Removes the clicks of deleted links of an organization, and bots' visits of them. @returns how many. */
export function removeLinkClicks(
  clickhouse: ClickHouse,
  { organizationId, linkIds }: { organizationId: string; linkIds: readonly string[] },
): Promise<number> {
  return removeFromBoth(clickhouse, 'organization_id = {organizationId:UUID} and link_id in {linkIds:Array(UUID)}', {
    organizationId,
    linkIds,
  });
}

/** Removes all clicks of a deleted organization, and bots' visits. @returns how many. */
export function removeAllClicks(clickhouse: ClickHouse, organizationId: string): Promise<number> {
  return removeFromBoth(clickhouse, 'organization_id = {organizationId:UUID}', { organizationId });
}

/**
 * Removes clicks before a day (UTC, `YYYY-MM-DD`): whole months at once.
 * @param table of clicks, or of bots' visits.
 * @returns how many of other months.
 */
export async function removeOldClicks(clickhouse: ClickHouse, before: string, table = clicksTable): Promise<number> {
  const { database, cluster, onCluster } = clickhouse;
  const shard = shardOf(table, cluster);
  const months = await clickhouse.query<{ month: string }>(
    `select distinct partition_id as month from ${partsOf(cluster)}
     where database = {database:String} and table = '${shard}' and active and partition_id < {month:String}`,
    { database, month: before.slice(0, 7).replace('-', '') },
  );
  for (const { month } of months)
    await clickhouse.execute(`alter table ${shard}${onCluster} drop partition id '${month}'`);
  return remove(clickhouse, table, `clicked_at < {before:DateTime64(3)}`, {
    before: `${before} 00:00:00.000`,
  });
}

/** Rewrites the parts that still hold removed clicks, so that these leave the disk. @returns how many parts. */
export async function rewriteRemoved(clickhouse: ClickHouse): Promise<number> {
  const { database, cluster, onCluster } = clickhouse;
  const shards = [clicksTable, botClicksTable].map((table) => `'${shardOf(table, cluster)}'`).join(', ');
  const parts = await clickhouse.query<{ shard: string; month: string; parts: number }>(
    `select table as shard, partition_id as month, count() as parts from ${partsOf(cluster)}
     where database = {database:String} and table in (${shards}) and active and has_lightweight_delete
     group by shard, month order by shard, month`,
    { database },
  );
  for (const { shard, month } of parts)
    await clickhouse.execute(
      `alter table ${shard}${onCluster} apply deleted mask in partition id '${month}' settings mutations_sync = 2`,
    );
  return parts.reduce((sum, { parts: count }) => sum + count, 0);
}

function partsOf(cluster: string | undefined): string {
  return cluster === undefined ? 'system.parts' : `clusterAllReplicas('${cluster}', system.parts)`;
}

async function removeFromBoth(clickhouse: ClickHouse, condition: string, parameters: Parameters): Promise<number> {
  const clicks = await remove(clickhouse, clicksTable, condition, parameters);
  return clicks + (await remove(clickhouse, botClicksTable, condition, parameters));
}

type Parameters = Readonly<Record<string, unknown>>;

async function remove(
  clickhouse: ClickHouse,
  table: string,
  condition: string,
  parameters: Parameters,
): Promise<number> {
  const [found] = await clickhouse.query<{ clicks: number }>(
    `select count() as clicks from ${table} where ${condition}`,
    parameters,
  );
  if (found!.clicks === 0) return 0;
  const { cluster, onCluster } = clickhouse;
  await clickhouse.execute(
    `delete from ${shardOf(table, cluster)}${onCluster} where ${condition} settings lightweight_deletes_sync = 2`,
    parameters,
  );
  return found!.clicks;
}
