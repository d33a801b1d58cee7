import type { AttemptResult } from '#core/webhooks/standing.ts';

/** Attempts as a text of their results in order: S(uccess), F(ailure), G(one, a 410). */
export type Results = string;

/** What attempts make of a webhook, read off the text of their results instead of counted. */
export function modelStanding(before: { isActive: boolean; failures: number }, results: Results) {
  const all = 'F'.repeat(before.failures) + results;
  const runs = all.split('S').map((run) => run.length);
  const failures = runs.at(-1)!;
  const isGone = before.isActive && results.includes('G');
  const isOver = before.isActive && !isGone && Math.max(...runs) >= 18;
  return {
    isActive: before.isActive && !isGone && !isOver,
    failures: before.isActive ? (isOver ? 18 : failures) : before.failures,
    disabledReason: isGone ? 'gone' : isOver ? 'consecutive_failures' : null,
    isFailing: failures >= 10,
    hasRecovered: before.failures >= 10 && results.includes('S'),
  };
}

/** Attempts with these results; each would be tried again in a minute. */
export function attemptsOf(results: Results): AttemptResult[] {
  return Array.from(results, (result, index) => ({
    isDelivered: result === 'S',
    isGone: result === 'G',
    at: new Date(index),
    endedAgoMs: 0,
    code: result === 'S' ? 200 : result === 'G' ? 410 : 500,
    error: null,
    body: `answer ${index}`,
    retryInMs: result === 'S' ? null : 60_000,
  }));
}
