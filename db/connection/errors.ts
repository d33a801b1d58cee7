/**
 * What the error codes of PostgreSQL, ClickHouse and Node mean; no other file compares them, except the redaction of data errors in `core/lib/text/clean-error.ts`. Codes of five characters are SQLSTATEs:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */

const sqlStates = {
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
  checkViolation: '23514',
  undefinedTable: '42P01',
  undefinedColumn: '42703',
  deadlockDetected: '40P01',
  serializationFailure: '40001',
  queryCanceled: '57014',
  adminShutdown: '57P01',
  crashShutdown: '57P02',
  cannotConnectNow: '57P03',
  diskFull: '53100',
  outOfMemory: '53200',
  tooManyConnections: '53300',
  configurationLimitExceeded: '53400',
  lockNotAvailable: '55P03',
  idleInTransactionTimeout: '25P03',
  readOnlyTransaction: '25006',
} as const;

type SqlState = keyof typeof sqlStates;

/** Whether the error has one of the codes, wherever it comes from. */
function hasCode(error: unknown, ...names: SqlState[]): boolean {
  const code = codeOf(error);
  return code !== undefined && names.some((name) => sqlStates[name] === code);
}

function codeOf(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** SQLSTATE of an error that the server sent; undefined for errors of the driver and of Node. */
function sqlStateOf(error: unknown): string | undefined {
  // `pg` gives a severity to the server's errors alone.
  const { severity } = error as { severity?: unknown };
  return severity === undefined ? undefined : codeOf(error);
}

/** Name of an error that the server answered with, such as `TIMEOUT_EXCEEDED`; undefined for other errors. */
export function clickHouseErrorType(error: unknown): string | undefined {
  const { type, code } = error as { type?: unknown; code?: unknown };
  return typeof type === 'string' && typeof code === 'string' && /^\d+$/.test(code) ? type : undefined;
}

function hasType(error: unknown, ...names: string[]): boolean {
  return names.includes(clickHouseErrorType(error) ?? '');
}

/** A row with the same values exists. @param index the unique index that refused; without: any. */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  const { constraint } = error as { constraint?: string };
  return hasCode(error, 'uniqueViolation') && (index === undefined || constraint === index);
}

/** A row could not be removed, since other rows refer to it. */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, 'foreignKeyViolation');
}

/** Runs a removal. @returns false where it removed nothing, since other rows refer to what was to be removed. */
export async function unlessReferenced(removal: Promise<unknown>): Promise<boolean> {
  try {
    await removal;
    return true;
  } catch (error) {
    if (isForeignKeyViolation(error)) return false;
    throw error;
  }
}

/** The schema lacks a table or a column. */
export function isUndefinedRelation(error: unknown): boolean {
  return hasCode(error, 'undefinedTable', 'undefinedColumn');
}

/** Two transactions blocked each other; the transaction may run again. */
export function isConflict(error: unknown): boolean {
  return hasCode(error, 'deadlockDetected', 'serializationFailure');
}

/** The server ended a statement: it took longer than `statement_timeout` allows, or a client cancelled it. */
export function isStatementTimeout(error: unknown): boolean {
  return hasCode(error, 'queryCanceled') || hasType(error, 'TIMEOUT_EXCEEDED', 'TOO_SLOW', 'QUERY_WAS_CANCELLED');
}

/** A lock could not be had within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, 'lockNotAvailable');
}

/** A transaction, or its connection, may not write: a standby, or a session that asked for it. */
export function isReadOnly(error: unknown): boolean {
  return hasCode(error, 'readOnlyTransaction');
}

// `pg` and ClickHouse's client give their own errors no code.
const driverMessage =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Timeout error\.$)/;

function isDriverError(error: unknown): boolean {
  const { message } = error as { message?: unknown };
  return typeof message === 'string' && driverMessage.test(message);
}

// Node's, where the server cannot be reached or drops a connection.
const networkCodes = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/**
 * The database cannot serve now, and the same call may succeed in a moment: no connection is to be had, the server shuts down,
 * starts or is a standby, its disk is full, or transactions blocked each other up to the last attempt.
 */
export function isUnavailable(error: unknown): boolean {
  return (
    isDriverError(error) ||
    networkCodes.has(codeOf(error) ?? '') ||
    isConflict(error) ||
    isReadOnly(error) ||
    hasCode(error, 'adminShutdown', 'crashShutdown', 'cannotConnectNow') ||
    hasCode(error, 'diskFull', 'tooManyConnections', 'idleInTransactionTimeout') ||
    hasType(error, 'TOO_MANY_SIMULTANEOUS_QUERIES', 'MEMORY_LIMIT_EXCEEDED', 'TABLE_IS_READ_ONLY', 'KEEPER_EXCEPTION')
  );
}

/**
 * The error is about the connection or the state of the server, not about the statement: it has no SQLSTATE, or one of class
 * 08 (connection), 53 (resources) or 57 (operator).
 */
export function isConnectionError(error: unknown): boolean {
  return /^(?:08|53|57)/.test(sqlStateOf(error) ?? '08');
}

/** The server gave a statement up for its own cost, although its SQLSTATE is of a class of `isConnectionError`. */
export function isStatementTooCostly(error: unknown): boolean {
  return (
    sqlStateOf(error) !== undefined && hasCode(error, 'queryCanceled', 'outOfMemory', 'configurationLimitExceeded')
  );
}

/**
 * The server refuses the data itself, so that the same statement would fail again: SQLSTATE class 22 (data), 23 (constraints)
 * or 54 (limits of the program), or values that ClickHouse cannot read.
 */
export function isDataRefused(error: unknown): boolean {
  if (/^(?:CANNOT_PARSE_|CANNOT_READ_ALL_DATA$|INCORRECT_DATA$)/.test(clickHouseErrorType(error) ?? '')) return true;
  return /^(?:22|23|54)/.test(sqlStateOf(error) ?? '');
}

/** A check constraint of one table refused a row. */
export function isCheckViolation(error: unknown, table: string): boolean {
  return hasCode(error, 'checkViolation') && (error as { table?: string }).table === table;
}

/**
 * Kinds of errors that an operator has to know of. `connection`: no connection, or the server shuts down; `io`: its disk or
 * files fail; `resources`: memory or connections; `timeout`: statements, locks, idle transactions; `conflict`: deadlocks and
 * serialization failures; `readOnly`: a standby.
 */
export type DatabaseErrorKind =
  | 'connection'
  | 'diskFull'
  | 'io'
  | 'resources'
  | 'timeout'
  | 'conflict'
  | 'readOnly'
  | 'other';

/** The kind of an error; undefined for errors that callers provoke, by a value or a constraint, and for those of our own code. */
export function databaseErrorKind(error: unknown): DatabaseErrorKind | undefined {
  const state = sqlStateOf(error);
  if (state === undefined) return isDriverError(error) || isSocketError(error) ? 'connection' : undefined;
  if (hasCode(error, 'diskFull')) return 'diskFull';
  if (hasCode(error, 'queryCanceled', 'lockNotAvailable', 'idleInTransactionTimeout')) return 'timeout';
  if (isConflict(error)) return 'conflict';
  if (isReadOnly(error)) return 'readOnly';
  switch (state.slice(0, 2)) {
    case '08':
    case '57':
      return 'connection';
    case '53':
      return 'resources';
    case '58':
    case 'XX':
      return 'io';
    // Data, constraints, and errors that functions of our schema raise.
    case '22':
    case '23':
    case 'P0':
      return undefined;
    default:
      return 'other';
  }
}

function isSocketError(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && ['connect', 'read', 'write', 'getaddrinfo'].includes(syscall ?? '');
}
