import pg from 'pg';
import type { Database, Sql } from './database.ts';

const msPerDay = 86_400_000;
// Ingest may be late, clocks may be ahead a little; what lies further off goes to the default partition.
const pastMs = 400 * msPerDay;
const futureMs = 40 * msPerDay;
// Rows of one organization then lie closer together, whatever else is clicked: a statistic that has to read clicks reads so many
// times fewer pages (ADR 13).
const parts = 8;
// An arbitrary constant, the same in every process that makes partitions.
const partitionLock = 7_290_411_004;
const lockTimeoutMs = 2_000;

/** The table of clicks that no month's table takes. */
export const defaultPartition = 'clicks_default';

/** Makes the monthly partitions of `clicks` as they are needed. */
export interface Partitions {
  /**
   * Makes sure of the partitions of these months (`YYYY-MM`), of the current one and the next.
   * @param nowMs Unix time in milliseconds.
   */
  ensure(months: Iterable<string>, nowMs: number): Promise<void>;
}

/**
 * Partitions that were seen once are remembered. A partition that cannot be made now (its table is in use) is tried again
 * later: clicks go to the default partition meanwhile, and move when it is made.
 */
export function createPartitions(database: Database, onError: (error: unknown) => void): Partitions {
  const known = new Set<string>();
  return {
    async ensure(months, nowMs) {
      const wanted = new Set([monthOf(nowMs), monthOf(nowMs + futureMs)]);
      for (const month of months) if (!known.has(month) && isNear(month, nowMs)) wanted.add(month);
      for (const month of wanted) {
        if (known.has(month)) continue;
        try {
          await database.transaction((tx) => makePartition(tx, month));
          known.add(month);
        } catch (error) {
          if (!(error instanceof pg.DatabaseError)) throw error;
          onError(error);
        }
      }
    },
  };
}

/** The table of a month `YYYY-MM`. */
export function monthTable(month: string): string {
  return `clicks_y${month.replace('-', 'm')}`;
}

/** Makes the table of a month, in parts by organization; it is not a part of `clicks` yet. */
export async function createMonth(tx: Sql, month: string): Promise<void> {
  const table = monthTable(month);
  await tx.query(`create table ${table} (like clicks including defaults) partition by hash (organization_id)`);
  for (let part = 0; part < parts; part += 1) {
    await tx.query(
      `create table ${table}_${part} partition of ${table} for values with (modulus ${parts}, remainder ${part})`,
    );
  }
}

/** Makes the table of a month a part of `clicks`, with indexes such as all have. */
export async function attachMonth(tx: Sql, month: string): Promise<void> {
  const end = new Date(monthEndMs(month)).toISOString();
  await tx.query(
    `alter table clicks attach partition ${monthTable(month)} for values from ('${month}-01T00:00:00Z') to ('${end}')`,
  );
}

/** Makes the partition of a month, unless it is there, and moves its clicks out of the default partition. */
async function makePartition(tx: Sql, month: string): Promise<void> {
  const table = monthTable(month);
  await tx.query(`set local lock_timeout = ${lockTimeoutMs}`);
  await tx.query('select pg_advisory_xact_lock($1)', [partitionLock]);
  const { rows } = await tx.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [table]);
  if (rows[0]?.exists === true) return;
  await createMonth(tx, month);
  await tx.query(`lock table ${defaultPartition} in access exclusive mode`);
  await tx.query(
    `with moved as (delete from ${defaultPartition} where clicked_at >= $1 and clicked_at < $2 returning *)
     insert into ${table} select * from moved`,
    [`${month}-01T00:00:00Z`, new Date(monthEndMs(month)).toISOString()],
  );
  await attachMonth(tx, month);
}

/** Unix time in milliseconds. */
function monthEndMs(month: string): number {
  return Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)));
}

function isNear(month: string, nowMs: number): boolean {
  const ms = /^\d{4}-\d{2}$/.test(month) ? Date.parse(`${month}-01T00:00:00Z`) : Number.NaN;
  return ms > nowMs - pastMs && ms < nowMs + futureMs;
}

/** The month (UTC) of a time, as `YYYY-MM`. */
function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
