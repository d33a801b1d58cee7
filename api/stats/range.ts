import type * as z from 'zod';
import type { Issue } from '#core/errors/errors.ts';
import { onlyBesideOthers } from '#core/lib/schemas.ts';
import { isTimeZone, shiftDays, startOfDate } from '#core/stats/days.ts';
import { type Interval, longestMs } from '#core/stats/intervals.ts';
import { lastMs, type Range } from '#core/stats/stats.ts';

const msPerDay = 86_400_000;
const defaultDays = 30;

/** The fields of a query that say of which clicks its answer is. */
interface GivenRange {
  startDate?: string | undefined;
  endDate?: string | undefined;
  timezone?: string | undefined;
  interval?: Interval | undefined;
}

/** Reads the range of a query, and finds what is wrong with it. Without an interval a range may be of any length. */
export function readRange(
  { startDate, endDate, timezone, interval }: GivenRange,
  now: Date,
): { range: Range; issues: Issue[] } {
  const issues: Issue[] = [];
  const momentOf = (path: string, text: string): number => {
    if (!isDate(text)) return Date.parse(text);
    if (timezone !== undefined) return startOfDate(text, timezone);
    issues.push({ path, message: 'must have a time and an offset, or come with timezone' });
    return Number.NaN;
  };
  const endMs = endDate === undefined ? now.getTime() : momentOf('endDate', endDate);
  const startMs = startDate === undefined ? endMs - defaultDays * msPerDay : momentOf('startDate', startDate);
  if (startMs > endMs) issues.push({ path: 'startDate', message: 'must not be after endDate' });
  const range = { startMs: within(startMs), endMs: within(endMs) };
  if (interval !== undefined && startDate !== undefined && isBefore1970(startDate)) {
    issues.push({ path: 'startDate', message: 'must not be before 1970' });
  } else if (interval !== undefined && isTooLong(range, longestMs[interval], timezone ?? 'UTC')) {
    const days = `must be at most ${longestMs[interval] / msPerDay} days before endDate`;
    issues.push({ path: 'startDate', message: interval === 'day' ? days : `${days} with interval=${interval}` });
  }
  return { range, issues };
}

/** Whether a date, in whatever zone, or a moment is before 1970. */
const isBefore1970 = (text: string): boolean => (isDate(text) ? text < '1970' : Date.parse(text) < 0);

/** Whether a range is longer than a bound in whole days, by time and by the clock of its zone: the day on which clocks go back is longer. */
function isTooLong({ startMs, endMs }: Range, boundMs: number, timeZone: string): boolean {
  return endMs - startMs > boundMs && endMs > shiftDays(startMs, boundMs / msPerDay, timeZone);
}

/** Names what is wrong with the range of a query beside its other wrong fields. */
export function namingRange<Schema extends z.ZodObject>(query: Schema, clock: () => Date): Schema {
  const takesDates = 'timezone' in query.shape;
  return query.superRefine((given, context) => {
    const { timezone, interval } = given;
    const text = (value: unknown) => (typeof value === 'string' && (takesDates || !isDate(value)) ? value : undefined);
    const isZone = typeof timezone === 'string' && isTimeZone(timezone);
    const asked = {
      startDate: text(given.startDate),
      endDate: text(given.endDate),
      // A wrong zone is named itself, and the dates that come with it are not wrong.
      timezone: isZone ? timezone : timezone === undefined ? undefined : 'UTC',
      interval: typeof interval === 'string' && interval in longestMs ? (interval as Interval) : undefined,
    };
    for (const { path, message } of readRange(asked, clock()).issues)
      context.addIssue({ code: 'custom', path: [path], message });
  }, onlyBesideOthers);
}

const isDate = (text: string): boolean => text.length === 'YYYY-MM-DD'.length;

/** Clamps a time to the range that clicks can have. */
export function within(ms: number): number {
  return Math.min(Math.max(ms, 0), lastMs);
}
