import { finished } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { type BotClickColumn, botClickColumns, clickColumns, copyField } from '#core/clicks/click.ts';
import { clientOf, type Database } from '#db/connection/database.ts';
import { lockName } from '#db/connection/locks.ts';
import { addToDayCounts } from '#db/stats/day-counts.ts';
import { readMonths } from '#db/clicks/retention.ts';
import { boundsOf, type ClickFigures, type ClickPart, type ClickStore, type MovedTable } from './store.ts';

/** Columns of a table's clicks, in the order of a journal's line. */
export const columnsOf = (table: MovedTable): readonly BotClickColumn[] =>
  table === 'clicks' ? clickColumns : botClickColumns;

const live = `not exists (select from hidden_links h where h.organization_id = c.organization_id and h.link_id = c.link_id)`;
const own = `c.organization_id = $1 and c.clicked_at >= $2 and c.clicked_at < $3 and ${live}`;

// By hand, every statement of this file: clicks have no entity's life, and are read and copied in bulk; no benchmark runs them.

/** The clicks of PostgreSQL. */
export function createPostgresStore(db: Database): ClickStore {
  const of = ({ organizationId, month }: ClickPart): unknown[] => {
    const { start, end } = boundsOf(month);
    return [organizationId, start, end];
  };
  return {
    listMonths: (table) => readMonths(db, table),
    async findOrganization({ table, month }, after) {
      const { start, end } = boundsOf(month);
      const { rows } = await db.query<{ id: string }>(
        `select c.organization_id as id from ${table} c where c.clicked_at >= $1 and c.clicked_at < $2
           and ($3::uuid is null or c.organization_id > $3) order by 1 limit 1`,
        [start, end, after],
      );
      return rows[0]?.id;
    },
    async readFigures(part) {
      const { rows } = await db.query<ClickFigures>(
        `select count(*)::int as clicks, coalesce(sum(floor(extract(epoch from c.clicked_at) * 1000)::bigint), 0)::text as times,
           coalesce(sum(('x' || right(c.id::text, 12))::bit(48)::bigint), 0)::text as ids
         from ${part.table} c where ${own}`,
        of(part),
      );
      return rows[0]!;
    },
    async readLines(part, after, limit) {
      const columns = columnsOf(part.table);
      const { rows } = await db.query<Record<string, string | null>>(
        `select ${columns.map((column) => `${textOf(column)} as ${column}`).join(', ')} from ${part.table} c
         where ${own} and ($4::timestamptz is null or (c.clicked_at, c.id) > ($4, $5::uuid))
         order by c.clicked_at, c.id limit $6`,
        [...of(part), after && new Date(after.atMs).toISOString(), after && after.id, limit],
      );
      return Buffer.from(
        rows.map((row) => `${columns.map((column) => copyField(row[column] ?? null)).join('\t')}\n`).join(''),
      );
    },
    async readIds(part, firstMs, lastMs) {
      const { rows } = await db.query<{ id: string }>(
        `select c.id from ${part.table} c where ${own} and c.clicked_at >= $4 and c.clicked_at <= $5`,
        [...of(part), new Date(firstMs).toISOString(), new Date(lastMs).toISOString()],
      );
      return rows.map(({ id }) => id);
    },
    async insert({ table, month, organizationId }, lines) {
      // Clicks go to the default partition where the month's cannot be made now.
      if (table === 'clicks') await db.query('select ensure_click_month($1)', [month]).catch(() => undefined);
      return db.transaction(async (tx) => {
        // A worker that Temporal takes for dead may still insert the same clicks.
        await lockName(tx, `move clicks ${organizationId}`);
        await tx.query(`create temporary table moved (like ${table}) on commit drop`);
        const stream = clientOf(tx).query(copyFrom(`copy moved (${columnsOf(table).join(', ')}) from stdin`));
        stream.end(lines);
        await finished(stream);
        const { rows } = await tx.query<{ day: string; quarter: number; clicks: number }>(
          `with made as (
             insert into ${table} select * from (select distinct on (id) * from moved) m
             where exists (select from short_links l where l.id = m.link_id and l.deleted_at is null)
               and not exists (select from ${table} c where c.organization_id = m.organization_id and c.clicked_at = m.clicked_at and c.id = m.id)
             returning clicked_at at time zone 'UTC' as at)
           select at::date::text as day, floor(extract(epoch from at::time) / 900)::int as quarter, count(*)::int as clicks
           from made group by 1, 2`,
        );
        if (table === 'clicks' && rows.length > 0)
          await addToDayCounts(
            tx,
            rows.map((row) => ({ organizationId, ...row })),
          );
        return rows.reduce((sum, { clicks }) => sum + clicks, 0);
      });
    },
  };
}

/** SQL of a column as a line of a journal has it. */
function textOf(column: string): string {
  if (column === 'clicked_at') return `to_char(c.clicked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  if (column === 'visitor') return String.raw`'\x' || encode(c.visitor, 'hex')`;
  return column === 'is_qr_code' ? `case when c.is_qr_code then 't' else 'f' end` : `c.${column}::text`;
}
