import { randomBytes } from 'node:crypto';
import type { Sql } from '#db/connection/database.ts';
import { ensureVisitorKeys, type Month, monthOf, visitorKeyBytes } from '#db/clicks/visitor-keys.ts';

/** The keys of this month's visitors and of the next month's, which all edges share (5.2). */
export interface VisitorKeys {
  /** The key of the month of a moment; undefined: it is not known yet. Moments are Unix times in milliseconds. */
  find(nowMs: number): Buffer | undefined;
  /** Counts changes of what is known. */
  readonly version: number;
  /**
   * Where the key of a moment is not known: waits until the database has been asked for it, with success or without.
   * @returns undefined where there is nothing to wait for: it is known, or the database has just failed.
   */
  pending(nowMs: number): Promise<void> | undefined;
  close(): void;
}

/** Settings of `createVisitorKeys`. */
export interface VisitorKeysOptions {
  /** Fails at once while the database is away. */
  sql: Sql;
  /** Unix time in milliseconds. */
  now(): number;
  log: { warn(details: object, message: string): void };
  /** How often the database is asked again, in milliseconds. */
  refreshMs?: number;
  /** The same, after it has failed. */
  retryMs?: number;
}

const defaultRefreshMs = 10 * 60_000;
const defaultRetryMs = 1_000;

/**
 * Keeps the keys of this month and the next in memory, and asks the database again now and then. The next month's is made a
 * month ahead: an edge whose database is away at the turn of the month has it already. Those of earlier months are
 * forgotten.
 */
export function createVisitorKeys({
  sql,
  now,
  log,
  refreshMs = defaultRefreshMs,
  retryMs = defaultRetryMs,
}: VisitorKeysOptions): VisitorKeys {
  let keys = new Map<Month, Buffer>();
  // Keys of all moments between these are known.
  let knownFromMs = Number.POSITIVE_INFINITY;
  let knownUntilMs = Number.NEGATIVE_INFINITY;
  let version = 0;
  let flight: Promise<void> | undefined;
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function refresh(): Promise<void> {
    const nowMs = now();
    try {
      // Where the database came back without a key that is in use, it gets that one again.
      const makeKey = (month: Month): Buffer => keys.get(month) ?? randomBytes(visitorKeyBytes);
      const read = await ensureVisitorKeys(sql, [monthOf(nowMs), monthOf(nowMs, 1)], makeKey);
      const isSame = read.size === keys.size && [...read].every(([month, key]) => keys.get(month)?.equals(key));
      if (!isSame) {
        keys = read;
        version += 1;
      }
      knownFromMs = Date.parse(monthOf(nowMs));
      knownUntilMs = Date.parse(monthOf(nowMs, 2));
      isFailing = false;
    } catch (error) {
      // Told of once, and only where it matters: that the database is away is told of elsewhere.
      if (!isFailing && !keys.has(monthOf(nowMs)))
        log.warn({ err: error }, "the key of this month's visitors is missing");
      isFailing = true;
    }
  }

  function ask(): Promise<void> {
    clearTimeout(timer);
    flight ??= refresh().finally(() => {
      flight = undefined;
      if (isClosed) return;
      timer = setTimeout(() => void ask(), isFailing ? retryMs : refreshMs);
      timer.unref();
    });
    return flight;
  }

  void ask();
  return {
    find: (nowMs) => keys.get(monthOf(nowMs)),
    get version() {
      return version;
    },
    pending(nowMs) {
      if ((nowMs >= knownFromMs && nowMs < knownUntilMs) || isClosed) return undefined;
      return isFailing && flight === undefined ? undefined : ask();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
