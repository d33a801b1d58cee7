import { AppError } from '#core/errors/errors.ts';

/** Where uploaded files are stored: a folder, or a bucket of an S3 server. */
export interface Storage {
  /** Writes an object whole; readers never see a part of it. @throws StorageError */
  put(key: string, bytes: Uint8Array, mime: string): Promise<void>;
  /** Reads an object; undefined where there is none. @throws StorageError */
  get(key: string): Promise<Buffer | undefined>;
  /** Removes an object, and the remains of an unfinished write; a missing object is no error. @throws StorageError */
  remove(key: string): Promise<void>;
}

/** The storage failed: callers are asked to try again, the cause goes to the log. */
export class StorageError extends AppError {
  constructor(cause: unknown) {
    super('SERVICE_UNAVAILABLE');
    this.name = 'StorageError';
    this.cause = cause;
  }
}
