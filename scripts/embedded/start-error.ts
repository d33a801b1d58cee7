/** A start that cannot go on for a reason the operator can mend; the message says which and how. Shown without a stack. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}
