import pg from 'pg';
import type { Database, Sql } from '#db/connection/database.ts';

const msPerDay = 86_400_000;
// Ingest may be late, clocks may be ahead a little; what lies further off goes to the default partition.
const pastMs = 400 * msPerDay;
const futureMs = 40 * msPerDay;
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

/** Makes the table of a month, in parts by organization; it is not a part of `clicks` yet. Only its owner may. */
export async function createMonth(tx: Sql, month: string): Promise<void> {
  await tx.query('select create_click_month($1)', [month]);
}

/** Makes the table of a month a part of `clicks`, with indexes such as all have. Only its owner may. */
export async function attachMonth(tx: Sql, month: string): Promise<void> {
  await tx.query('select attach_click_month($1)', [month]);
}

/** Makes the partition of a month, unless it is there, and moves its clicks out of the default partition. */
async function makePartition(tx: Sql, month: string): Promise<void> {
  await tx.query(`set local lock_timeout = ${lockTimeoutMs}`);
  // By a function of the owner's: the role of an edge makes no tables (db/connection/edge-role.ts).
  await tx.query('select ensure_click_month($1)', [month]);
}

function isNear(month: string, nowMs: number): boolean {
  const ms = /^\d{4}-\d{2}$/.test(month) ? Date.parse(`${month}-01T00:00:00Z`) : Number.NaN;
  return ms > nowMs - pastMs && ms < nowMs + futureMs;
}

/** The month (UTC) of a time, as `YYYY-MM`. */
function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
