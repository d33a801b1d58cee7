import { AppError } from '#core/errors/errors.ts';

/** Where uploaded files lie: a folder, or a bucket that speaks S3. */
export interface Storage {
  /** Writes an object whole; readers see all of it or nothing. @throws StorageError */
  put(key: string, bytes: Uint8Array, mime: string): Promise<void>;
  /** Reads an object; undefined where there is none. @throws StorageError */
  get(key: string): Promise<Buffer | undefined>;
  /** Removes an object, and what an unfinished write left of it; one that is not there is fine. @throws StorageError */
  remove(key: string): Promise<void>;
}

/** The storage could not be used: callers are told to try again, the cause goes to the log. */
export class StorageError extends AppError {
  constructor(cause: unknown) {
    super('SERVICE_UNAVAILABLE');
    this.name = 'StorageError';
    this.cause = cause;
  }
}
