import { isTimeZone, startOfDate as startOf } from '#core/stats/days.ts';
import type { Interval } from '#core/stats/intervals.ts';

// Periods are whole days of a time zone, named by their dates: YYYY-MM-DD, both inclusive.

/** Periods that end today, with their lengths in days. */
const lengths = { day: 1, week: 7, month: 30, quarter: 90, year: 365 } as const;
/** A period that ends today: of a length, since the first of the month, or since the first link. */
type PeriodName = keyof typeof lengths | 'thisMonth' | 'all';
/** All named periods, the shortest first. */
export const periodNames = [
  'day',
  'week',
  'thisMonth',
  'month',
  'quarter',
  'year',
  'all',
] as const satisfies readonly PeriodName[];

/** What an address says of the period. */
export interface PeriodSearch {
  period?: PeriodName | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** IANA time zone; the browser's where it is not given. */
  zone?: string;
}

/** Consecutive days, both inclusive. */
export interface Period {
  from: string;
  to: string;
}

const dayMs = 86_400_000;
const defaultPeriod = 'month';
const hourlyDays = 2;
const dailyDays = 92;
const weeklyDays = 731;

const toMs = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const toDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Whether a text is a date of the calendar. */
export function isDate(text: string): boolean {
  return /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) && !Number.isNaN(toMs(text)) && toDate(toMs(text)) === text;
}

export function addDays(date: string, days: number): string {
  return toDate(toMs(date) + days * dayMs);
}

export function daysOf({ from, to }: Period): number {
  return Math.round((toMs(to) - toMs(from)) / dayMs) + 1;
}

/** @returns the zone where it is one of the IANA database. */
export function readZone(zone: string | undefined): string | undefined {
  return zone !== undefined && isTimeZone(zone) ? zone : undefined;
}

export function browserZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The date of a moment in a zone. */
export function dateIn(moment: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(moment);
}

/** The moment, in ISO 8601, at which a date begins in a zone. */
export function startOfDate(date: string, timeZone: string): string {
  return new Date(startOf(date, timeZone)).toISOString();
}

/**
 * The period of an address. A period that is not whole is completed; one the wrong way round is turned.
 * @param first the date on which all time begins.
 */
export function readPeriod({ period, from, to }: PeriodSearch, today: string, first = today): Period {
  if (from !== undefined && to !== undefined) return from <= to ? { from, to } : { from: to, to: from };
  if (from !== undefined) return from <= today ? { from, to: today } : { from, to: from };
  const last = to ?? today;
  if (period === 'thisMonth') return { from: startOfMonth(last), to: last };
  if (period === 'all') return { from: first < last ? first : last, to: last };
  return { from: addDays(last, 1 - lengths[period ?? defaultPeriod]), to: last };
}

const startOfMonth = (date: string): string => `${date.slice(0, 7)}-01`;

/** The first of the month that is some months later than that of a date. */
function addMonths(date: string, months: number): string {
  const [year = 0, month = 1] = date.split('-').map(Number);
  return toDate(Date.UTC(year, month - 1 + months, 1));
}

/** The name of the period that is shown, if it has one. */
export function nameOf(period: Period, today: string): Exclude<PeriodName, 'all'> | undefined {
  if (period.to !== today) return undefined;
  const named = (Object.keys(lengths) as (keyof typeof lengths)[]).find((name) => lengths[name] === daysOf(period));
  return named ?? (period.from === startOfMonth(today) ? 'thisMonth' : undefined);
}

/** Whether a period is a month of the calendar, or the part of the present one that is over. */
export function isMonth(period: Period, today: string): boolean {
  const last = addDays(addMonths(period.from, 1), -1);
  return period.from === startOfMonth(period.from) && (period.to === last || nameOf(period, today) === 'thisMonth');
}

/** The month, or else the period of the same length, before or after; later than today there is none. */
export function shiftPeriod(period: Period, direction: -1 | 1, today: string): Period {
  if (isMonth(period, today)) {
    const from = addMonths(period.from, direction);
    const to = addDays(addMonths(from, 1), -1);
    return from > today ? period : { from, to: to > today ? today : to };
  }
  const days = daysOf(period) * direction;
  const moved = { from: addDays(period.from, days), to: addDays(period.to, days) };
  return moved.to > today && direction === 1 ? { from: addDays(today, 1 - daysOf(period)), to: today } : moved;
}

const unset = { period: undefined, from: undefined, to: undefined };

/** What the address holds for a period: its name where it has one. */
export function periodSearch(period: Period, today: string): Partial<PeriodSearch> {
  const name = nameOf(period, today);
  return name === undefined ? { ...unset, ...period } : namedPeriod(name);
}

/** What the address holds for a period that ends today. */
export function namedPeriod(name: PeriodName): Partial<PeriodSearch> {
  return { ...unset, ...(name === defaultPeriod ? {} : { period: name }) };
}

/** The intervals that a period can be drawn by, the finest first. */
export function intervalsOf(period: Period): Interval[] {
  const days = daysOf(period);
  return [
    ...(days <= hourlyDays ? (['minute'] as const) : []),
    ...(days < dailyDays ? (['hour'] as const) : []),
    'day',
    ...(days > 7 ? (['week'] as const) : []),
    ...(days > 31 ? (['month'] as const) : []),
  ];
}

/** The interval that a period is drawn by where none is asked for, or one that it cannot have. */
export function intervalOf(period: Period, asked: Interval | undefined): Interval {
  if (asked !== undefined && intervalsOf(period).includes(asked)) return asked;
  const days = daysOf(period);
  return days <= hourlyDays ? 'hour' : days <= dailyDays ? 'day' : days <= weeklyDays ? 'week' : 'month';
}
