import pg from 'pg';
import { isReadOnly, isStatementTimeout } from '#db/connection/errors.ts';
import type { StatementResult } from './results.ts';

/** A connection for typed statements. */
export interface ShellConnection {
  /** Runs one statement. @throws (rejects) the database's error, with its hint. */
  run(statement: string, values?: unknown[]): Promise<StatementResult>;
  /** Cancels the running statement. */
  cancel(): Promise<void>;
  close(): Promise<void>;
}

interface ShellConnectionOptions {
  url: string;
  /** Whether statements may write. */
  mayWrite: boolean;
  /** Statement timeout in milliseconds; 0: none. */
  timeoutMs: number;
  /** Maximum rows kept of a result. */
  limit: number;
}

const connectTimeoutMs = 5_000;

// By hand, every statement of this file: an operator types SQL, on a connection with settings of its own; no benchmark runs them.

/**
 * Connects. Without `mayWrite`, transactions are read-only by default: a guard against mistakes, not against intent, because SQL
 * can turn it off.
 */
export async function openShellConnection(options: ShellConnectionOptions): Promise<ShellConnection> {
  const { url, mayWrite, timeoutMs, limit } = options;
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text));
  // Dates stay text: as a Date object they would shift with this machine's time zone.
  types.setTypeParser(pg.types.builtins.DATE, (text) => text);
  types.setTypeParser(pg.types.builtins.INTERVAL, (text) => text);
  const settings = { connectionString: url, connectionTimeoutMillis: connectTimeoutMs };
  const client = new pg.Client({ ...settings, types, application_name: 'waymark db shell' });
  let lost: Error | undefined;
  client.on('error', (error) => (lost = error));
  await client.connect();
  await client.query(`set default_transaction_read_only = ${mayWrite ? 'off' : 'on'}`);
  await client.query(`set statement_timeout = ${Math.round(timeoutMs)}`);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const { pid } = rows[0]!;

  async function cancel(): Promise<void> {
    const other = new pg.Client(settings);
    other.on('error', () => undefined);
    try {
      await other.connect();
      await other.query('select pg_cancel_backend($1)', [pid]);
    } finally {
      await other.end();
    }
  }

  return {
    cancel,
    close: () => client.end(),
    async run(statement, values) {
      if (lost !== undefined) throw new Error(`The connection is lost: ${lost.message}`, { cause: lost });
      const kept: unknown[][] = [];
      let isCut = false;
      let cutting: Promise<void> | undefined;
      const query = new pg.Query({ text: statement, rowMode: 'array', types } as pg.QueryConfig, values);
      query.on('row', (row: unknown) => {
        if (kept.length < limit) kept.push(row as unknown[]);
        else if (!isCut) {
          // Stops reading a large table after the first rows.
          isCut = true;
          cutting = cancel().catch(() => undefined);
        }
      });
      const done = new Promise<pg.QueryResult | undefined>((resolve, reject) => {
        query.on('end', (result) => resolve(result));
        query.on('error', (error: Error & { code?: string }) => {
          // The rows have arrived; the error is our own cancellation.
          if (isCut && isStatementTimeout(error)) resolve(undefined);
          else reject(explain(error, mayWrite));
        });
      });
      client.query(query);
      const result = await done;
      // A cancellation that arrives late would end the next statement.
      await cutting;
      return {
        command: result?.command ?? 'SELECT',
        columns: fieldsOf(query, result),
        rows: kept,
        rowCount: isCut ? null : (result?.rowCount ?? null),
        isCut,
      };
    },
  };
}

function fieldsOf(query: pg.Query, result: pg.QueryResult | undefined): string[] {
  const { fields } = result ?? (query as unknown as { _result: pg.QueryResult })._result;
  return fields.map(({ name }) => name);
}

function explain(error: Error & { code?: string; hint?: string; position?: string }, mayWrite: boolean): Error {
  const hints = [
    error.hint,
    isReadOnly(error) && !mayWrite ? 'Start the shell with --write to change something.' : undefined,
  ];
  const hint = hints.filter((text) => text !== undefined).join(' ');
  return new Error(`${error.message}${hint === '' ? '' : `\n${hint}`}`, { cause: error });
}
