/**
 * Remembers the promise of `read`, even a rejected one, for `forMs`; callers in that time share it.
 * @param forMs milliseconds from the beginning of the call.
 */
export function recent<T>(read: () => Promise<T>, forMs: number): () => Promise<T> {
  let last: Promise<T> | undefined;
  let untilMs = 0;
  return () => {
    const nowMs = performance.now();
    if (last === undefined || nowMs >= untilMs) {
      untilMs = nowMs + forMs;
      last = read();
    }
    return last;
  };
}
