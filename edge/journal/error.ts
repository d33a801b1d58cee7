/** A record cannot be kept now: the disk, or the room that the journal is given, is full, or the disk fails. */
export class JournalError extends Error {
  constructor(cause: unknown) {
    super(`The journal cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'JournalError';
  }
}
