import type { Database, Sql } from '#db/connection/database.ts';

/** A calendar month, UTC: `YYYY-MM`. */
export type Month = string;

/** A choice: the block size of SHA-256, so that hashing the key takes exactly its first round. */
export const visitorKeyBytes = 64;

/** The month of a moment. @param offset months to add. */
export function monthOf(nowMs: number, offset = 0): Month {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)).toISOString().slice(0, 7);
}

/**
 * Reads the keys of months, and creates the missing ones. The database decides which key counts: all processes get the same
 * one.
 * @param makeKey generates the key of a month without one.
 */
export async function ensureVisitorKeys(
  sql: Sql,
  months: readonly Month[],
  makeKey: (month: Month) => Buffer,
): Promise<Map<Month, Buffer>> {
  const known = await readVisitorKeys(sql, months);
  const missing = months.filter((month) => !known.has(month));
  if (missing.length === 0) return known;
  await sql.query(
    `insert into visitor_keys (month, key) select month, key from unnest($1::text[], $2::bytea[]) as made (month, key)
     on conflict (month) do nothing`,
    [missing, missing.map(makeKey)],
  );
  // Another process may have inserted its keys first.
  return readVisitorKeys(sql, months);
}

async function readVisitorKeys(sql: Sql, months: readonly Month[]): Promise<Map<Month, Buffer>> {
  const { rows } = await sql.query<{ month: Month; key: Buffer }>(
    'select month, key from visitor_keys where month = any($1::text[])',
    [months],
  );
  return new Map(rows.map(({ month, key }) => [month, key]));
}

/** Promised (5.2): a key outlives its month by this. */
const keptAfterMonth = `interval '2 days'`;

/**
 * Destroys the keys of months that ended more than two days before `now` (5.2), in the table's file too.
 * @returns the months.
 */
export async function destroyVisitorKeys(db: Database, now: Date): Promise<Month[]> {
  const isOver = `((month || '-01')::timestamp + interval '1 month' + ${keptAfterMonth}) at time zone 'utc' <= $1`;
  const { rowCount } = await db.query(`select from visitor_keys where ${isOver}`, [now]);
  if (rowCount === 0) return [];
  return db.transaction(async (tx) => {
    // A second worker waits here, and then finds no old key.
    await tx.query('lock table visitor_keys in access exclusive mode');
    const { rows } = await tx.query<{ month: Month }>(`delete from visitor_keys where ${isOver} returning month`, [
      now,
    ]);
    // A deleted row's bytes stay in the file until they are overwritten, and a vacuum leaves them there while an older
    // transaction is open. TRUNCATE begins a new file: the rows that stay are written again.
    const { rows: kept } = await tx.query<{ month: Month; key: Buffer; createdAt: Date }>(
      'select month, key, created_at as "createdAt" from visitor_keys',
    );
    await tx.query('truncate visitor_keys');
    await tx.query(
      `insert into visitor_keys (month, key, created_at)
       select * from unnest($1::text[], $2::bytea[], $3::timestamptz[])`,
      [kept.map(({ month }) => month), kept.map(({ key }) => key), kept.map(({ createdAt }) => createdAt)],
    );
    return rows.map(({ month }) => month).toSorted();
  });
}
