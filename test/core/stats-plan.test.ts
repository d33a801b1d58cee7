import { describe, expect, test } from 'vitest';
import { type DayTotals, planBreakdown, planRolls, planTimeline, quarterMs } from '../../core/stats-plan.ts';

const day = 86_400_000;

/** A day with a click a quarter. */
function totals(index: number, rolledQuarters = 0, rolledClicks = rolledQuarters): DayTotals {
  return { startMs: index * day, quarters: Array.from({ length: 96 }, () => 1), rolledQuarters, rolledClicks };
}
const range = (start: number, end: number) => ({ startMs: start * day, endMs: end * day });
const always = (): boolean => true;

describe('planBreakdown', () => {
  test('takes whole days from their counts, and reads the rest', () => {
    const days = [0, 1, 2, 3].map((index) => totals(index, 96));
    expect(planBreakdown(range(0.5, 3.5), days, always)).toEqual({
      rolledDays: [day, 2 * day],
      rolledClicks: 192,
      raw: [range(0.5, 1), range(3, 3.5)],
    });
  });

  test('reads what came after the counted part of a day', () => {
    expect(planBreakdown(range(0, 1), [totals(0, 40)], always)).toEqual({
      rolledDays: [0],
      rolledClicks: 40,
      raw: [{ startMs: 40 * quarterMs, endMs: day }],
    });
  });

  test('takes the counted part of a day of which the range leaves out what follows', () => {
    expect(planBreakdown({ startMs: 0, endMs: 50 * quarterMs }, [totals(0, 40)], always)).toMatchObject({
      rolledDays: [0],
      raw: [{ startMs: 40 * quarterMs, endMs: 50 * quarterMs }],
    });
  });

  test('does not trust counts of another number of clicks', () => {
    expect(planBreakdown(range(0, 1), [totals(0, 96, 95)], always)).toEqual({
      rolledDays: [],
      rolledClicks: 0,
      raw: [range(0, 1)],
    });
  });

  test('reads days that lack the dimension', () => {
    const days = [0, 1, 2].map((index) => totals(index, 96));
    expect(planBreakdown(range(0, 3), days, ({ startMs }) => startMs !== day).raw).toEqual([range(1, 2)]);
  });

  test('bridges days without clicks', () => {
    expect(planBreakdown(range(0, 9), [totals(1), totals(2), totals(7)], always).raw).toEqual([range(1, 8)]);
  });
});

describe('planTimeline', () => {
  test('counts quarters, and has those read that a bucket divides', () => {
    const buckets = [
      { startMs: 0, endMs: 10 * quarterMs },
      { startMs: 10 * quarterMs, endMs: 20.5 * quarterMs },
      { startMs: 20.5 * quarterMs, endMs: 30 * quarterMs },
    ];
    expect(planTimeline(buckets, [totals(0)])).toEqual({
      counts: [10, 10, 9],
      raw: [{ startMs: 20 * quarterMs, endMs: 21 * quarterMs }],
    });
  });

  test('clips what is read to the range', () => {
    const buckets = [{ startMs: 0.5 * quarterMs, endMs: 2.5 * quarterMs }];
    expect(planTimeline(buckets, [totals(0)])).toEqual({
      counts: [1],
      raw: [
        { startMs: 0.5 * quarterMs, endMs: quarterMs },
        { startMs: 2 * quarterMs, endMs: 2.5 * quarterMs },
      ],
    });
  });
});

describe('planRolls', () => {
  test('names days with many clicks that are not counted, the latest first', () => {
    expect(planRolls([totals(0), totals(1, 96), totals(2)], 4 * day, 96)).toEqual([
      { startMs: 2 * day, quarters: 96 },
      { startMs: 0, quarters: 96 },
    ]);
    expect(planRolls([totals(0)], 4 * day, 97)).toEqual([]);
  });

  test('counts today as far as it has settled', () => {
    expect(planRolls([totals(0)], 10 * quarterMs, 5)).toEqual([{ startMs: 0, quarters: 9 }]);
    expect(planRolls([totals(0)], 10 * quarterMs + 60_000, 5)).toEqual([{ startMs: 0, quarters: 10 }]);
    expect(planRolls([totals(0)], -day, 1)).toEqual([]);
  });

  test('waits until a good part of the day is not counted', () => {
    expect(planRolls([totals(0, 60)], 75 * quarterMs, 1)).toEqual([]);
    expect(planRolls([totals(0, 60)], 76 * quarterMs, 1)).toEqual([{ startMs: 0, quarters: 75 }]);
  });
});
