import pg from 'pg';
import type { Database, Sql } from '#db/connection/database.ts';
import { monthOf } from './visitor-keys.ts';

const msPerDay = 86_400_000;
// Clicks may arrive late, and clocks may be ahead a little; others go to the default partition.
const pastMs = 400 * msPerDay;
const futureMs = 40 * msPerDay;

/** The partition of clicks without a month's partition. */
export const defaultPartition = 'clicks_default';

export const partitionLocks = { lockTimeoutMs: 2_000 };

/** Creates the monthly partitions of `clicks` as they are needed. */
export interface Partitions {
  /**
   * Creates the partitions of these months (`YYYY-MM`), of the current month and of the next, where they are missing.
   * @param nowMs Unix time in milliseconds.
   */
  ensure(months: Iterable<string>, nowMs: number): Promise<void>;
}

/**
 * Remembers partitions that exist. A partition that cannot be created now, since its table is in use, is tried again later:
 * clicks go to the default partition meanwhile, and move when it is created.
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
          await database.transaction((tx) => makePartition(tx, month), partitionLocks);
          known.add(month);
        } catch (error) {
          if (!(error instanceof pg.DatabaseError)) throw error;
          onError(error);
        }
      }
    },
  };
}

/** The partition of a month `YYYY-MM`. */
export function monthTable(month: string): string {
  return `clicks_y${month.replace('-', 'm')}`;
}

/**
 * Creates the partition of a month where it is missing, and moves its clicks out of the default partition.
 * @param tx of a transaction that does not wait long for locks (`partitionLocks`).
 */
// By hand: the edge runs it, which loads no ORM. A function of the owner, since an edge's role may not create tables
// (db/connection/edge-role.ts).
export async function makePartition(tx: Sql, month: string): Promise<void> {
  await tx.query('select ensure_click_month($1)', [month]);
}

function isNear(month: string, nowMs: number): boolean {
  const ms = /^\d{4}-\d{2}$/.test(month) ? Date.parse(`${month}-01T00:00:00Z`) : Number.NaN;
  return ms > nowMs - pastMs && ms < nowMs + futureMs;
}
