import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inSlices } from '#core/lib/slices.ts';

test('other calls run between slices of rows, and a single slice waits for none', async () => {
  let rounds = 0;
  const counting = (async () => {
    for (let round = 0; round < 10; round += 1) {
      await setImmediate();
      rounds += 1;
    }
  })();
  const seen: [row: number, rounds: number][] = [];
  for await (const row of inSlices([1, 2], 2)) seen.push([row, rounds]);
  expect(seen).toEqual([
    [1, 0],
    [2, 0],
  ]);
  for await (const row of inSlices([3, 4, 5, 6, 7], 2)) seen.push([row, rounds]);
  expect(seen.map(([row]) => row)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(seen.at(-1)![1]).toBeGreaterThan(1);
  await counting;
});
