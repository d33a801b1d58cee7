/**
 * The moment of a change: never the same as that of the change before, so that processes which keep a row recognise its versions
 * by the moment. Dates are stored to the millisecond.
 */
export function laterThan(before: Date, now: Date): Date {
  return new Date(Math.max(now.getTime(), before.getTime() + 1));
}
