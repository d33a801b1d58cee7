const longestGapMs = 24 * 60 * 60 * 1_000;
const jitter = 0.1;
const secondMs = 1_000;

/** Default of the setting WEBHOOK_RETRY_DELAYS, in milliseconds: 12 s, 148 s, 30 min 8 s, 6 h 7 min 6 s, 24 h. */
export const defaultRetryGapsMs: readonly number[] = [12, 148, 1_808, 22_026, 86_400].map(
  (seconds) => seconds * secondMs,
);

/**
 * The gap after a failed try, in milliseconds; undefined after the last, with which the delivery has failed
 * (`standing.ts`). All gaps but the first are lengthened by up to 10 %, and any to what the receiver asks for, up to 24 hours
 * (6.4).
 * @param gapsMs the schedule: gaps after the first, second, … failed try. The setting WEBHOOK_RETRY_DELAYS (`config/schema.ts`) holds
 *   it.
 * @param tries failed tries so far, from 1.
 * @param random from 0 to 1.
 */
export function retryGapMs(
  gapsMs: readonly number[],
  tries: number,
  { retryAfterMs = 0, random }: { retryAfterMs?: number | undefined; random: number },
): number | undefined {
  const gapMs = gapsMs[tries - 1];
  if (gapMs === undefined) return undefined;
  const jittered = tries === 1 ? gapMs : gapMs * (1 + jitter * random);
  return Math.max(jittered, Math.min(retryAfterMs, longestGapMs));
}

/**
 * The attempts that a pending delivery has ahead, where each of them fails: the next one, and the others by the gaps in the middle of
 * what jitter makes of them. A receiver may ask for longer gaps.
 * @param tries failed tries so far.
 */
export function attemptsAhead(gapsMs: readonly number[], { nextAt, tries }: { nextAt: Date; tries: number }): Date[] {
  const ahead = [nextAt];
  for (let failed = tries + 1; ; failed += 1) {
    const gapMs = retryGapMs(gapsMs, failed, { random: 0.5 });
    if (gapMs === undefined) return ahead;
    ahead.push(new Date(ahead.at(-1)!.getTime() + gapMs));
  }
}

/**
 * Reads a Retry-After header, seconds or an HTTP date (RFC 9110, 10.2.3). @returns milliseconds from `nowMs` on, at least 0;
 * undefined where it is neither.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER);
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
