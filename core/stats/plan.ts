import type { Range } from './stats.ts';

/**
 * Plans which ranges are read from rollups and which from clicks, so that the sum is exact. Rollups count every click in the
 * database: clicks of deleted links, which statistics do not show, have to be subtracted.
 */

const msPerDay = 86_400_000;
const daysPerWeek = 7;
const msPerWeek = daysPerWeek * msPerDay;
// Days of the Unix time are counted from a Thursday, weeks begin on Mondays.
const firstMonday = 4;
/** Length of the intervals that a day's clicks are counted in. */
export const quarterMs = 900_000;
/** Such intervals of a day. */
export const quartersPerDay = 96;

/** An organization's clicks on a day (UTC); a day without a record has none. */
export interface DayTotals {
  readonly startMs: number;
  /** Clicks of each quarter of an hour. */
  readonly quarters: readonly number[];
  /** So many quarters, from midnight, were counted by value … */
  readonly rolledQuarters: number;
  /** … and had so many clicks then: with more now, the counts by value are out of date. */
  readonly rolledClicks: number;
}

/** A week (UTC, from Monday on) whose days' counts by value were added up. */
export interface WeekTotals {
  readonly startMs: number;
  /** Its days had so many clicks then: with more now, the counts by value are out of date. */
  readonly rolledClicks: number;
}

/** Where counts by value are to be read. */
interface BreakdownPlan {
  /** Starts of the weeks whose counts by value hold. */
  readonly rolledWeeks: readonly number[];
  /** Starts of the days, of other weeks, whose counts by value hold. */
  readonly rolledDays: readonly number[];
  /** Clicks that these counts comprise. */
  readonly rolledClicks: number;
  /** Times whose clicks have to be read, in order. */
  readonly raw: readonly Range[];
}

/**
 * @param days the days of the range that have clicks, in order.
 * @param weeks the weeks of the range that were added up.
 * @param isRolled tells whether the counts of a day or a week comprise the dimension.
 */
export function planBreakdown<D extends DayTotals, W extends WeekTotals>(
  range: Range,
  { days, weeks }: { days: readonly D[]; weeks: readonly W[] },
  isRolled: (rolled: D | W) => boolean,
): BreakdownPlan {
  const clicksOfWeeks = sumByWeek(days);
  const wholeWeeks = weeks.filter(
    (week) => hasWeek(range, week.startMs) && isRolled(week) && clicksOfWeeks.get(week.startMs) === week.rolledClicks,
  );
  const rolledWeeks = new Set(wholeWeeks.map(({ startMs }) => startMs));
  const rolledDays: number[] = [];
  const raw: Range[] = [];
  let rolledClicks = wholeWeeks.reduce((clicks, week) => clicks + week.rolledClicks, 0);
  // Between days without clicks there is nothing to be read twice: ranges may bridge them.
  let isOpen = false;
  const read = (piece: Range): void => {
    if (piece.startMs >= piece.endMs) return;
    if (isOpen) raw[raw.length - 1] = { startMs: raw.at(-1)!.startMs, endMs: piece.endMs };
    else raw.push(piece);
    isOpen = true;
  };
  for (const day of days) {
    if (rolledWeeks.has(weekOf(day.startMs))) {
      isOpen = false;
      continue;
    }
    const whole = clip({ startMs: day.startMs, endMs: day.startMs + msPerDay }, range);
    const rolledEndMs = day.startMs + day.rolledQuarters * quarterMs;
    if (isValid(day) && isRolled(day) && range.startMs <= day.startMs && rolledEndMs <= range.endMs) {
      rolledDays.push(day.startMs);
      rolledClicks += day.rolledClicks;
      isOpen = false;
      read({ startMs: rolledEndMs, endMs: whole.endMs });
    } else {
      read(whole);
    }
  }
  return { rolledWeeks: [...rolledWeeks], rolledDays, rolledClicks, raw };
}

/** Where counts by time are to be read. */
interface TimelinePlan {
  /** Clicks of each bucket so far. */
  readonly counts: readonly number[];
  /** Times whose clicks have to be read in addition. */
  readonly raw: readonly Range[];
}

/** @param buckets consecutive ranges. @param days the days that have clicks, in order. */
export function planTimeline(buckets: readonly Range[], days: readonly DayTotals[]): TimelinePlan {
  const counts = buckets.map(() => 0);
  const raw: Range[] = [];
  let current = 0;
  for (const day of days) {
    for (const [index, clicks] of day.quarters.entries()) {
      if (clicks === 0) continue;
      const startMs = day.startMs + index * quarterMs;
      const quarter = { startMs, endMs: startMs + quarterMs };
      while (current < buckets.length && buckets[current]!.endMs <= startMs) current += 1;
      const bucket = buckets[current];
      if (bucket === undefined) return { counts, raw };
      if (bucket.startMs <= quarter.startMs && quarter.endMs <= bucket.endMs) {
        counts[current]! += clicks;
      } else {
        const piece = clip(quarter, { startMs: buckets[0]!.startMs, endMs: buckets.at(-1)!.endMs });
        if (piece.startMs < piece.endMs) raw.push(piece);
      }
    }
  }
  return { counts, raw };
}

/** A day to be counted by value, up to a quarter. */
export interface Roll {
  readonly startMs: number;
  readonly quarters: number;
}

// So long after its end, hardly a click of a quarter is still under way.
const settledMs = 60_000;

/**
 * Which days to count by value, latest first: those where at least `minClicks` clicks, and a good part of the day's, are not
 * counted yet. So each click is counted a few times at most, however often statistics are read.
 */
export function planRolls(days: readonly DayTotals[], nowMs: number, minClicks: number): Roll[] {
  return days
    .flatMap((day): Roll[] => {
      const quarters = Math.floor((nowMs - settledMs - day.startMs) / quarterMs);
      const settled = Math.min(Math.max(quarters, 0), quartersPerDay);
      const rolled = isValid(day) ? day.rolledClicks : 0;
      const missing = sum(day.quarters, settled) - rolled;
      return missing >= Math.max(minClicks, rolled / 4) ? [{ startMs: day.startMs, quarters: settled }] : [];
    })
    .toReversed();
}

/**
 * Weeks of a range to add up, latest first: weeks that are over and not yet added up, whose days are all counted by value to
 * their ends, or will be by `rolls`.
 */
export function planWeeks(
  range: Range,
  { days, weeks }: { days: readonly DayTotals[]; weeks: readonly WeekTotals[] },
  rolls: readonly Roll[],
  nowMs: number,
): number[] {
  const rolled = new Set(rolls.filter(({ quarters }) => quarters === quartersPerDay).map(({ startMs }) => startMs));
  const isCounted = (day: DayTotals): boolean =>
    rolled.has(day.startMs) || (isValid(day) && day.rolledQuarters === quartersPerDay);
  const uncounted = new Set(days.filter((day) => !isCounted(day)).map(({ startMs }) => weekOf(startMs)));
  const known = new Map(weeks.map(({ startMs, rolledClicks }) => [startMs, rolledClicks]));
  return [...sumByWeek(days)]
    .filter(
      ([startMs, clicks]) =>
        hasWeek(range, startMs) &&
        startMs + msPerWeek + settledMs <= nowMs &&
        !uncounted.has(startMs) &&
        known.get(startMs) !== clicks,
    )
    .map(([startMs]) => startMs)
    .toReversed();
}

/** Clicks of each week with clicks, in order. */
function sumByWeek(days: readonly DayTotals[]): Map<number, number> {
  const weeks = new Map<number, number>();
  for (const { startMs, quarters } of days) {
    const week = weekOf(startMs);
    weeks.set(week, (weeks.get(week) ?? 0) + sum(quarters, quartersPerDay));
  }
  return weeks;
}

/** Whether a week lies in a range whole. */
function hasWeek(range: Range, startMs: number): boolean {
  return range.startMs <= startMs && startMs + msPerWeek <= range.endMs;
}

/** The start of the week that a time (Unix, milliseconds) is in: a Monday's midnight (UTC). */
export function weekOf(startMs: number): number {
  const day = Math.floor(startMs / msPerDay);
  return (Math.floor((day - firstMonday) / daysPerWeek) * daysPerWeek + firstMonday) * msPerDay;
}

/** Clicks are only added, so equal numbers mean the same clicks; a deletion of clicks removes the counts too. */
function isValid({ quarters, rolledQuarters, rolledClicks }: DayTotals): boolean {
  return rolledQuarters > 0 && sum(quarters, rolledQuarters) === rolledClicks;
}

function sum(quarters: readonly number[], end: number): number {
  let clicks = 0;
  for (let index = 0; index < end; index += 1) clicks += quarters[index]!;
  return clicks;
}

function clip(piece: Range, range: Range): Range {
  return { startMs: Math.max(piece.startMs, range.startMs), endMs: Math.min(piece.endMs, range.endMs) };
}
