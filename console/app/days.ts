import type { Parameter, SearchOf } from './places/search.ts';

const dayPattern = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** A day of the address. */
const dayParameter: Parameter<string> = {
  read: (value) =>
    typeof value === 'string' && dayPattern.test(value) && !Number.isNaN(startOf(value)) ? value : undefined,
};

/** Both days of a range in the address, YYYY-MM-DD in the person's time zone; both count. */
export const dayParameters = { since: dayParameter, until: dayParameter };

/** The range of moments that the API filters by; `until` is the end of its day. */
export function rangeOf({ since, until }: SearchOf<typeof dayParameters>) {
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
