/** The messages of an error and of its cause: Temporal's client names only the call that failed. */
export function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
