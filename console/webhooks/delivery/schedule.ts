import { defaultRetryGapsMs, retryGapMs } from '#core/webhooks/retries.ts';
import type { DeliveryDetail } from '#console/api/webhooks.ts';

/** An attempt that has not begun. */
interface LaterAttempt {
  number: number;
  atMs: number;
  /** Whether the time is planned; otherwise the usual gaps lead to it, where the attempts before fail. */
  isPlanned: boolean;
}

// Clocks of the worker and the database differ a little, and a request begins a moment after it is due.
const slackMs = 2_000;

/**
 * The attempts that a pending delivery has ahead, where each of them fails. Those after the next one are only known where the gap before
 * the next one is one of the usual schedule: the operator may have set another one, and a receiver may ask for a longer gap.
 */
export function laterAttempts({
  status,
  attempts,
  nextAttemptAt,
}: Pick<DeliveryDetail, 'status' | 'attempts' | 'nextAttemptAt'>): LaterAttempt[] {
  if (status !== 'pending' || nextAttemptAt === null) return [];
  const nextMs = Date.parse(nextAttemptAt);
  const later: LaterAttempt[] = [{ number: attempts.length + 1, atMs: nextMs, isPlanned: true }];
  const tries = triesOf(attempts.at(-1), nextMs);
  if (tries === undefined) return later;
  let atMs = nextMs;
  for (let failed = tries + 1; ; failed += 1) {
    const gapMs = retryGapMs(defaultRetryGapsMs, failed, { random: 0.5 });
    if (gapMs === undefined) return later;
    atMs += gapMs;
    later.push({ number: attempts.length + 1 + failed - tries, atMs, isPlanned: false });
  }
}

/** Failed tries of the present series, told by the gap after the last one; undefined: the gap is none of the usual ones. */
function triesOf(last: DeliveryDetail['attempts'][number] | undefined, nextMs: number): number | undefined {
  if (last === undefined) return 0;
  const gapMs = nextMs - (Date.parse(last.at) + last.durationMs);
  for (let tries = 1; ; tries += 1) {
    const shortestMs = retryGapMs(defaultRetryGapsMs, tries, { random: 0 });
    const longestMs = retryGapMs(defaultRetryGapsMs, tries, { random: 1 });
    if (shortestMs === undefined || longestMs === undefined) return undefined;
    if (gapMs >= shortestMs - slackMs && gapMs <= longestMs + slackMs) return tries;
  }
}
