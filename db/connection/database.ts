import { setTimeout } from 'node:timers/promises';
import pg, { type Pool, type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import { createDatabaseErrors, type DatabaseErrors } from '#db/health/error-counts.ts';

/** What runs a statement: the pool, or a transaction's connection. */
export interface Sql {
  query<R extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]): Promise<QueryResult<R>>;
}

/** The database of a process. */
export interface Database extends Sql {
  readonly pool: Pool;
  /** What statements, transactions and idle connections have failed with. */
  readonly errors: DatabaseErrors;
  /**
   * Runs `work` in one transaction and commits it; rolls back and rethrows when `work` fails. Where the database ended it to
   * resolve a deadlock, `work` runs again: it must do nothing that a rollback does not undo. Statements are planned for any
   * values; whoever wants plans for the values at hand sets `plan_cache_mode` to `auto`.
   * @param options `isLong`: its statements may take as long as they need, whatever the process allows.
   */
  transaction<T>(work: (tx: Sql) => Promise<T>, options?: { isLong?: boolean }): Promise<T>;
  /** Ends the pool after the statements under way and those that wait for a connection. */
  close(): Promise<void>;
}

/** Settings of `createDatabase`. `onError` hears of idle connections that the server dropped. */
export interface DatabaseOptions {
  url: string;
  poolMax?: number;
  applicationName?: string;
  /** How long a statement may take before it fails and its connection is dropped; without: for ever. */
  queryTimeoutMs?: number;
  /** How long the server lets a statement run before it ends it, with code 57014; 0, or without: for ever. */
  statementTimeoutMs?: number;
  /** How long the server lets a transaction wait for its next statement before it ends the connection; 0: for ever. */
  idleTransactionTimeoutMs?: number;
  onError?: (error: Error) => void;
}

const connectTimeoutMs = 5_000;
const drainEveryMs = 10;

/** Opens a pool; the first statement connects. Timestamps are read as `Date`, 64-bit counts as `number`. */
export function createDatabase({
  url,
  poolMax = 10,
  applicationName = 'waymark',
  queryTimeoutMs,
  statementTimeoutMs = 0,
  idleTransactionTimeoutMs = 0,
  onError,
}: DatabaseOptions): Database {
  const types = new pg.TypeOverrides();
  // Counts stay far below 2^53; as strings they would leak into answers.
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: url,
    max: poolMax,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    // The server keeps them, so that they hold where this process hangs or is gone. Zero is not sent.
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    types,
  });
  // Without listeners a connection that breaks, idle or in use, would end the process; the statement under way fails anyway.
  const errors = createDatabaseErrors();
  const hear = (error: Error): void => {
    errors.note(error);
    onError?.(error);
  };
  const noting = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      errors.note(error);
      throw error;
    }
  };
  pool.on('error', hear);
  pool.on('connect', (client) => client.on('error', hear));
  return {
    pool,
    errors,
    query: <R extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) =>
      noting(pool.query<R>(query as QueryConfig, values)),
    transaction: (work, { isLong = false } = {}) => withoutDeadlock(() => noting(transaction(pool, work, isLong))),
    async close() {
      // A pool that ends serves nobody any more who waits for a connection, nor tells them.
      while (pool.waitingCount > 0) await setTimeout(drainEveryMs);
      await pool.end();
    },
  };
}

const begin = 'begin; set local plan_cache_mode = force_generic_plan';
const attempts = 4;
// deadlock_detected, serialization_failure
const transient = new Set(['40P01', '40001']);

async function withoutDeadlock<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      const { code } = error as { code?: string };
      if (attempt === attempts || code === undefined || !transient.has(code)) throw error;
    }
  }
}

async function transaction<T>(pool: Pool, work: (tx: Sql) => Promise<T>, isLong: boolean): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // Planning a wide statement takes longer than running it, and PostgreSQL would plan one with arrays anew each time.
    await client.query(isLong ? `${begin}; set local statement_timeout = 0` : begin);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await rollback(client).catch((cause: Error) => (broken = cause));
    throw error;
  } finally {
    client.release(broken);
  }
}

function rollback(client: PoolClient): Promise<unknown> {
  return client.query('rollback');
}
