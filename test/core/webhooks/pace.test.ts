import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fastestPace, Pace } from '#core/webhooks/pace.ts';

test('whatever the rate and the delays, no second has more starts than the rate allows', () => {
  const rate = fc.integer({ min: 1, max: 50 });
  const delays = fc.array(fc.nat({ max: 700 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(rate, delays, (maxPerSecond, delaysMs) => {
      const pace = new Pace(0);
      const startsMs: number[] = [];
      let nowMs = 0;
      for (const delayMs of delaysMs) {
        nowMs = Math.max(nowMs + delayMs, pace.nextStartMs(maxPerSecond));
        pace.start(nowMs);
        startsMs.push(nowMs);
      }
      for (const [index, startMs] of startsMs.entries()) {
        expect((startsMs[index + maxPerSecond] ?? Infinity) - startMs).toBeGreaterThanOrEqual(1_000);
      }
    }),
  );
});

test('requests of an earlier pump count until their second is over, but hold up no webhook without a rate', () => {
  const pace = new Pace(1_250);
  expect(pace.nextStartMs(fastestPace)).toBe(1_250);
  expect(pace.nextStartMs(null)).toBe(0);
});

test('the fastest pace counts every start of a second', () => {
  const pace = new Pace(0);
  for (let nowMs = 1; nowMs <= fastestPace; nowMs += 1) pace.start(nowMs);
  expect(pace.nextStartMs(fastestPace)).toBe(1_001);
});
