import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRetryAfter, retryGapMs } from '#core/webhooks/retries.ts';

const gapsMs = [12_000, 148_000, 1_808_000, 22_026_000, 86_400_000];
const dayMs = 86_400_000;

describe('retryGapMs', () => {
  test('follows the schedule and ends after the sixth try', () => {
    expect([1, 2, 3, 4, 5].map((tries) => retryGapMs(gapsMs, tries, { random: 0 }))).toEqual(gapsMs);
    expect(retryGapMs(gapsMs, 6, { random: 0 })).toBeUndefined();
  });

  test('lengthens all gaps but the first, by a tenth at most', () => {
    expect(retryGapMs(gapsMs, 1, { random: 1 })).toBe(12_000);
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 5 }), fc.double({ min: 0, max: 1, noNaN: true }), (tries, random) => {
        const gapMs = gapsMs[tries - 1]!;
        const got = retryGapMs(gapsMs, tries, { random })!;
        expect(got).toBeGreaterThanOrEqual(gapMs);
        expect(got).toBeLessThanOrEqual(gapMs * 1.1 + 1e-6);
      }),
    );
  });

  test('follows a longer Retry-After, up to a day, and ignores a shorter one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.nat({ max: 10 * dayMs }), (tries, retryAfterMs) => {
        const got = retryGapMs(gapsMs, tries, { retryAfterMs, random: 0 })!;
        expect(got).toBe(Math.max(gapsMs[tries - 1]!, Math.min(dayMs, retryAfterMs)));
      }),
    );
  });
});

describe('parseRetryAfter', () => {
  const nowMs = Date.UTC(2026, 0, 1, 12, 0, 0);
  test.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['99999999999999999999', Number.MAX_SAFE_INTEGER],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['Thursday, 01-Jan-26 12:00:30 GMT', 30_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
    ['', undefined],
    ['soon', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['Thu, nonsense', undefined],
    [undefined, undefined],
  ])('reads %j as %j', (value, ms) => expect(parseRetryAfter(value, nowMs)).toBe(ms));
});
