import { setTimeout } from 'node:timers/promises';

/** Waits until `read` gives what `isRight` accepts, and returns it; the last of it is named when time runs out. */
export async function eventually<T>(
  read: () => T | Promise<T>,
  isRight: (value: T) => boolean,
  timeoutMs = 10_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (isRight(value)) return value;
    if (performance.now() > deadline) {
      throw new Error(`still not so after ${timeoutMs} ms; the last value is ${JSON.stringify(value)}`);
    }
    await setTimeout(10);
  }
}
