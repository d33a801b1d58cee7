import { expect, test } from 'vitest';
import { createRestartPolicy } from '#scripts/supervisor/supervise.ts';

const minuteMs = 60_000;

test('pauses grow to 15 s and stay there', () => {
  const policy = createRestartPolicy();
  const decisions = Array.from({ length: 7 }, () => policy.died(20_000));
  expect(decisions).toEqual([1, 2, 4, 8, 15, 15, 15].map((seconds) => ({ pauseMs: seconds * 1_000 })));
});

test('a life of a minute resets the pauses', () => {
  const policy = createRestartPolicy();
  policy.died(20_000);
  policy.died(20_000);
  expect(policy.died(minuteMs)).toEqual({ pauseMs: 1_000 });
  expect(policy.died(minuteMs - 1)).toEqual({ pauseMs: 2_000 });
});

test('five quick deaths in a row end the restarts', () => {
  const policy = createRestartPolicy();
  const decisions = Array.from({ length: 5 }, () => policy.died(9_999));
  expect(decisions).toEqual([
    { pauseMs: 1_000 },
    { pauseMs: 2_000 },
    { pauseMs: 4_000 },
    { pauseMs: 8_000 },
    { giveUp: true },
  ]);
});

test('a longer life resets the count of quick deaths', () => {
  const policy = createRestartPolicy();
  for (let death = 0; death < 4; death++) policy.died(0);
  expect(policy.died(10_000)).toEqual({ pauseMs: 15_000 });
  for (let death = 0; death < 4; death++) expect(policy.died(0)).not.toHaveProperty('giveUp');
  expect(policy.died(0)).toEqual({ giveUp: true });
});
