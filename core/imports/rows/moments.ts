/** How a column writes day and month: `3/5` is the 3rd of May, or the 5th of March. */
type DateOrder = 'day-first' | 'month-first';

const clock = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*([ap]\.?m\.?)?`;
// Go and PostgreSQL write the offset, and may add the zone's name; JavaScript writes GMT before and a name in brackets behind.
const zone = String.raw`(?:(?:UTC|GMT)?\s*([+-]\d{2}):?(\d{2})?(?:\s*(?:[A-Z]{3,5}|\([^)]{0,60}\)))?|Z|UTC|GMT)`;
const rest = String.raw`(?:(?:T|,?\s+)${clock}\s*${zone}?)?$`;
const weekday = String.raw`(?:(mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)?`;
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const yearFirst = new RegExp(String.raw`^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})${rest}`, 'i');
const yearLast = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})${rest}`, 'i');
const monthName = new RegExp(
  String.raw`^${weekday}([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})${rest}`,
  'i',
);
const dayName = new RegExp(
  String.raw`^${weekday}(\d{1,2})(?:st|nd|rd|th)?\.?[\s-]+([a-z]{3,9})\.?,?[\s-]+(\d{4})${rest}`,
  'i',
);
const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
// In minutes: the zone that is farthest from UTC is that of Kiritimati.
const maxOffset = 14 * 60;
// No form above is longer than a third of it.
const maxLength = 128;

/**
 * Reads a moment as such files write it, in UTC where it has no zone.
 * @param order of its column, where its rows settle it.
 * @returns `ambiguous` where day and month may be either; undefined where it is no moment from 1970 on.
 */
export function readMoment(text: string, order?: DateOrder): Date | 'ambiguous' | undefined {
  if (/^\d{9,10}$/.test(text)) return new Date(Number(text) * 1_000);
  if (/^\d{13}$/.test(text)) return new Date(Number(text));
  if (text.length > maxLength) return undefined;
  const year = yearFirst.exec(text);
  if (year !== null) return toDate([year[1]!, year[3]!, year[4]!], year.slice(5));
  const last = yearLast.exec(text);
  if (last !== null) {
    const known = last[2] === '.' ? 'day-first' : (orderOf(text) ?? order);
    if (known === undefined && last[1] !== last[3]) return 'ambiguous';
    const [month, day] = known === 'day-first' ? [last[3]!, last[1]!] : [last[1]!, last[3]!];
    return toDate([last[4]!, month, day], last.slice(5));
  }
  const named = monthName.exec(text);
  if (named !== null) return toDate([named[4]!, monthOf(named[2]!), named[3]!], named.slice(5), named[1]);
  const day = dayName.exec(text);
  return day === null ? undefined : toDate([day[4]!, monthOf(day[3]!), day[2]!], day.slice(5), day[1]);
}

/** Which of day and month stands first in a date that one of them is above 12 in; undefined: it does not tell. */
function orderOf(text: string): DateOrder | undefined {
  const [, first, sign, second] = /^(\d{1,2})([-/])(\d{1,2})\2\d{4}(?!\d)/.exec(text) ?? [];
  // A date whose both numbers are above 12 is none.
  if (sign === undefined || (Number(first) > 12 && Number(second) > 12)) return undefined;
  if (Number(first) > 12) return 'day-first';
  return Number(second) > 12 ? 'month-first' : undefined;
}

function monthOf(name: string): string {
  return String(months.findIndex((month) => month.startsWith(name.toLowerCase())) + 1);
}

function toDate(
  [year, month, day]: [string, string, string],
  [hour = '0', minute = '0', second = '0', fraction = '0', half, zoneHours = '+00', zoneMinutes = '0']: (
    | string
    | undefined
  )[],
  weekdayName?: string,
): Date | undefined {
  const [y, m, d, h] = [Number(year), Number(month) - 1, Number(day), toHour(Number(hour), half)];
  if (h === undefined || Number(minute) > 59 || Number(second) > 59) return undefined;
  const midnight = new Date(Date.UTC(y, m, d));
  // Date.UTC takes the 30th of February for the 1st of March.
  if (midnight.getUTCMonth() !== m || midnight.getUTCDate() !== d) return undefined;
  if (weekdayName !== undefined && weekdays[midnight.getUTCDay()] !== weekdayName.toLowerCase()) return undefined;
  const sign = zoneHours.startsWith('-') ? -1 : 1;
  const offset = sign * (Math.abs(Number(zoneHours)) * 60 + Number(zoneMinutes));
  if (Math.abs(offset) > maxOffset || Number(zoneMinutes) > 59) return undefined;
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1_000);
  const at = Date.UTC(y, m, d, h, Number(minute) - offset, Number(second), milliseconds);
  return at >= 0 ? new Date(at) : undefined;
}

function toHour(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour <= 23 ? hour : undefined;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0);
}

/** Of each column the order of day and month that its rows settle; null: none does, or some contradict others. */
export type DateOrders = readonly (DateOrder | null)[];

/** Finds how each column of a file writes day and month: one date with a day above 12 settles it for all of its column. */
export class DateOrderFinder {
  readonly #found: (DateOrder | 'both' | null)[];

  constructor(columns: number) {
    this.#found = Array.from({ length: columns }, () => null);
  }

  add(row: readonly string[]): void {
    for (const [index, field] of row.entries()) {
      const before = this.#found[index];
      // Nearly all fields are no dates, and most dates come after another that settles.
      if (before === undefined || before === 'both' || field.length < 8 || field.length > 64) continue;
      const order = orderOf(field.trim());
      if (order !== undefined) this.#found[index] = before === null || before === order ? order : 'both';
    }
  }

  orders(): DateOrders {
    return this.#found.map((order) => (order === 'both' ? null : order));
  }
}
