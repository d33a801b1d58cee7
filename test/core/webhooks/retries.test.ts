import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attemptsAhead, parseRetryAfter, retryGapMs } from '#core/webhooks/retries.ts';

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

describe('attemptsAhead', () => {
  const nextAt = new Date('2026-03-14T15:00:00Z');
  const secondsAhead = (tries: number, gaps = gapsMs) =>
    attemptsAhead(gaps, { nextAt, tries }).map((at) => (at.getTime() - nextAt.getTime()) / 1_000);

  test('a delivery without a try has all six ahead, each later one in the middle of its jitter', () => {
    expect(secondsAhead(0)).toEqual([0, 12, 167.4, 2_065.8, 25_193.1, 115_913.1]);
  });

  test('each failed try takes one away, and the last one is alone', () => {
    expect([1, 2, 3, 4, 5].map((tries) => secondsAhead(tries).length)).toEqual([5, 4, 3, 2, 1]);
  });

  test('the gaps are those of the setting', () => {
    expect(secondsAhead(0, [1_000])).toEqual([0, 1]);
    expect(secondsAhead(3, [1_000])).toEqual([0]);
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
