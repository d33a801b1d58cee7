/** A command line that cannot be run as it is; the message says how it can. */
export class UsageError extends Error {
  /** @param {string} message @param {number} [exitCode] */
  constructor(message, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
