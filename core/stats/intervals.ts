import { type LocalDay, localDays, localSteps, shiftDays } from './days.ts';
import { weekOf } from './plan.ts';
import type { Range } from './stats.ts';

/** Lengths of the points of a timeline; weeks begin on Mondays. */
export const intervals = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

/** What a period is compared with: the period of the same length before it, or the same weekdays 52 weeks before. */
export const comparisons = ['previous', 'year'] as const;
export type Comparison = (typeof comparisons)[number];

const msPerMinute = 60_000;
const msPerHour = 3_600_000;
const msPerDay = 86_400_000;
const daysPerYear = 364;

/** A timeline's longest period by its interval, in milliseconds: bounds the points of an answer. */
export const longestMs: Readonly<Record<Interval, number>> = {
  minute: 2 * msPerDay,
  hour: 92 * msPerDay,
  // A hundred years.
  day: 36_525 * msPerDay,
  week: 36_525 * msPerDay,
  month: 36_525 * msPerDay,
};

/**
 * The points of a timeline: consecutive, none left out, the first and the last clipped to the range. `date` is the local date on
 * which a point begins; that of a clipped week or month is its Monday or first of the month.
 */
export function bucketsOf(range: Range, interval: Interval, timeZone: string): LocalDay[] {
  switch (interval) {
    case 'minute':
      return localSteps(range, msPerMinute, timeZone);
    case 'hour':
      return localSteps(range, msPerHour, timeZone);
    case 'day':
      return localDays(range, timeZone);
    case 'week':
      return merge(localDays(range, timeZone), (date) => new Date(weekOf(Date.parse(date))).toISOString().slice(0, 10));
    case 'month':
      return merge(localDays(range, timeZone), (date) => `${date.slice(0, 7)}-01`);
  }
}

/** Joins days with the same name to one. */
function merge(days: readonly LocalDay[], nameOf: (date: string) => string): LocalDay[] {
  const merged: LocalDay[] = [];
  for (const { date, startMs, endMs } of days) {
    const name = nameOf(date);
    const last = merged.at(-1);
    if (last?.date === name) merged[merged.length - 1] = { ...last, endMs };
    else merged.push({ date: name, startMs, endMs });
  }
  return merged;
}

/**
 * The range that another one is compared with. Where both ends are midnights of the zone, it has as many days, however clocks
 * leapt between them. A range that is not over is compared with the same part of the one before.
 */
export function comparedRange(range: Range, comparison: Comparison, timeZone: string, nowMs: number): Range {
  const toEarlier = earlierOf(range, comparison, timeZone);
  const startMs = toEarlier(range.startMs);
  const endMs = toEarlier(range.endMs);
  const isRunning = range.startMs < nowMs && nowMs < range.endMs;
  return { startMs, endMs: isRunning ? Math.min(Math.max(toEarlier(nowMs), startMs), endMs) : endMs };
}

/** A moment of a range at the same place in the one that it is compared with: at the same time of the day, where that has whole days. */
function earlierOf({ startMs, endMs }: Range, comparison: Comparison, timeZone: string): (atMs: number) => number {
  const backBy = (days: number) => (atMs: number) => shiftDays(atMs, -days, timeZone);
  if (comparison === 'year') return backBy(daysPerYear);
  const days = localDays({ startMs, endMs }, timeZone).length;
  const hasWholeDays = days > 0 && shiftDays(startMs, days, timeZone) === endMs;
  return hasWholeDays ? backBy(days) : (atMs) => atMs - (endMs - startMs);
}
