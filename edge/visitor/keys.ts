import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Sql } from '#db/connection/database.ts';
import { ensureVisitorKeys, type Month, monthOf, visitorKeyBytes } from '#db/clicks/visitor-keys.ts';

/** The keys of this month's visitors and of the next month's, which all edges share. */
export type VisitorKeys = ReturnType<typeof createVisitorKeys>;

interface VisitorKeysOptions {
  /** Fails at once while the database is unreachable. */
  sql: Sql;
  /** Unix time in milliseconds. */
  now(): number;
  log: Pick<Logger, 'warn'>;
  /** Pause between reads of the database, in milliseconds. */
  refreshMs?: number;
  /** Pause after a failed read, in milliseconds. */
  retryMs?: number;
}

const defaultRefreshMs = 10 * 60_000;
const defaultRetryMs = 1_000;

/**
 * Keeps the keys of this month and the next in memory, and reads them from the database every ten minutes. The next month's
 * key is created a month ahead, so that an edge without its database at the turn of the month has it already. Keys of earlier
 * months are dropped.
 */
export function createVisitorKeys({
  sql,
  now,
  log,
  refreshMs = defaultRefreshMs,
  retryMs = defaultRetryMs,
}: VisitorKeysOptions) {
  let keys = new Map<Month, Buffer>();
  // The keys of all moments between these are in memory.
  let knownFromMs = Number.POSITIVE_INFINITY;
  let knownUntilMs = Number.NEGATIVE_INFINITY;
  let flight: Promise<void> | undefined;
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function refresh(): Promise<void> {
    const nowMs = now();
    try {
      // A database that was restored without a key that is in use gets this key again.
      const makeKey = (month: Month): Buffer => keys.get(month) ?? randomBytes(visitorKeyBytes);
      keys = await ensureVisitorKeys(sql, [monthOf(nowMs), monthOf(nowMs, 1)], makeKey);
      knownFromMs = Date.parse(monthOf(nowMs));
      knownUntilMs = Date.parse(monthOf(nowMs, 2));
      isFailing = false;
    } catch (error) {
      // Logged once, and only when the current key is missing: the reader logs that the database is unreachable.
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
    /** The key of a month; undefined: not read yet. */
    find: (month: Month): Buffer | undefined => keys.get(month),
    /**
     * Resolves when the database has been asked for the key of a moment (Unix time in milliseconds), successfully or not.
     * @returns undefined where no wait helps: the key is in memory, or the database has just failed.
     */
    pending(nowMs: number): Promise<void> | undefined {
      if ((nowMs >= knownFromMs && nowMs < knownUntilMs) || isClosed) return undefined;
      return isFailing && flight === undefined ? undefined : ask();
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
