import { expect, test } from 'vitest';
import { describeSkew, skewOf } from '#core/lib/clock.ts';

test('the time of the call is no skew', () => {
  expect(skewOf({ askedAtMs: 1_000, theirsMs: 1_400, answeredAtMs: 5_000 })).toBe(0);
  expect(skewOf({ askedAtMs: 1_000, theirsMs: 7_000, answeredAtMs: 5_000 })).toBe(2_000);
  expect(skewOf({ askedAtMs: 1_000, theirsMs: 200, answeredAtMs: 5_000 })).toBe(-800);
});

test('a skew of a second is described', () => {
  expect(describeSkew(999)).toBeUndefined();
  expect(describeSkew(-999)).toBeUndefined();
  expect(describeSkew(1_000)).toBe("clock: 1.0 s behind the database's");
  expect(describeSkew(-2_340)).toBe("clock: 2.3 s ahead of the database's");
});
