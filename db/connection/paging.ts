import type { QueryResultRow } from 'pg';
import type { Sql } from './database.ts';

/** Paging of a list. */
export interface Paging {
  limit: number;
  /** From 0. */
  page: number;
}

/** Parts of a list's statement; `from` includes the conditions, with parameters for `values`. */
interface ListParts extends Paging {
  columns: string;
  from: string;
  orderBy: string;
  values: unknown[];
}

/** Reads a page of a list, and counts the whole list. With `limit` 0 it only counts. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as with Sql.query, the caller knows the columns
export async function readPage<R extends QueryResultRow>(
  sql: Sql,
  { columns, from, orderBy, values, limit, page }: ListParts,
): Promise<{ count: number; rows: R[] }> {
  const counting = sql.query<{ count: number }>(`select count(*) as count from ${from}`, values);
  if (limit === 0) return { count: (await counting).rows[0]!.count, rows: [] };
  const reading = sql.query<R>(
    `select ${columns} from ${from} order by ${orderBy} limit ${limit} offset ${limit * page}`,
    values,
  );
  const [counted, { rows }] = await Promise.all([counting, reading]);
  return { count: counted.rows[0]!.count, rows };
}

/** Paging as options of `findAndCount`. With `limit` 0 only the count is asked for. */
export function offsetOf({ limit, page }: Paging): { limit: number; offset: number } {
  return { limit, offset: limit * page };
}

/** A LIKE pattern of texts that contain `term` literally. */
export function containing(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
