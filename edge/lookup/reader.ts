import pg, { type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import type { Logger } from 'pino';
import type { Database, Sql } from '#db/connection/database.ts';
import { isConnectionError, isStatementTooCostly } from '#db/connection/errors.ts';

export class DatabaseUnreachableError extends Error {
  constructor(cause?: unknown) {
    super('The database cannot be reached.', { cause });
    this.name = 'DatabaseUnreachableError';
  }
}

/** A statement took too long, or too much, while the database answers others. */
export class StatementLateError extends Error {
  constructor(cause?: unknown) {
    super('The statement took too long.', { cause });
    this.name = 'StatementLateError';
  }
}

/** A statement missed its deadline. */
class LateError extends Error {}

/** Runs statements with a deadline, so that no visitor waits long for an unreachable database. */
export interface Reader extends Sql {
  /** Whether the database was unreachable at the last attempt; further attempts are made in the background. */
  isUnreachable(): boolean;
  close(): void;
}

// One log line for many late statements: a slow statement is usually slow again.
const tellLateEveryMs = 10_000;
// Between two background attempts.
const retryMs = 200;

/** `timeoutMs`: when a statement counts as failed. */
interface ReaderOptions {
  database: Database;
  log: Pick<Logger, 'info' | 'warn'>;
  timeoutMs?: number | undefined;
}

/**
 * Runs statements with a deadline. Once a statement has failed because the database was unreachable, further ones fail at once
 * with `DatabaseUnreachableError`, until a background attempt succeeds. A late statement alone does not mean that: it fails by
 * itself, with `StatementLateError`, when a fresh connection gets an answer meanwhile. So a visitor of a slow link cannot make
 * the database seem unreachable to others.
 */
export function createReader({ database, log, timeoutMs = 1_000 }: ReaderOptions): Reader {
  let isUnreachable = false;
  let trial: NodeJS.Timeout | undefined;
  let isClosed = false;
  let answering: Promise<boolean> | undefined;
  let toldAtMs = Number.NEGATIVE_INFINITY;

  /** Asks over a fresh connection, since late statements may hold the whole pool. Concurrent callers share one attempt. */
  function isAnswering(): Promise<boolean> {
    answering ??= answers(database, timeoutMs / 2).finally(() => (answering = undefined));
    return answering;
  }

  function tellLate(error: unknown): void {
    if (performance.now() - toldAtMs < tellLateEveryMs) return;
    toldAtMs = performance.now();
    log.warn({ err: error }, 'a statement took too long, while the database answers others');
  }

  function tryLater(): void {
    if (isClosed) return;
    trial = setTimeout(() => {
      withDeadline(database, { text: 'select 1' }, timeoutMs).then(
        () => {
          isUnreachable = false;
          log.info('the database answers again');
        },
        () => tryLater(),
      );
    }, retryMs);
    trial.unref();
  }

  async function query<R extends QueryResultRow>(
    query: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<R>> {
    if (isUnreachable) throw new DatabaseUnreachableError();
    const config = typeof query === 'string' ? { text: query, values } : query;
    let answer: Promise<boolean> | undefined;
    const suspicion = setTimeout(() => {
      answer = isAnswering();
    }, timeoutMs / 2);
    try {
      return (await withDeadline(database, config, timeoutMs)) as QueryResult<R>;
    } catch (error) {
      const isOwn = error instanceof LateError ? await (answer ?? isAnswering()) : isStatementTooCostly(error);
      if (isOwn) {
        tellLate(error);
        throw new StatementLateError(error);
      }
      if (!isConnectionError(error)) throw error;
      if (!isUnreachable) {
        isUnreachable = true;
        log.warn({ err: error }, 'the database is unreachable: links in memory are served, others are not');
        tryLater();
      }
      throw new DatabaseUnreachableError(error);
    } finally {
      clearTimeout(suspicion);
    }
  }

  return {
    query,
    isUnreachable: () => isUnreachable,
    close() {
      isClosed = true;
      clearTimeout(trial);
    },
  };
}

/** Whether the database answers over a fresh connection in time. */
async function answers({ pool }: Database, timeoutMs: number): Promise<boolean> {
  const client = new pg.Client({ ...pool.options, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs });
  client.on('error', () => undefined);
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  // `setImmediate`: an answer that arrived while the process was busy is read first.
  const timer = setTimeout(() => setImmediate(resolve, false), timeoutMs);
  const ask = async (): Promise<boolean> => {
    await client.connect();
    // By hand: the edge loads no ORM.
    await client.query('select 1');
    return true;
  };
  try {
    return await Promise.race([ask().catch(() => false), late]);
  } finally {
    clearTimeout(timer);
    client.end().catch(() => undefined);
  }
}

/** Runs one statement; past the deadline its connection is closed, so that no dead one stays in the pool. */
async function withDeadline(database: Database, query: QueryConfig, timeoutMs: number): Promise<QueryResult> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  let client: PoolClient | undefined;
  let isLate = false;
  let isAnswered = false;
  const giveUp = (): void => {
    if (isAnswered) return;
    isLate = true;
    const error = new LateError(`no answer within ${timeoutMs} ms`);
    client?.release(error);
    reject(error);
  };
  // `setImmediate`: an answer that arrived while the process was busy is read first and counts as in time.
  const timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
  const run = async (): Promise<QueryResult> => {
    const connection = await database.pool.connect();
    if (isLate) {
      connection.release();
      throw new Error('too late');
    }
    client = connection;
    try {
      // By hand: the edge loads no ORM (bench row R7).
      return await connection.query(query);
    } finally {
      clearTimeout(timer);
      isAnswered = true;
      if (!isLate) connection.release();
    }
  };
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}
