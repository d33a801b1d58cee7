import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurn } from '#core/lib/turn.ts';

test('long work gives other calls a turn, and short work goes on at once', async () => {
  let isServed = false;
  void nextTurn().then(() => {
    isServed = true;
  });
  const turn = createTurn();
  expect(turn()).toBeUndefined();
  const untilMs = performance.now() + 6;
  while (performance.now() < untilMs);
  await turn();
  expect(isServed).toBe(true);
});
