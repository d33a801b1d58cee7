import type { Database, Sql } from '#db/connection/database.ts';
import { defaultPartition, monthTable } from './partitions.ts';

/**
 * Removes clicks that are older than the installation keeps them (5.7). Whole days (UTC) go, so that the counts of kept days
 * stay exact; counters of links stay. Every step may be repeated.
 */

const msPerHour = 3_600_000;
// A choice: readers and writers of clicks wait behind a partition that is to be dropped; the drop is tried again later.
const lockTimeoutMs = 1_000;

/** The first day (UTC, `YYYY-MM-DD`) whose clicks are kept. @param nowMs Unix time in milliseconds. */
export function firstKeptDay(nowMs: number, keptDays: number): string {
  return new Date(nowMs - keptDays * 24 * msPerHour).toISOString().slice(0, 10);
}

/**
 * Removes a batch of the counts of days before `before`: statistics of those days become empty.
 * @returns how many rows; none: there are no more.
 */
export async function forgetDays(sql: Sql, before: string, limit: number): Promise<number> {
  // Days first: they tell statistics which clicks to read. A week goes with its first day.
  for (const table of ['click_days', 'click_rolls', 'click_values', 'click_week_rolls', 'click_week_values']) {
    const { rowCount } = await sql.query(
      `delete from ${table} where ctid = any(array(select ctid from ${table} where day < $1 limit $2))`,
      [before, limit],
    );
    if (rowCount) return rowCount;
  }
  return 0;
}

/**
 * Drops the partitions of the months that ended before `before`, each in its own transaction.
 * @returns those months, `YYYY-MM`.
 * @throws the database's error where a partition is in use for longer than a second.
 */
export async function dropMonths(db: Database, before: string): Promise<string[]> {
  const months = (await listMonths(db)).filter((month) => month < before.slice(0, 7));
  for (const month of months) {
    await db.transaction(async (tx) => {
      await tx.query(`set local lock_timeout = ${lockTimeoutMs}`);
      await tx.query(`drop table if exists ${monthTable(month)}`);
    });
  }
  return months;
}

/**
 * Removes the clicks before `before` in partitions that stay, a batch at a time.
 * @param onBatch is called with the size of each batch.
 */
export async function deleteClicks(
  sql: Sql,
  before: string,
  batchSize: number,
  onBatch: (count: number) => void,
): Promise<void> {
  const beforeMs = Date.parse(`${before}T00:00:00Z`);
  const month = before.slice(0, 7);
  if ((await listMonths(sql)).includes(month)) {
    for (const table of await listTables(sql, monthTable(month))) {
      // An hour at a time: the index of times finds the rows, and removed ones are not passed again.
      for (let fromMs = Date.parse(`${month}-01T00:00:00Z`); fromMs < beforeMs; fromMs += msPerHour) {
        const range = [new Date(fromMs).toISOString(), new Date(fromMs + msPerHour).toISOString()];
        await deleteRange(sql, table, range, batchSize, onBatch);
      }
    }
  }
  await deleteRange(sql, defaultPartition, ['-infinity', new Date(beforeMs).toISOString()], batchSize, onBatch);
}

async function deleteRange(
  sql: Sql,
  table: string,
  range: readonly string[],
  batchSize: number,
  onBatch: (count: number) => void,
): Promise<void> {
  for (let count = batchSize; count === batchSize;) {
    const { rowCount } = await sql.query(
      `delete from ${table} where ctid = any(array(
         select ctid from ${table} where clicked_at >= $1 and clicked_at < $2 limit $3))`,
      [...range, batchSize],
    );
    count = rowCount ?? 0;
    onBatch(count);
  }
}

/** Lists the months that have a partition, `YYYY-MM`, oldest first. */
async function listMonths(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ month: string }>(
    `select replace(substring(relname from '^clicks_y(\\d{4}m\\d{2})$'), 'm', '-') as month
     from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'clicks'::regclass and relname ~ '^clicks_y\\d{4}m\\d{2}$' order by 1`,
  );
  return rows.map(({ month }) => month);
}

/** Lists the tables that hold the rows of a partition: itself, or its parts. A row's `ctid` is unique in one such table. */
async function listTables(sql: Sql, partition: string): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>(
    `select relid::text as name from pg_partition_tree($1::regclass) where isleaf order by 1`,
    [partition],
  );
  return rows.map(({ name }) => name);
}
