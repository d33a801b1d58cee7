import { expect, test } from 'vitest';
import { spread, ticksFor } from '#console/charts/ticks.ts';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [183, [0, 50, 100, 150, 200]],
  [1_000, [0, 500, 1_000]],
  [41_000, [0, 20_000, 40_000, 60_000]],
])('an axis up to %i has even whole steps', (most, ticks) => {
  expect(ticksFor(most)).toEqual(ticks);
});

test.each([
  [0, []],
  [3, [0, 1, 2]],
  [7, [0, 1, 2, 3, 4, 5, 6]],
  [24, [0, 4, 8, 12, 16, 20]],
  [30, [0, 5, 10, 15, 20, 25]],
  [31, [0, 5, 10, 15, 20, 25, 30]],
])('of %i names of an axis at most seven are shown, evenly apart', (length, shown) => {
  expect(spread(length, 7)).toEqual(shown);
});
