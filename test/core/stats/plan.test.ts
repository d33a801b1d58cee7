import { describe, expect, test } from 'vitest';
import { type DayTotals, planBreakdown, planRolls, planTimeline, planWeeks, quarterMs } from '#core/stats/plan.ts';

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
    expect(planBreakdown(range(0.5, 3.5), { days, weeks: [] }, always)).toEqual({
      rolledWeeks: [],
      rolledDays: [day, 2 * day],
      rolledClicks: 192,
      raw: [range(0.5, 1), range(3, 3.5)],
    });
  });

  test('reads the clicks after the counted part of a day', () => {
    expect(planBreakdown(range(0, 1), { days: [totals(0, 40)], weeks: [] }, always)).toEqual({
      rolledWeeks: [],
      rolledDays: [0],
      rolledClicks: 40,
      raw: [{ startMs: 40 * quarterMs, endMs: day }],
    });
  });

  test('takes the counted part of a day of which the range leaves out what follows', () => {
    expect(
      planBreakdown({ startMs: 0, endMs: 50 * quarterMs }, { days: [totals(0, 40)], weeks: [] }, always),
    ).toMatchObject({
      rolledDays: [0],
      raw: [{ startMs: 40 * quarterMs, endMs: 50 * quarterMs }],
    });
  });

  test('does not trust counts of another number of clicks', () => {
    expect(planBreakdown(range(0, 1), { days: [totals(0, 96, 95)], weeks: [] }, always)).toEqual({
      rolledWeeks: [],
      rolledDays: [],
      rolledClicks: 0,
      raw: [range(0, 1)],
    });
  });

  test('reads days that lack the dimension', () => {
    const days = [0, 1, 2].map((index) => totals(index, 96));
    expect(planBreakdown(range(0, 3), { days, weeks: [] }, ({ startMs }) => startMs !== day).raw).toEqual([
      range(1, 2),
    ]);
  });

  test('bridges days without clicks', () => {
    expect(planBreakdown(range(0, 9), { days: [totals(1), totals(2), totals(7)], weeks: [] }, always).raw).toEqual([
      range(1, 8),
    ]);
  });

  test('takes whole weeks from their counts, and days around them', () => {
    // Day 4 of the Unix time was its first Monday.
    const days = Array.from({ length: 20 }, (_, index) => totals(index, 96));
    const weeks = [4, 11].map((index) => ({ startMs: index * day, rolledClicks: 7 * 96 }));
    const plan = (from: number, to: number, isRolled = always) =>
      planBreakdown(range(from, to), { days, weeks }, isRolled);
    expect(plan(0, 20)).toEqual({
      rolledWeeks: [4 * day, 11 * day],
      rolledDays: [0, 1, 2, 3, 18, 19].map((index) => index * day),
      rolledClicks: 20 * 96,
      raw: [],
    });
    const inside = days.filter(({ startMs }) => startMs >= 5 * day && startMs < 18 * day);
    expect(planBreakdown(range(5, 18), { days: inside, weeks }, always).rolledWeeks).toEqual([11 * day]);
    expect(plan(0, 20, () => false)).toEqual({ rolledWeeks: [], rolledDays: [], rolledClicks: 0, raw: [range(0, 20)] });
  });

  test('does not trust a week of another number of clicks, and reads what lies on both sides of one', () => {
    const days = [3, 5, 12, 18].map((index) => totals(index));
    const weeks = [4, 11].map((index) => ({ startMs: index * day, rolledClicks: 96 }));
    expect(planBreakdown(range(0, 20), { days, weeks }, always)).toEqual({
      rolledWeeks: [4 * day, 11 * day],
      rolledDays: [],
      rolledClicks: 192,
      raw: [range(3, 4), range(18, 19)],
    });
    const other = weeks.map((week) => ({ ...week, rolledClicks: 95 }));
    expect(planBreakdown(range(0, 20), { days, weeks: other }, always)).toMatchObject({
      rolledWeeks: [],
      rolledClicks: 0,
    });
  });
});

describe('planWeeks', () => {
  const week = Array.from({ length: 7 }, (_, index) => totals(4 + index, 96));
  const none = { weeks: [] };
  const minute = 60_000;

  test('names weeks that are over and whose days are counted, or will be', () => {
    const plan = (days: readonly DayTotals[], nowMs: number, rolls = [{ startMs: 4 * day, quarters: 96 }]) =>
      planWeeks(range(0, 20), { days, ...none }, rolls, nowMs);
    expect(plan(week, 11 * day + minute)).toEqual([4 * day]);
    expect(plan(week, 11 * day)).toEqual([]);
    const uncounted = week.with(0, totals(4));
    expect(plan(uncounted, 20 * day)).toEqual([4 * day]);
    expect(plan(uncounted, 20 * day, [])).toEqual([]);
    expect(plan(uncounted, 20 * day, [{ startMs: 4 * day, quarters: 95 }])).toEqual([]);
    expect(plan([week[3]!], 20 * day)).toEqual([4 * day]);
  });

  test('names the latest week first, and no week that lies in the range only in part', () => {
    const days = Array.from({ length: 21 }, (_, index) => totals(4 + index, 96));
    expect(planWeeks(range(0, 30), { days, ...none }, [], 40 * day)).toEqual([18 * day, 11 * day, 4 * day]);
    expect(planWeeks(range(4.5, 24), { days, ...none }, [], 40 * day)).toEqual([11 * day]);
  });

  test('names a week again when its clicks have changed', () => {
    const known = (rolledClicks: number) => ({ days: week, weeks: [{ startMs: 4 * day, rolledClicks }] });
    expect(planWeeks(range(0, 20), known(7 * 96), [], 20 * day)).toEqual([]);
    expect(planWeeks(range(0, 20), known(7 * 96 - 1), [], 20 * day)).toEqual([4 * day]);
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

  test('clips the ranges to read to the requested range', () => {
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
