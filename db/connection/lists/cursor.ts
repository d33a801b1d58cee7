import { type SelectQueryBuilder, sql } from 'kysely';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

// Some hundred rows are in memory at a time.
const rowsAtOnce = 500;

/** Makes a new transaction read one snapshot, for as long as the reader of its cursors takes. */
export async function beginSnapshot(tx: Sql): Promise<void> {
  await tx.query(
    `set transaction isolation level repeatable read, read only;
     set local timezone = 'UTC'; set local idle_in_transaction_session_timeout = 0`,
  );
}

/** Reads the column `data` of a statement by a cursor: however many rows it has, some hundred are in memory. */
export async function* readByCursor(
  tx: Sql,
  { text, values }: { text: string; values: unknown[] },
): AsyncGenerator<Record<string, unknown>> {
  await tx.query(`declare exported no scroll cursor for ${text}`, values);
  for (;;) {
    const { rows } = await tx.query<{ data: Record<string, unknown> }>(`fetch ${rowsAtOnce} from exported`);
    for (const { data } of rows) yield data;
    if (rows.length < rowsAtOnce) break;
  }
  await tx.query('close exported');
}

/** A query by Kysely of any rows. */
// oxlint-disable-next-line typescript/no-explicit-any -- a query of any tables and columns
export type RowsQuery = SelectQueryBuilder<any, any, any>;

/**
 * Reads the rows of a query by a cursor, as JSON has them. Names are those of the columns in camel case.
 * @param hidden columns that are left out.
 */
export async function* readRows(
  em: EntityManager,
  query: RowsQuery,
  hidden: readonly string[] = [],
): AsyncGenerator<Record<string, unknown>> {
  const rows = em.kysely.selectFrom(query.as('found')).select(sql`to_jsonb(found) - ${hidden}::text[]`.as('data'));
  const { sql: text, parameters } = rows.compile();
  for await (const data of readByCursor(em, { text, values: [...parameters] })) yield camelCased(data);
}

/** The same value under keys in camel case. */
export function camelCased(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name.replaceAll(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
