/** The largest `maxPerSecond` of a webhook. */
export const fastestPace = 1_000;

/**
 * How fast a pump may begin requests: in no second more than `maxPerSecond` (null: no limit). It is the generic cell rate algorithm:
 * each request pays an interval, and a small part of a second may be paid in arrears, since timers are late by milliseconds. Moments
 * share the clock of the pump, in milliseconds.
 */
export interface Pace {
  readonly maxPerSecond: number | null;
  /** Until when requests of the pump before may count. */
  readonly quietUntilMs: number;
  /** Up to when the requests so far have paid. */
  readonly paidUntilMs: number;
}

const secondMs = 1_000;
// A pump begins requests within 250 ms of the database's last word on the webhook (`staleMs` of pump.ts).
const unseenMs = 250;
// A choice: a request more in arrears for each 50 a second, so that a timer may be 20 ms late.
const perArrear = 50;

/** The pace of a pump that begins. @param idleMs since the pump before last read or recorded; Infinity: there was none. */
export function createPace(nowMs: number, idleMs: number): Pace {
  return { maxPerSecond: null, quietUntilMs: nowMs + Math.max(0, secondMs + unseenMs - idleMs), paidUntilMs: 0 };
}

/** When the next request may begin; a moment that has passed: now. */
export function nextStartMs({ maxPerSecond, quietUntilMs, paidUntilMs }: Pace): number {
  if (maxPerSecond === null) return 0;
  const { intervalMs, arrears } = termsOf(maxPerSecond);
  return Math.max(quietUntilMs, paidUntilMs - (arrears - 1) * intervalMs);
}

/** The pace after a request that begins now. */
export function afterStart(pace: Pace, nowMs: number): Pace {
  if (pace.maxPerSecond === null) return pace;
  const { intervalMs } = termsOf(pace.maxPerSecond);
  return { ...pace, paidUntilMs: Math.max(pace.paidUntilMs, nowMs) + intervalMs };
}

/** A second has room for `1000 / intervalMs` requests, and for `arrears - 1` more that are not paid at its begin. */
function termsOf(maxPerSecond: number): { intervalMs: number; arrears: number } {
  const arrears = Math.max(1, Math.floor(maxPerSecond / perArrear));
  return { intervalMs: secondMs / (maxPerSecond - arrears + 1), arrears };
}
