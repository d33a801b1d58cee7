import type { Range } from './stats.ts';

/** A calendar day in some time zone, or a part of it, as far as it lies in a range. */
export interface LocalDay extends Range {
  /** `YYYY-MM-DD` */
  readonly date: string;
}

const msPerDay = 86_400_000;
// Dates have four digits; zones ahead of UTC get there before it.
const endOfDatesMs = Date.UTC(10_000, 0, 1);

/** Whether `name` is a time zone of the IANA database. */
export function isTimeZone(name: string): boolean {
  // Plain offsets are known to Intl as well.
  if (/^[+-]/.test(name)) return false;
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/**
 * The days of a range, none left out, the first and the last clipped to it. A day begins when its midnight first shows on
 * the clock, or where clocks leap over midnight, with the leap; days that a zone left out altogether are not days of it.
 * @param timeZone as accepted by `isTimeZone`.
 */
export function localDays({ startMs, endMs }: Range, timeZone: string): LocalDay[] {
  const clock = createClock(timeZone);
  const days: LocalDay[] = [];
  // The midnight of each day as if the zone were UTC.
  let wall = Math.floor(clock(startMs) / msPerDay) * msPerDay;
  let dayStartMs = startOfDay(wall, clock);
  while (dayStartMs < endMs && wall < endOfDatesMs) {
    const nextMs = startOfDay(wall + msPerDay, clock);
    const day = { startMs: Math.max(dayStartMs, startMs), endMs: Math.min(nextMs, endMs) };
    if (day.startMs < day.endMs) days.push({ date: new Date(wall).toISOString().slice(0, 10), ...day });
    wall += msPerDay;
    dayStartMs = nextMs;
  }
  return days;
}

/**
 * The instant that is some days away by the clock of a zone: at the same time of day, or where clocks leap over that, with the
 * leap. The beginning of a day leads to the beginning of the other one, also where one of them has no midnight.
 */
export function shiftDays(ms: number, days: number, timeZone: string): number {
  const clock = createClock(timeZone);
  const wall = clock(ms);
  const midnight = Math.floor(wall / msPerDay) * msPerDay;
  const from = startOfDay(midnight, clock) === ms ? midnight : wall;
  return startOfDay(from + days * msPerDay, clock);
}

/** The instant at which a day begins. @param date `YYYY-MM-DD`. @param timeZone as accepted by `isTimeZone`. */
export function startOfDate(date: string, timeZone: string): number {
  return startOfDay(Date.parse(`${date}T00:00:00.000Z`), createClock(timeZone));
}

/**
 * The hours or minutes of a range by the clock of a zone, none left out, the first and the last clipped to it. An hour in which
 * clocks leap may be shorter or longer.
 */
export function localSteps({ startMs, endMs }: Range, stepMs: number, timeZone: string): LocalDay[] {
  const clock = createClock(timeZone);
  const steps: LocalDay[] = [];
  let fromMs = startMs;
  while (fromMs < endMs) {
    const wall = clock(fromMs);
    let toMs = fromMs - modulo(wall, stepMs) + stepMs;
    const rest = modulo(clock(toMs), stepMs);
    // Clocks went back within the step: it goes on.
    if (rest !== 0 && clock(toMs) - rest <= wall) toMs += stepMs - rest;
    steps.push({ date: new Date(wall).toISOString().slice(0, 10), startMs: fromMs, endMs: Math.min(toMs, endMs) });
    fromMs = toMs;
  }
  return steps;
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;

/** Local time of a zone at an instant, as the Unix milliseconds at which UTC shows the same. */
type Clock = (ms: number) => number;

function createClock(timeZone: string): Clock {
  if (/^(?:etc\/)?(?:utc|gmt)$/i.test(timeZone)) return (ms) => ms;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return remember((ms) => {
    const [, month, day, year, hour, minute, second] = /(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)/.exec(
      format.format(ms),
    )!;
    const shown = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
    return shown + modulo(ms, 1_000);
  });
}

/** Reading a zone's clock is slow, and each day's beginning takes those of the days around it. */
function remember(clock: Clock): Clock {
  const shown = new Map<number, number>();
  return (ms) => {
    let wall = shown.get(ms);
    if (wall === undefined) shown.set(ms, (wall = clock(ms)));
    return wall;
  };
}

/** The instant at which a clock first shows `wall`, or leaps over it. */
function startOfDay(wall: number, clock: Clock): number {
  const offsets = [clock(wall - msPerDay) - (wall - msPerDay), clock(wall + msPerDay) - (wall + msPerDay)] as const;
  // Far from any leap of the clock: nearly always.
  if (offsets[0] === offsets[1]) return wall - offsets[0];
  let earliest = wall - Math.max(...offsets);
  if (clock(earliest) === wall) return earliest;
  let latest = wall - Math.min(...offsets);
  if (clock(latest) === wall) return latest;
  // In between the clock leaps.
  while (latest - earliest > 1) {
    const middle = Math.floor((earliest + latest) / 2);
    if (clock(middle) >= wall) latest = middle;
    else earliest = middle;
  }
  return latest;
}
