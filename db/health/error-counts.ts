/** Kinds of errors of the database that an operator has to know of; refusals that callers provoke are none of them. */
const errorKinds = ['connection', 'diskFull', 'io', 'resources', 'timeout', 'conflict', 'readOnly', 'other'] as const;

/** A kind of error. `conflict`: deadlocks and serialization failures; `io`: its disk or files fail. */
export type DatabaseErrorKind = (typeof errorKinds)[number];

/** What went wrong with the database of a process since its start. */
export interface DatabaseErrors {
  readonly counts: Record<DatabaseErrorKind, number>;
  /** Takes what a statement or a connection failed with; what is no error of the database is ignored. */
  note(error: unknown): void;
  /** Called at each error of disk space. */
  onDiskFull?: (() => void) | undefined;
}

/** Counts that begin at zero. */
export function createDatabaseErrors(): DatabaseErrors {
  const errors: DatabaseErrors = {
    counts: Object.fromEntries(errorKinds.map((kind) => [kind, 0])) as Record<DatabaseErrorKind, number>,
    note(error) {
      const kind = kindOf(error);
      if (kind === undefined) return;
      errors.counts[kind] += 1;
      if (kind === 'diskFull') errors.onDiskFull?.();
    },
  };
  return errors;
}

const connectionMessage =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function kindOf(error: unknown): DatabaseErrorKind | undefined {
  const { code, message, severity } = error as { code?: unknown; message?: unknown; severity?: unknown };
  // `pg` gives a severity to what the server said, and to nothing else.
  if (typeof code !== 'string' || severity === undefined) {
    const isLost = typeof message === 'string' && connectionMessage.test(message);
    return isLost || isSystemError(error) ? 'connection' : undefined;
  }
  if (code === '53100') return 'diskFull';
  if (code === '57014' || code === '55P03' || code === '25P03') return 'timeout';
  if (code === '40001' || code === '40P01') return 'conflict';
  if (code === '25006') return 'readOnly';
  switch (code.slice(0, 2)) {
    case '08':
    case '57':
      return 'connection';
    case '53':
      return 'resources';
    case '58':
    case 'XX':
      return 'io';
    // Constraints and values that callers send.
    case '22':
    case '23':
    case 'P0':
      return undefined;
    default:
      return 'other';
  }
}

/** Node's own errors of sockets and names. */
function isSystemError(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && ['connect', 'read', 'write', 'getaddrinfo'].includes(syscall ?? '');
}
