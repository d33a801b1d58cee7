import { useMemo } from 'react';
import { type Language, useLanguage } from './language.ts';

/** Writes numbers, moments and names in the person's language and time zone. */
export type Format = ReturnType<typeof createFormat>;

type Moment = string | Date;

const daySeconds = 86_400;
const short: [Intl.RelativeTimeFormatUnit, number][] = [
  ['hour', 3_600],
  ['minute', 60],
];

/** The distance between two moments in its largest whole unit: from a day on by the calendar of the browser's time zone. */
function distance(at: Date, now: Date): [count: number, unit: Intl.RelativeTimeFormatUnit] {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  if (Math.abs(seconds) < daySeconds) {
    const [unit, length] = short.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
    return [Math.trunc(seconds / length), unit];
  }
  const sign = Math.sign(seconds);
  const [first, last] = sign < 0 ? [at, now] : [now, at];
  const dayOf = (moment: Date): number => Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate());
  const monthOf = (moment: Date): number => moment.getFullYear() * 12 + moment.getMonth();
  const months = monthOf(last) - monthOf(first) - (last.getDate() < first.getDate() ? 1 : 0);
  if (months >= 12) return [sign * Math.trunc(months / 12), 'year'];
  if (months >= 1) return [sign * months, 'month'];
  const days = Math.round((dayOf(last) - dayOf(first)) / (daySeconds * 1_000));
  return days >= 7 ? [sign * Math.trunc(days / 7), 'week'] : [sign * days, 'day'];
}

/** @param language of the texts. Times are in the browser's time zone. */
export function createFormat(language: Language) {
  // English dates with the day first, as the design writes them.
  const locale = language === 'en' ? 'en-GB' : language;
  const number = new Intl.NumberFormat(language === 'en' ? 'en' : locale);
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const month = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric' });
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const whole = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const countries = new Intl.DisplayNames(locale, { type: 'region' });
  const tongues = new Intl.DisplayNames(locale, { type: 'language' });
  const relativeTo = (at: Moment | number, now = new Date()): string => relative.format(...distance(new Date(at), now));
  const ago = (at: Moment, now: Date): string => relativeTo(Math.min(new Date(at).getTime(), now.getTime()), now);
  // Noon: midnight is another day west of Greenwich.
  const noonOf = (date: string): Date => new Date(`${date}T12:00:00`);
  return {
    /** 1,240 */
    number: (value: number) => number.format(value),
    /** 12.4%, of a share between 0 and 1. All have as many decimals, 1 by default: those below each other are read alike. */
    percent: (share: number, digits = 1) =>
      share.toLocaleString(locale, { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits }),
    /** 1 Dec 2026 */
    day: (at: Moment) => day.format(new Date(at)),
    /** 1 Dec 2026, of a calendar date (YYYY-MM-DD). */
    date: (date: string) => day.format(noonOf(date)),
    /** 1 Dec, of a calendar date. */
    shortDate: (date: string) => shortDay.format(noonOf(date)),
    /** Dec 2026, of a calendar date. */
    month: (date: string) => month.format(noonOf(date)),
    /** 14:00, in a time zone. */
    time: (at: Moment, timeZone: string) =>
      new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }).format(new Date(at)),
    /** 1 Dec 2026, 12:00 @param timeZone another one than the browser's. */
    moment: (at: Moment, timeZone?: string) =>
      (timeZone === undefined
        ? moment
        : new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone })
      ).format(new Date(at)),
    /** The moment with seconds and time zone, for hints. */
    whole: (at: Moment) => whole.format(new Date(at)),
    /** 3 minutes ago, tomorrow. */
    relative: relativeTo,
    /** 3 minutes ago, of something that has happened: never in the future, although clocks differ. */
    ago,
    /** This hour, 3 hours ago: of something that is stored to the hour. */
    agoInHours: (at: Moment, now: Date) =>
      now.getTime() - new Date(at).getTime() < 3_600_000 ? relative.format(0, 'hour') : ago(at, now),
    /** In 3 minutes, of something to come: never in the past, although clocks differ. */
    soon: (at: Moment, now: Date) => relativeTo(Math.max(new Date(at).getTime(), now.getTime()), now),
    /** The name of an ISO 3166-1 alpha-2 country. */
    country: (code: string) => nameOr(() => countries.of(code), code),
    language: (tag: string) => nameOr(() => tongues.of(tag), tag),
    /** 1.2 MB */
    bytes(count: number) {
      const power = Math.min(3, Math.floor(Math.log10(Math.max(count, 1)) / 3));
      const unit = (['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const)[power]!;
      // Short units have no plural.
      const unitDisplay = power === 0 ? 'long' : 'short';
      const style = { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 } as const;
      return new Intl.NumberFormat(locale, style).format(count / 1_000 ** power);
    },
  };
}

/** Intl throws for codes that are not well-formed. */
function nameOr(read: () => string | undefined, code: string): string {
  try {
    return read() ?? code;
  } catch {
    return code;
  }
}

/** @returns the formats of the person's language. */
export function useFormat(): Format {
  const language = useLanguage();
  return useMemo(() => createFormat(language), [language]);
}
