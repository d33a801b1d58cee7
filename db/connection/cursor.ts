import type { Sql } from './database.ts';

// A choice: some hundred rows are in memory at a time.
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
