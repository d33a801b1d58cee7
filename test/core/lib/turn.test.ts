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

test('of several pieces of long work one runs in each round of the event loop', async () => {
  const seen = { partsOfRound: 0, isDone: false };
  const work = async (): Promise<void> => {
    const turn = createTurn();
    for (let part = 0; part < 4; part += 1) {
      const untilMs = performance.now() + 3;
      while (performance.now() < untilMs);
      seen.partsOfRound += 1;
      await turn();
    }
  };
  const rounds: number[] = [];
  const done = Promise.all([work(), work(), work()]).then(() => (seen.isDone = true));
  // The first parts of all run at once: nothing waited when they began.
  seen.partsOfRound = 0;
  while (!seen.isDone) {
    await nextTurn();
    rounds.push(seen.partsOfRound);
    seen.partsOfRound = 0;
  }
  await done;
  expect(rounds.reduce((sum, parts) => sum + parts)).toBe(9);
  expect(Math.max(...rounds)).toBe(1);
});
