import type { ClickHouse } from './clickhouse.ts';

/**
 * Opens the ClickHouse of CLICKHOUSE_URL; undefined without one, whose client is not even loaded then.
 * @param process as the server's log of queries names it.
 * @param timeoutMs of a query; 0: no limit.
 */
export async function openClickHouse(
  url: string | undefined,
  process: string,
  timeoutMs: number,
): Promise<ClickHouse | undefined> {
  if (url === undefined) return undefined;
  const { connectClickHouse } = await import('./clickhouse.ts');
  return connectClickHouse({ url, timeoutMs, applicationName: `waymark ${process}` });
}
