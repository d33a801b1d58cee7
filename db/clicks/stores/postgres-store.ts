import { type Selectable, sql } from 'kysely';
import { type BotClickColumn, botClickColumns, clickColumns, copyField, readCopyField } from '#core/clicks/click.ts';
import type { EntityManager, Tables } from '#db/connection/entity-manager.ts';
import { lockName } from '#db/connection/locks.ts';
import { addToDayCounts } from '#db/stats/day-counts.ts';
import { makePartition, partitionLocks } from '#db/clicks/partitions.ts';
import { readMonths } from '#db/clicks/retention.ts';
import { boundsOf, type ClickPart, type ClickStore, type MovedTable } from './store.ts';

/** Columns of a table's clicks, in the order of a journal's line. */
export const columnsOf = (table: MovedTable): readonly BotClickColumn[] =>
  table === 'clicks' ? clickColumns : botClickColumns;

// Both tables have the columns that are asked for here.
const entityOf = (table: MovedTable) => (table === 'clicks' ? 'Click' : 'BotClick') as 'Click';

const linesOf = (lines: Buffer): string[] => lines.toString().split('\n').slice(0, -1);

const isOfLiveLink = sql<boolean>`not exists (
  select from hidden_links h where h.organization_id = c.organization_id and h.link_id = c.link_id)`;

export function createPostgresStore(em: EntityManager): ClickStore {
  const within = ({ table, month }: Omit<ClickPart, 'organizationId'>) => {
    const { start, end } = boundsOf(month);
    return em
      .fork()
      .kysely.selectFrom(`${entityOf(table)} as c`)
      .where('c.clickedAt', '>=', new Date(start))
      .where('c.clickedAt', '<', new Date(end));
  };
  const clicksOf = (part: ClickPart) =>
    within(part).where('c.organizationId', '=', part.organizationId).where(isOfLiveLink);
  return {
    listMonths: (table) => readMonths(em.fork(), table),
    async findOrganization(part, after) {
      let clicks = within(part).select('c.organizationId').orderBy('c.organizationId').limit(1);
      if (after !== null) clicks = clicks.where('c.organizationId', '>', after);
      return (await clicks.executeTakeFirst())?.organizationId;
    },
    readFigures: (part) =>
      clicksOf(part)
        .select(({ fn }) => [
          fn.countAll<number>().as('clicks'),
          sql<string>`coalesce(sum(floor(extract(epoch from c.clicked_at) * 1000)::bigint), 0)::text`.as('times'),
          sql<string>`coalesce(sum(('x' || right(c.id::text, 12))::bit(48)::bigint), 0)::text`.as('ids'),
        ])
        .executeTakeFirstOrThrow(),
    async readLines(part, after, limit) {
      const texts = columnsOf(part.table).map(textOf).join(', ');
      let clicks = clicksOf(part)
        .select(sql<(string | null)[]>`array[${sql.raw(texts)}]`.as('fields'))
        .orderBy('c.clickedAt')
        .orderBy('c.id')
        .limit(limit);
      if (after !== null)
        clicks = clicks.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('c.clickedAt', 'c.id'), '>', tuple(new Date(after.atMs), after.id)),
        );
      const rows = await clicks.execute();
      return Buffer.from(rows.map(({ fields }) => `${fields.map(copyField).join('\t')}\n`).join(''));
    },
    async readIds(part, firstMs, lastMs) {
      const rows = await clicksOf(part)
        .select('c.id')
        .where(({ between }) => between('c.clickedAt', new Date(firstMs), new Date(lastMs)))
        .execute();
      return rows.map(({ id }) => id);
    },
    async insert({ table, month, organizationId }, lines) {
      // Clicks go to the default partition where the month's cannot be made now.
      if (table === 'clicks')
        await em.transactional((em) => makePartition(em, month), partitionLocks).catch(() => undefined);
      return em.transactional(async (em) => {
        // A worker that Temporal takes for dead may still insert the same clicks.
        await lockName(em, `move clicks ${organizationId}`);
        const columns = columnsOf(table);
        const given = linesOf(lines).map((line) =>
          Object.fromEntries(line.split('\t').map((field, index) => [columns[index], readCopyField(field)])),
        );
        const moved = sql<
          Selectable<Tables['Click']>
        >`json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(given)})`;
        const rows = await em.kysely
          .with('made', (db) =>
            db
              .insertInto(entityOf(table))
              .expression(({ selectFrom }) =>
                selectFrom(moved.as('m'))
                  .selectAll()
                  .distinctOn('m.id')
                  .where(
                    sql<boolean>`exists (select from short_links l where l.id = m.link_id and l.deleted_at is null)`,
                  )
                  .where(
                    sql<boolean>`not exists (select from ${sql.table(table)} c
                      where c.organization_id = m.organization_id and c.clicked_at = m.clicked_at and c.id = m.id)`,
                  ),
              )
              .returning(sql<Date>`clicked_at at time zone 'UTC'`.as('at')),
          )
          .selectFrom('made')
          .select([
            sql<string>`at::date::text`.as('day'),
            sql<number>`floor(extract(epoch from at::time) / 900)::int`.as('quarter'),
            sql<number>`count(*)`.as('clicks'),
          ])
          .groupBy(['day', 'quarter'])
          .execute();
        if (table === 'clicks' && rows.length > 0)
          await addToDayCounts(
            em,
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
