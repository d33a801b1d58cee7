import { type RawBuilder, sql } from 'kysely';
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

/**
 * Drops the partitions of the months that ended before `before`, each in its own transaction.
 * @returns those months, `YYYY-MM`.
 * @throws the database's error where a partition is in use for longer than a second.
 */
export async function dropMonths(em: EntityManager, before: string): Promise<string[]> {
  const tables = await listMonthTables(em);
  const months = [...new Set(tables.map(({ month }) => month))].filter((month) => month < before.slice(0, 7));
  for (const month of months) {
    const drop = ({ kysely }: EntityManager) => kysely.schema.dropTable(monthTable(month)).ifExists().execute();
    await em.transactional(drop, { lockTimeoutMs });
  }
  return months;
}

/** Removes the clicks before `before` in partitions that stay. @yields the size of each batch. */
export async function* deleteClicks(em: EntityManager, before: string, batchSize: number): AsyncGenerator<number> {
  const beforeMs = Date.parse(`${before}T00:00:00Z`);
  const tables = await listMonthTables(em);
  for (const { name } of tables.filter(({ month }) => month === before.slice(0, 7))) {
    // An hour at a time: the index of times finds the rows, and removed ones are not passed again.
    for (let fromMs = Date.parse(`${before.slice(0, 7)}-01T00:00:00Z`); fromMs < beforeMs; fromMs += msPerHour) {
      const hour = sql`clicked_at >= ${new Date(fromMs)} and clicked_at < ${new Date(fromMs + msPerHour)}`;
      yield* deleteAll(em, name, hour, batchSize);
    }
  }
  yield* deleteAll(em, defaultPartition, sql`clicked_at < ${new Date(beforeMs)}`, batchSize);
}

/** Removes a batch of bots' visits before `before`. @returns how many; fewer than `limit`: none is left. */
export function deleteBotClicks(em: EntityManager, before: string, limit: number): Promise<number> {
  return deleteSome(em, 'BotClick', sql`clicked_at < ${`${before}T00:00:00Z`}`, limit);
}

async function* deleteAll(
  em: EntityManager,
  partition: string,
  condition: RawBuilder<unknown>,
  batchSize: number,
): AsyncGenerator<number> {
  for (let count = batchSize; count === batchSize; yield count)
    count = await deleteSome(em, partition as 'Click', condition, batchSize);
}

/** Months (`YYYY-MM`) with rows of a table, or perhaps without; the latest first. */
export async function readMonths(em: EntityManager, table: 'clicks' | 'bot_clicks'): Promise<string[]> {
  const known = table === 'clicks' ? (await listMonthTables(em)).map(({ month }) => month) : [];
  const rows = await em.kysely
    .selectFrom((table === 'clicks' ? defaultPartition : table) as 'Click')
    .select(sql<string>`to_char(clicked_at at time zone 'UTC', 'YYYY-MM')`.as('month'))
    .distinct()
    .execute();
  return [...new Set([...known, ...rows.map(({ month }) => month)])].toSorted().toReversed();
}

/**
 * Lists the tables that hold the rows of months, `YYYY-MM`, oldest first: a month's partition, or its parts. A row's `ctid` is
 * unique in one such table.
 */
async function listMonthTables(em: EntityManager): Promise<{ name: string; month: string }[]> {
  const tables = await em.kysely
    .selectFrom(sql<{ relid: string; isleaf: boolean }>`pg_partition_tree('clicks')`.as('t'))
    .select(sql<string>`relid::text`.as('name'))
    .where('isleaf', '=', true)
    .orderBy('name')
    .execute();
  return tables.flatMap(({ name }) => {
    const [, year, month] = /^clicks_y(\d{4})m(\d{2})/.exec(name) ?? [];
    return year === undefined ? [] : { name, month: `${year}-${month}` };
  });
}
