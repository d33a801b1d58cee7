const dayPattern = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** Days in the person's time zone, YYYY-MM-DD; both count. */
export interface DayRange {
  since?: string;
  until?: string;
}

/** A day of the address. */
const dayParameter = {
  read: (value: unknown) =>
    typeof value === 'string' && dayPattern.test(value) && !Number.isNaN(startOf(value)) ? value : undefined,
};

/** Both days of a range in the address. */
export const dayParameters = { since: dayParameter, until: dayParameter };

/** The range of moments that the API filters by; `until` is the end of its day. */
export function rangeOf({ since, until }: DayRange) {
  return {
    since: since === undefined ? undefined : new Date(startOf(since)).toISOString(),
    until: until === undefined ? undefined : new Date(startOf(until, 1)).toISOString(),
  };
}

/** Milliseconds of the first moment of a day in the person's time zone. */
function startOf(day: string, later = 0): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).getTime();
}
