import { setTimeout } from 'node:timers/promises';

type Found<T> = Exclude<T, undefined | null | false>;

const defaultTimeoutMs = 20_000;
// Choices. A wait of some milliseconds ends soon after the change; one of seconds, such as that for a killed worker's return, reads
// less often, since each reading costs a query: 1 ms of two processes.
const firstPollMs = 10;
const lastPollMs = 50;
const pollsPerWait = 50;

/**
 * Reads again and again until the value is right, and returns it. Without `isRight` any value but `undefined`, `null` and
 * `false` is.
 * @throws with the last value once `timeoutMs` (20 s unless given) are over.
 */
export function eventually<T>(read: () => T | Promise<T>, timeoutMs?: number): Promise<Found<T>>;
export function eventually<T>(
  read: () => T | Promise<T>,
  isRight: (value: T) => boolean,
  timeoutMs?: number,
): Promise<T>;
export async function eventually<T>(
  read: () => T | Promise<T>,
  second: ((value: T) => boolean) | number = defaultTimeoutMs,
  third = defaultTimeoutMs,
): Promise<T> {
  const [isRight, timeoutMs] = typeof second === 'number' ? [isFound, second] : [second, third];
  const startedAt = performance.now();
  for (;;) {
    const value = await read();
    if (isRight(value)) return value;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > timeoutMs) {
      throw new Error(`still not so after ${timeoutMs} ms; the last value is ${JSON.stringify(value)}`);
    }
    await setTimeout(Math.min(Math.max(waitedMs / pollsPerWait, firstPollMs), lastPollMs));
  }
}

function isFound(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
