// @module-tag slow

import { expect, test } from 'vitest';
import { answered, createFixture, sender } from './pump-fixture.ts';

const { add, pump, rows, change } = createFixture();

/** Asserts that no second has more than `most` of these moments, which a busy machine may take a little late. */
function expectPace(startsMs: readonly number[], most: number): void {
  for (let index = most; index < startsMs.length; index += 1) {
    expect(startsMs[index]! - startsMs[index - most]!).toBeGreaterThanOrEqual(800);
  }
}

test(
  'pumps, one after the other, begin no more requests in a second than the rate of their webhook',
  { tags: 'nightly' },
  async () => {
    await change('max_per_second = 20');
    await add(50);
    const startsMs: number[] = [];
    const { send } = sender(() => answered(204));
    const timed: typeof send = (...given) => {
      startsMs.push(performance.now());
      return send(...given);
    };
    // The first one ends while deliveries wait.
    await pump(timed, { pumpForMs: 300 });
    expect(startsMs.length).toBeGreaterThan(0);
    expect(startsMs.length).toBeLessThanOrEqual(20);
    await pump(timed);
    expect(startsMs).toHaveLength(50);
    expectPace(startsMs, 20);
    expect((await rows()).every(({ status }) => status === 'delivered')).toBe(true);
  },
);
