import { type DatabaseErrorKind, databaseErrorKind } from '#db/connection/errors.ts';

/** Errors of the database that a process has met since its start, by kind. */
export interface DatabaseErrors {
  readonly counts: Record<DatabaseErrorKind, number>;
  /** Counts the error of a statement or a connection; errors that are not the database's are ignored. */
  note(error: unknown): void;
  /** Called at each error for want of disk space. */
  onDiskFull?: (() => void) | undefined;
}

export function createDatabaseErrors(): DatabaseErrors {
  const errors: DatabaseErrors = {
    counts: { connection: 0, diskFull: 0, io: 0, resources: 0, timeout: 0, conflict: 0, readOnly: 0, other: 0 },
    note(error) {
      const kind = databaseErrorKind(error);
      if (kind === undefined) return;
      errors.counts[kind] += 1;
      if (kind === 'diskFull') errors.onDiskFull?.();
    },
  };
  return errors;
}
