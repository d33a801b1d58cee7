import { setTimeout } from 'node:timers/promises';

type Found<T> = Exclude<T, undefined | null | false>;

/** Ends what never comes, and nothing that a busy machine makes slow; below the bound of a test, so that the last value is told. */
export const longestWaitMs = 240_000;
// A wait of some milliseconds ends soon after the change; one of seconds, such as that for a killed worker's return, reads less
// often, since each reading costs a query: 1 ms of two processes.
const firstPollMs = 10;
const lastPollMs = 50;
const pollsPerWait = 50;

/**
 * Reads again and again until the value is right, and returns it. Without `isRight` any value but `undefined`, `null` and
 * `false` is.
 * @throws with the last value after `longestWaitMs`.
 */
export function eventually<T>(read: () => T | Promise<T>): Promise<Found<T>>;
export function eventually<T>(read: () => T | Promise<T>, isRight: (value: T) => boolean): Promise<T>;
export async function eventually<T>(read: () => T | Promise<T>, isRight: (value: T) => boolean = isFound): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const value = await read();
    if (isRight(value)) return value;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > longestWaitMs) {
      throw new Error(`still not so after ${longestWaitMs} ms; the last value is ${JSON.stringify(value)}`);
    }
    await setTimeout(Math.min(Math.max(waitedMs / pollsPerWait, firstPollMs), lastPollMs));
  }
}

function isFound(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
