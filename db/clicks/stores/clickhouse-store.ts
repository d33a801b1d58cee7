import { hash } from 'node:crypto';
import { botClicksTable, clicksTable, insertLinesInto } from '#db/clicks/clickhouse/schema.ts';
import { isOfLiveLink } from '#db/clicks/clickhouse/ids.ts';
import { idsOf } from '#db/clicks/lines.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { columnsOf } from './postgres-store.ts';
import { boundsOf, type ClickFigures, type ClickPart, type ClickStore } from './store.ts';

const tables = { clicks: clicksTable, bot_clicks: botClicksTable };
const timeOf = (ms: number): string => `fromUnixTimestamp64Milli(${Math.trunc(ms)}, 'UTC')`;
const within = (month: string): string => {
  const { start, end } = boundsOf(month);
  return `c.clicked_at >= ${timeOf(Date.parse(start))} and c.clicked_at < ${timeOf(Date.parse(end))}`;
};

/** The clicks of ClickHouse. @param em of PostgreSQL, which knows the links. */
export function createClickHouseStore(clickhouse: ClickHouse, em: EntityManager): ClickStore {
  /** The clicks of a part, as `c`; a condition may follow. */
  async function clicksOf({ table, month, organizationId }: ClickPart): Promise<string> {
    const shown = `${within(month)} and ${await isOfLiveLink(em, organizationId)}`;
    return `${tables[table]} c where c.organization_id = {organizationId:UUID} and ${shown}`;
  }

  return {
    async listMonths(table) {
      const rows = await clickhouse.query<{ month: string }>(
        `select distinct toString(toYYYYMM(c.clicked_at)) as month from ${tables[table]} c order by month desc`,
      );
      return rows.map(({ month }) => `${month.slice(0, 4)}-${month.slice(4)}`);
    },
    async findOrganization({ table, month }, after) {
      const rows = await clickhouse.query<{ id: string }>(
        `select c.organization_id as id from ${tables[table]} c where ${within(month)}
         ${after === null ? '' : 'and c.organization_id > {after:UUID}'} order by c.organization_id limit 1`,
        { ...(after !== null && { after }) },
      );
      return rows[0]?.id;
    },
    async readFigures(part) {
      const [figures] = await clickhouse.query<ClickFigures>(
        `select count() as clicks, toString(sum(toInt128(toUnixTimestamp64Milli(c.clicked_at)))) as times,
           toString(sum(bitAnd(toUInt128(c.id), toUInt128(281474976710655)))) as ids
         from ${await clicksOf(part)}`,
        { organizationId: part.organizationId },
      );
      return figures!;
    },
    async readLines(part, after, limit) {
      const { organizationId } = part;
      // ClickHouse compares UUIDs from their second half on.
      const rest =
        after === null ? '' : ` and (c.clicked_at, toUInt128(c.id)) > (${timeOf(after.atMs)}, toUInt128({id:UUID}))`;
      return clickhouse.readLines(
        `select ${columnsOf(part.table).map(textOf).join(', ')} from ${await clicksOf(part)}${rest}
         order by c.clicked_at, toUInt128(c.id) limit {limit:UInt32}`,
        { organizationId, limit, ...(after !== null && { id: after.id }) },
      );
    },
    async readIds(part, firstMs, lastMs) {
      const rows = await clickhouse.query<{ id: string }>(
        `select c.id as id from ${await clicksOf(part)} and c.clicked_at >= ${timeOf(firstMs)} and c.clicked_at <= ${timeOf(lastMs)}`,
        { organizationId: part.organizationId },
      );
      return rows.map(({ id }) => id);
    },
    async insert({ table }, lines) {
      const ids = await idsOf({ bytes: lines });
      // A worker that Temporal takes for dead may still insert the same clicks.
      const token = hash('sha256', `${table} ${ids.join(',')}`);
      await clickhouse.insert(insertLinesInto(tables[table], columnsOf(table)), lines, token);
      return ids.length;
    },
  };
}

/** SQL of a column as a line of a journal has it. */
function textOf(column: string): string {
  switch (column) {
    case 'clicked_at':
      return `formatDateTime(c.clicked_at, '%Y-%m-%dT%H:%i:%S', 'UTC') || '.' || leftPad(toString(toUnixTimestamp64Milli(c.clicked_at) % 1000), 3, '0') || 'Z'`;
    case 'visitor':
      // One backslash, which the format doubles.
      return String.raw`'\\x' || replaceAll(toString(c.visitor), '-', '')`;
    case 'tag_ids':
      return `'{' || arrayStringConcat(c.tag_ids, ',') || '}'`;
    case 'is_qr_code':
      return `if(c.is_qr_code, 't', 'f')`;
    default:
      return `c.${column}`;
  }
}
