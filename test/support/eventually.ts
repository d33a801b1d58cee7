import { setTimeout } from 'node:timers/promises';

type Found<T> = Exclude<T, undefined | null | false>;

const defaultTimeoutMs = 20_000;
// A choice: short beside the awaited changes, and no load for the database.
const pollEveryMs = 10;

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
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (isRight(value)) return value;
    if (performance.now() > deadline) {
      throw new Error(`still not so after ${timeoutMs} ms; the last value is ${JSON.stringify(value)}`);
    }
    await setTimeout(pollEveryMs);
  }
}

function isFound(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
