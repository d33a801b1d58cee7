import { useMemo } from 'react';
import { type Language, useLanguage } from './language.ts';

/** Writes numbers, moments and names in the person's language and time zone. */
export interface Format {
  /** 1,240 */
  number(value: number): string;
  /** 12.4%, of a share between 0 and 1. All have as many decimals, 1 by default: those below each other are read alike. */
  percent(share: number, decimals?: number): string;
  /** 1 Dec 2026 */
  day(moment: string | Date): string;
  /** 1 Dec 2026, of a calendar date (YYYY-MM-DD). */
  date(date: string): string;
  /** 1 Dec, of a calendar date. */
  shortDate(date: string): string;
  /** Dec 2026, of a calendar date. */
  month(date: string): string;
  /** 14:00, in a time zone. */
  time(moment: string | Date, timeZone: string): string;
  /** 1 Dec 2026, 12:00 */
  moment(moment: string | Date): string;
  /** The moment with seconds and time zone, for hints. */
  whole(moment: string | Date): string;
  /** 3 minutes ago, tomorrow. */
  relative(moment: string | Date | number, now?: Date): string;
  /** 3 minutes ago, of something that has happened: never in the future, although clocks differ. */
  ago(moment: string | Date, now: Date): string;
  /** This hour, 3 hours ago: of something that is stored to the hour. */
  agoInHours(moment: string | Date, now: Date): string;
  /** In 3 minutes, of something to come: never in the past, although clocks differ. */
  soon(moment: string | Date, now: Date): string;
  /** The name of an ISO 3166-1 alpha-2 country. */
  country(code: string): string;
  language(tag: string): string;
  /** 1.2 MB */
  bytes(count: number): string;
}

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
export function createFormat(language: Language): Format {
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
  return {
    number: (value) => number.format(value),
    percent: (share, digits = 1) =>
      share.toLocaleString(locale, { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits }),
    day: (at) => day.format(new Date(at)),
    // Noon: midnight is another day west of Greenwich.
    date: (date) => day.format(new Date(`${date}T12:00:00`)),
    shortDate: (date) => shortDay.format(new Date(`${date}T12:00:00`)),
    month: (date) => month.format(new Date(`${date}T12:00:00`)),
    time: (at, timeZone) => new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }).format(new Date(at)),
    moment: (at) => moment.format(new Date(at)),
    whole: (at) => whole.format(new Date(at)),
    relative(at: string | Date | number, now = new Date()) {
      return relative.format(...distance(new Date(at), now));
    },
    ago(at, now) {
      return this.relative(Math.min(new Date(at).getTime(), now.getTime()), now);
    },
    agoInHours(at, now) {
      const isRecent = now.getTime() - new Date(at).getTime() < 3_600_000;
      return isRecent ? relative.format(0, 'hour') : this.ago(at, now);
    },
    soon(at, now) {
      return this.relative(Math.max(new Date(at).getTime(), now.getTime()), now);
    },
    country: (code) => nameOr(() => countries.of(code), code),
    language: (tag) => nameOr(() => tongues.of(tag), tag),
    bytes(count) {
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
