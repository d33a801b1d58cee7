import pg, { type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import type { Database, Sql } from '#db/connection/database.ts';
import { isConnectionError, isStatementTooCostly } from '#db/connection/errors.ts';

/** The database cannot be asked now. */
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

/** What `withDeadline` gives up with. */
class LateError extends Error {}

/** Reads from a database that may be away, without ever keeping a visitor waiting for long. */
export interface Reader extends Sql {
  /** Whether the last that was seen of the database is that it is away; it is tried again in the background. */
  isAway(): boolean;
  close(): void;
}

// A statement that is late once is late again.
const tellLateEveryMs = 10_000;

/** What the reader says to the log. */
export interface ReaderLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** Settings of `createReader`. `timeoutMs`: when a statement counts as failed; `retryMs`: gap between trials. */
export interface ReaderOptions {
  database: Database;
  log: ReaderLog;
  timeoutMs?: number;
  retryMs?: number;
}

/**
 * Runs statements with a deadline. Once one has failed for want of a database, further ones fail at once with
 * `DatabaseUnreachableError`, until a trial in the background succeeds. A statement that is late says nothing of the database by itself:
 * it fails alone, with `StatementLateError`, where a connection of its own is answered meanwhile. So nobody can make the
 * database seem away to others by what is slow to read.
 */
export function createReader({ database, log, timeoutMs = 1_000, retryMs = 200 }: ReaderOptions): Reader {
  let isAway = false;
  let trial: NodeJS.Timeout | undefined;
  let isClosed = false;
  let answering: Promise<boolean> | undefined;
  let toldAtMs = Number.NEGATIVE_INFINITY;

  /** Asks by a connection of its own, since statements that are late may hold all of the pool; shared while it is under way. */
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
          isAway = false;
          log.info({}, 'the database answers again');
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
    if (isAway) throw new DatabaseUnreachableError();
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
      if (!isAway) {
        isAway = true;
        log.warn({ err: error }, 'the database is away: links in memory are served, others are not');
        tryLater();
      }
      throw new DatabaseUnreachableError(error);
    } finally {
      clearTimeout(suspicion);
    }
  }

  return {
    query,
    isAway: () => isAway,
    close() {
      isClosed = true;
      clearTimeout(trial);
    },
  };
}

/** Whether the database answers a connection of its own in time. */
async function answers({ pool }: Database, timeoutMs: number): Promise<boolean> {
  const client = new pg.Client({ ...pool.options, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs });
  client.on('error', () => undefined);
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  // As with statements: what has come while the process was busy is read first.
  const timer = setTimeout(() => setImmediate(resolve, false), timeoutMs);
  const ask = async (): Promise<boolean> => {
    await client.connect();
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

/** Runs one statement; past the deadline its connection is given up, so that a dead one does not stay in the pool. */
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
  // A process that was busy for long first reads what has come meanwhile: the database is not away for that.
  const timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
  const run = async (): Promise<QueryResult> => {
    const connection = await database.pool.connect();
    if (isLate) {
      connection.release();
      throw new Error('too late');
    }
    client = connection;
    try {
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
