import { setTimeout } from 'node:timers/promises';
import pg, {
  type ClientBase,
  type Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg';
import { currentTrace } from '#core/trace.ts';
import { createDatabaseErrors, type DatabaseErrors } from '#db/health/error-counts.ts';
import { debouncedNotify } from '#db/notifications/debounced-notify.ts';
import { isConflict } from './errors.ts';
import { channels, notify } from '#db/notifications/notify.ts';

/** Runs statements: the pool of a process, or the connection of a transaction. */
export interface Sql {
  query<R extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]): Promise<QueryResult<R>>;
}

/** The connection of a transaction, and the notifications that follow its commit. */
export interface Transaction extends Sql {
  /**
   * Notifies the relays after the commit, and not after a rollback. Debounced over all transactions of the process, and lost
   * where the process dies in between: relays poll as well. What must not be lost is sent by `notify` inside the transaction
   * instead; each such commit waits for a lock of the whole server.
   */
  wakeRelaysAfterCommit(): void;
}

export interface TransactionOptions {
  /** How its statements are planned; `generic` by default. */
  plans?: TransactionPlans;
  /** How long the server lets each statement run; 0: without a limit. By default the limit of the pool. */
  statementTimeoutMs?: number;
  /** How long a statement waits for a lock before it fails, with code 55P03. By default without a limit. */
  lockTimeoutMs?: number;
  /** Whether all statements read one snapshot, of the first one's moment; they cannot write then. */
  isSnapshot?: boolean;
}

/**
 * How PostgreSQL plans the statements of a transaction:
 * - `generic`: once per connection, for any values. Planning a wide statement takes longer than running it, and PostgreSQL
 *   would plan one with arrays anew at each call (bench row C1).
 * - `indexes-only`: as `generic`, and no table is read whole where an index will do. A connection keeps its plans, those of
 *   foreign keys too: plans made while tables were small would scan tables that have grown since (bench row C1). For
 *   transactions that find every row by a key.
 * - `custom`: for the values at hand, with 64 MB for a sort or a hash (a busy organization's visitors fit), and without compiling statements. For statistics, whose
 *   best plan depends on the range and on the organization's size; compiling takes longer than it saves (bench rows A1
 *   and A3).
 */
type TransactionPlans = 'generic' | 'indexes-only' | 'custom';

/** The database of a process; outside of `transaction` each statement is a transaction of its own. */
export interface Database extends Transaction {
  readonly pool: Pool;
  /** Counts of the errors that statements, transactions and idle connections have failed with. */
  readonly errors: DatabaseErrors;
  /**
   * Runs `work` in one transaction and commits it; rolls back and rethrows when `work` fails. Where the database ended it to
   * resolve a deadlock, `work` runs again, four times at most: it must do nothing that a rollback does not undo.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Ends the pool after running statements, statements that wait for a connection, and notifications. */
  close(): Promise<void>;
}

/** `onError` is called with errors that no caller awaits: of idle connections that the server dropped, and of notifications. */
export interface DatabaseOptions {
  url: string;
  poolMax?: number;
  applicationName?: string;
  /** How long a statement may wait for a connection, free or new; without: `connect_timeout` of the URL, as libpq has it, else 5 seconds. */
  connectTimeoutMs?: number;
  /** How long a statement may take before it fails and its connection is dropped; without: no limit. */
  queryTimeoutMs?: number;
  /** How long the server lets a statement run before it ends it, with code 57014; 0, or without: no limit. */
  statementTimeoutMs?: number;
  /** How long the server lets a transaction wait for its next statement before it ends the connection; 0: no limit. */
  idleTransactionTimeoutMs?: number;
  /**
   * Whether statements read whole tables only where no index serves them. For processes that look rows up by key: a plan
   * that is kept from a time when a table was small reads all of it, until the server analyzes the table.
   */
  prefersIndexes?: boolean;
  onError?: (error: Error) => void;
  /** Takes the place of debounced notifications of relays in tests that count them: called once for each commit. */
  onCommitted?: () => void;
}

const drainEveryMs = 10;

/** @returns milliseconds; undefined: the URL does not say. */
function connectTimeoutOf(url: string): number | undefined {
  const seconds = Number(URL.parse(url)?.searchParams.get('connect_timeout'));
  return seconds > 0 ? seconds * 1_000 : undefined;
}

/** Opens a pool; the first statement connects. Timestamps are read as `Date`, 64-bit counts as `number`. */
export function createDatabase({
  url,
  poolMax = 10,
  applicationName = 'waymark',
  connectTimeoutMs = connectTimeoutOf(url) ?? 5_000,
  queryTimeoutMs,
  statementTimeoutMs = 0,
  idleTransactionTimeoutMs = 0,
  prefersIndexes = false,
  onError,
  onCommitted,
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
    // The server enforces them, even where this process hangs or is gone. Zero is not sent.
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    ...(prefersIndexes ? { options: '-c enable_seqscan=off' } : {}),
    types,
  });
  const errors = createDatabaseErrors();
  const report = (error: Error): void => {
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
  // Without listeners a connection that breaks, idle or in use, would end the process; the statement under way fails in any
  // case.
  pool.on('error', report);
  pool.on('connect', (client) => client.on('error', report));

  const notifyRelays = debouncedNotify(
    () => notify(database, channels.outbox),
    (error) => onError?.(error),
  );
  const wakeRelaysAfterCommit = onCommitted ?? notifyRelays;
  const database: Database = {
    pool,
    errors,
    query: <R extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) =>
      noting(pool.query<R>(query as QueryConfig, values)),
    wakeRelaysAfterCommit,
    async transaction(work, options = {}) {
      const { result, wakesRelays } = await withoutDeadlock(() => noting(transaction(pool, work, options)));
      if (wakesRelays) wakeRelaysAfterCommit();
      return result;
    },
    async close() {
      await notifyRelays.settled();
      // A pool that ends drops statements that wait for a connection, without an error.
      while (pool.waitingCount > 0) await setTimeout(drainEveryMs);
      await pool.end();
    },
  };
  return database;
}

const plansStatements: Record<TransactionPlans, string> = {
  generic: 'set local plan_cache_mode = force_generic_plan',
  'indexes-only': 'set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off',
  custom: `set local plan_cache_mode = force_custom_plan; set local jit = off; set local work_mem = '64MB'`,
};
const attempts = 4;

async function withoutDeadlock<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === attempts || !isConflict(error)) throw error;
    }
  }
}

async function transaction<T>(
  pool: Pool,
  work: (tx: Transaction) => Promise<T>,
  { plans = 'generic', statementTimeoutMs, lockTimeoutMs, isSnapshot = false }: TransactionOptions,
): Promise<{ result: T; wakesRelays: boolean }> {
  const client = await pool.connect();
  let wakesRelays = false;
  const tx: Transaction & { [connection]: PoolClient } = {
    [connection]: client,
    query: <R extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) =>
      client.query<R>(query as QueryConfig, values),
    wakeRelaysAfterCommit() {
      wakesRelays = true;
    },
  };
  let broken: Error | undefined;
  try {
    const begin = [isSnapshot ? 'begin isolation level repeatable read, read only' : 'begin', plansStatements[plans]];
    if (statementTimeoutMs !== undefined) begin.push(`set local statement_timeout = ${statementTimeoutMs}`);
    if (lockTimeoutMs !== undefined) begin.push(`set local lock_timeout = ${lockTimeoutMs}`);
    const trace = currentTrace();
    // The default of a column reads it.
    if (trace !== undefined) begin.push(`set local waymark.trace = '${trace}'`);
    await client.query(begin.join('; '));
    const result = await work(tx);
    // After an error of a statement PostgreSQL answers a commit by rolling back.
    const { command } = await client.query('commit');
    return { result, wakesRelays: wakesRelays && command === 'COMMIT' };
  } catch (error) {
    await client.query('rollback').catch((cause: Error) => (broken = cause));
    throw error;
  } finally {
    client.release(broken);
  }
}

// A symbol, so that copies of a transaction keep it, and no caller comes across it.
export const connection = Symbol('the connection of a transaction');

/** The connection that a transaction runs on. */
export function clientOf(tx: Transaction): PoolClient {
  return (tx as Transaction & { [connection]: PoolClient })[connection];
}

/**
 * Cuts the socket of a connection: what waits for an answer fails, whether the server is there or not. `end` would wait for a
 * dead peer.
 */
export function sever(client: ClientBase, error?: Error): void {
  // `pg` has no method for it; the socket is not in its types.
  const { stream } = (client as unknown as { connection: { stream: { destroy(error?: Error): void } } }).connection;
  stream.destroy(error);
}
