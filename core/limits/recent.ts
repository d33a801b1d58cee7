/**
 * Remembers what a function gave, be it a failure, for a while; callers meanwhile share it, also while it is still awaited.
 * @param forMs milliseconds from the beginning of the call.
 */
export function recent<T>(
  read: () => Promise<T>,
  forMs: number,
  monotonicMs: () => number = () => performance.now(),
): () => Promise<T> {
  let last: Promise<T> | undefined;
  let untilMs = 0;
  return () => {
    const nowMs = monotonicMs();
    if (last === undefined || nowMs >= untilMs) {
      untilMs = nowMs + forMs;
      last = read();
    }
    return last;
  };
}
