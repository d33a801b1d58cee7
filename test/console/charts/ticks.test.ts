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

test('names of an axis are the first, the last, and some evenly between', () => {
  expect(spread(3, 6)).toEqual([0, 1, 2]);
  expect(spread(31, 6)).toEqual([0, 6, 12, 18, 24, 30]);
});
