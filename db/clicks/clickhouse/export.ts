import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';

/** Reads the clicks of an organization, or bots' visits, as its export has those of PostgreSQL. */
export async function* readClickHouseClicks(
  clickhouse: ClickHouse,
  table: string,
  organizationId: string,
): AsyncGenerator<Record<string, unknown>> {
  const rows = clickhouse.stream<Record<string, unknown>>(
    `select * except (organization_id, visitor, clicked_at),
       formatDateTime(clicked_at, '%Y-%m-%dT%H:%i:%S', 'UTC') || '.' || leftPad(toString(toUnixTimestamp64Milli(clicked_at) % 1000), 3, '0') || '+00:00' as clicked_at
     from ${table} where organization_id = {organizationId:UUID}`,
    { organizationId },
  );
  yield* rows;
}
