import { setImmediate } from 'node:timers/promises';

/** Iterates over rows, and lets other calls of the process run between slices of `size` rows. */
export async function* inSlices<T>(rows: Iterable<T>, size: number): AsyncGenerator<T> {
  let left = size;
  for (const row of rows) {
    if (left === 0) {
      await setImmediate();
      left = size;
    }
    left -= 1;
    yield row;
  }
}
