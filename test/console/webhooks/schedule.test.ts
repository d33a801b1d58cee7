import { describe, expect, test } from 'vitest';
import { laterAttempts } from '#console/webhooks/delivery/schedule.ts';

const start = Date.parse('2026-03-14T15:00:00Z');
const second = 1_000;

/** An attempt that ends some seconds after the start. */
function endedAfter(seconds: number) {
  const at = new Date(start + seconds * second - 100).toISOString();
  return { at, code: 500, durationMs: 100, body: null, error: null };
}

/** Seconds after the start, and whether they are planned, of the attempts ahead. */
function aheadOf(ends: number[], nextAfter: number): [number, number, boolean][] {
  const later = laterAttempts({
    status: 'pending',
    attempts: ends.map(endedAfter),
    nextAttemptAt: new Date(start + nextAfter * second).toISOString(),
  });
  return later.map(({ number, atMs, isPlanned }) => [number, Math.round((atMs - start) / second), isPlanned]);
}

describe('attempts ahead of a delivery', () => {
  test('a delivery that was just made has six', () => {
    expect(aheadOf([], 0).map(([number]) => number)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('after a first failure the next one is planned, and four follow by the usual gaps', () => {
    const ahead = aheadOf([0], 12);
    expect(ahead[0]).toEqual([2, 12, true]);
    expect(ahead.map(([number]) => number)).toEqual([2, 3, 4, 5, 6]);
    expect(ahead.slice(1).every(([, , isPlanned]) => !isPlanned)).toBe(true);
    expect(ahead[1]?.[1]).toBeGreaterThanOrEqual(12 + 148);
    expect(ahead[1]?.[1]).toBeLessThanOrEqual(12 + 163);
  });

  test('a delivery that was sent again has all its attempts anew', () => {
    expect(aheadOf([0, 12, 170, 5_000], 5_012).map(([number]) => number)).toEqual([5, 6, 7, 8, 9]);
  });

  test('the last attempt of the schedule is the only one ahead', () => {
    expect(aheadOf([0], 90_000)).toEqual([[2, 90_000, true]]);
  });

  test('after a gap that is none of the usual ones only the next attempt is known', () => {
    expect(aheadOf([0], 60)).toEqual([[2, 60, true]]);
  });

  test('a delivery that waits for nothing has none', () => {
    expect(laterAttempts({ status: 'failed', attempts: [endedAfter(0)], nextAttemptAt: null })).toEqual([]);
  });
});
