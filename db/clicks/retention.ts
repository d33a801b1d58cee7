import { sql } from 'kysely';
import type { Sql } from '#db/connection/database.ts';
import { deleteSome } from '#db/connection/delete-some.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { defaultPartition, monthTable } from './partitions.ts';

/**
 * Removes clicks that are older than the installation keeps them (5.7). Whole days (UTC) go, so that the counts of kept days
 * stay exact; counters of links stay. Every step may be repeated.
 */

const msPerHour = 3_600_000;
// Readers and writers of clicks wait behind a partition that is to be dropped; the drop is tried again later.
const lockTimeoutMs = 1_000;
// Days first: they tell statistics which clicks to read. A week goes with its first day.
const counts = ['ClickDay', 'ClickRoll', 'ClickValue', 'ClickWeekRoll', 'ClickWeekValue'] as const;

/** The first day (UTC, `YYYY-MM-DD`) whose clicks are kept. @param nowMs Unix time in milliseconds. */
export function firstKeptDay(nowMs: number, keptDays: number): string {
  return new Date(nowMs - keptDays * 24 * msPerHour).toISOString().slice(0, 10);
}

/**
 * Removes a batch of the counts of days before `before`: statistics of those days become empty.
 * @returns how many rows; none: there are no more.
 */
export async function forgetDays(em: EntityManager, before: string, limit: number): Promise<number> {
  for (const table of counts) {
    const removed = await deleteSome(em, table, sql`day < ${before}`, limit);
    if (removed > 0) return removed;
  }
  return 0;
}

// By hand, every statement of this file: partitions are tables without an entity, and a batch of thousands of clicks is one statement
// on one of them; no benchmark runs them.

/**
 * Drops the partitions of the months that ended before `before`, each in its own transaction.
 * @returns those months, `YYYY-MM`.
 * @throws the database's error where a partition is in use for longer than a second.
 */
export async function dropMonths(em: EntityManager, before: string): Promise<string[]> {
  const tables = await listMonthTables(em);
  const months = [...new Set(tables.map(({ month }) => month))].filter((month) => month < before.slice(0, 7));
  for (const month of months) {
    await em.transactional((em) => em.query(`drop table if exists ${monthTable(month)}`), { lockTimeoutMs });
  }
  return months;
}

/** Removes the clicks before `before` in partitions that stay. @yields the size of each batch. */
export async function* deleteClicks(sql: Sql, before: string, batchSize: number): AsyncGenerator<number> {
  const beforeMs = Date.parse(`${before}T00:00:00Z`);
  const tables = await listMonthTables(sql);
  for (const { name } of tables.filter(({ month }) => month === before.slice(0, 7))) {
    // An hour at a time: the index of times finds the rows, and removed ones are not passed again.
    for (let fromMs = Date.parse(`${before.slice(0, 7)}-01T00:00:00Z`); fromMs < beforeMs; fromMs += msPerHour) {
      const range = [new Date(fromMs).toISOString(), new Date(fromMs + msPerHour).toISOString()];
      yield* deleteRange(sql, name, range, batchSize);
    }
  }
  yield* deleteRange(sql, defaultPartition, ['-infinity', new Date(beforeMs).toISOString()], batchSize);
}

/** Removes a batch of bots' visits before `before`. @returns how many; fewer than `limit`: none is left. */
export function deleteBotClicks(em: EntityManager, before: string, limit: number): Promise<number> {
  return deleteSome(em, 'BotClick', sql`clicked_at < ${`${before}T00:00:00Z`}`, limit);
}

async function* deleteRange(
  sql: Sql,
  table: string,
  range: readonly string[],
  batchSize: number,
): AsyncGenerator<number> {
  for (let count = batchSize; count === batchSize; yield count) {
    const { rowCount } = await sql.query(
      `delete from ${table} where ctid = any(array(
         select ctid from ${table} where clicked_at >= $1 and clicked_at < $2 limit $3))`,
      [...range, batchSize],
    );
    count = rowCount ?? 0;
  }
}

/** Months (`YYYY-MM`) with rows of a table, or perhaps without; the latest first. */
export async function readMonths(sql: Sql, table: 'clicks' | 'bot_clicks'): Promise<string[]> {
  const known = table === 'clicks' ? (await listMonthTables(sql)).map(({ month }) => month) : [];
  const { rows } = await sql.query<{ month: string }>(
    `select distinct to_char(clicked_at at time zone 'UTC', 'YYYY-MM') as month
     from ${table === 'clicks' ? defaultPartition : table}`,
  );
  return [...new Set([...known, ...rows.map(({ month }) => month)])].toSorted().toReversed();
}

/**
 * Lists the tables that hold the rows of months, `YYYY-MM`, oldest first: a month's partition, or its parts. A row's `ctid` is
 * unique in one such table.
 */
async function listMonthTables(sql: Sql): Promise<{ name: string; month: string }[]> {
  const { rows } = await sql.query<{ name: string; month: string }>(
    `select relid::text as name, regexp_replace(relid::text, '^clicks_y(\\d{4})m(\\d{2}).*$', '\\1-\\2') as month
     from pg_partition_tree('clicks') where isleaf and relid::text ~ '^clicks_y\\d{4}m\\d{2}' order by 1`,
  );
  return rows;
}
