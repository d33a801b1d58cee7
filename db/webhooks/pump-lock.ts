import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';

/** The advisory locks by which processes show that they live: this class, and the process's number. */
export const pumpLockClass = 0x77_68_6b;

/** What shows other processes that this one lives. */
export interface PumpLock {
  /** The number of this process, which its pumps are noted with. */
  readonly processId: number;
  close(): Promise<void>;
}

/** Settings of `holdPumpLock`. */
export interface PumpLockOptions {
  url: string;
  log: { warn(details: { reason: string }, message: string): void };
  applicationName?: string;
}

const connectTimeoutMs = 3_000;
const retryEveryMs = 500;

/**
 * Holds an advisory lock on a connection of its own. PostgreSQL releases it when the process dies, and not while the process
 * is merely stopped: a pump elsewhere tells the two apart by it. A connection that is lost is opened again; returns after the
 * first attempt.
 */
export async function holdPumpLock({ url, log, applicationName = 'waymark' }: PumpLockOptions): Promise<PumpLock> {
  const processId = randomInt(1, 2 ** 31 - 1);
  const closing = new AbortController();
  let client: pg.Client | undefined;

  /** @returns what settles when the connection has ended, wrapped: a promise would be awaited by the caller. */
  async function connect(): Promise<{ ended: Promise<void> }> {
    const fresh = new pg.Client({
      connectionString: url,
      application_name: `${applicationName} pump lock`,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    });
    const ended = Promise.withResolvers<void>();
    fresh.once('end', ended.resolve);
    fresh.on('error', () => ended.resolve());
    try {
      await fresh.connect();
      await fresh.query('select pg_advisory_lock($1, $2)', [pumpLockClass, processId]);
    } catch (error) {
      void fresh.end().catch(() => undefined);
      throw error;
    }
    client = fresh;
    return { ended: ended.promise };
  }

  const first = Promise.withResolvers<void>();
  const running = (async () => {
    for (let isTold = false; !closing.signal.aborted;) {
      try {
        const { ended } = await connect();
        isTold = false;
        first.resolve();
        await ended;
      } catch (error) {
        if (!isTold)
          log.warn({ reason: (error as Error).message }, 'the lock that shows that this worker lives is lost');
        isTold = true;
        first.resolve();
        await setTimeout(retryEveryMs, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  })();
  await first.promise;
  return {
    processId,
    async close() {
      closing.abort();
      await client?.end().catch(() => undefined);
      await running;
    },
  };
}
