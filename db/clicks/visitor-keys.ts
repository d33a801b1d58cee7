import type { Sql } from '#db/connection/database.ts';

/** A calendar month, UTC: `YYYY-MM`. */
export type Month = string;

/** The block size of SHA-256, so that hashing the key takes exactly its first round. */
export const visitorKeyBytes = 64;

/** The month of a moment. @param offset months to add. */
export function monthOf(nowMs: number, offset = 0): Month {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)).toISOString().slice(0, 7);
}

// By hand, every statement of this file: the edge, which loads no ORM, reads and creates the keys.

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
