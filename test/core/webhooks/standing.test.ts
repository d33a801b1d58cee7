import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  deliveryStatusAfter,
  disabledFrom,
  failingFrom,
  probeDelayMs,
  standingAfter,
  type StoredStanding,
  type WebhookChange,
} from '#core/webhooks/standing.ts';
import { attemptsOf, modelStanding } from './standing-model.ts';

const probeDelaysMs = [1_000, 2_000, 3_000];
const on = (failures: number): StoredStanding => ({ isActive: true, failures });
const after = (before: StoredStanding, results: string) => standingAfter(before, attemptsOf(results), probeDelaysMs);
// An active webhook has never 18 failures: the eighteenth turns it off, and turning it on resets them.
const stored: fc.Arbitrary<StoredStanding> = fc.record({ isActive: fc.boolean(), failures: fc.nat({ max: 17 }) });
const anyResults = fc
  .array(fc.constantFrom('S', 'F', 'F', 'F', 'F', 'G'), { minLength: 1, maxLength: 60 })
  .map((results) => results.join(''));

test('any batch leaves a webhook as its runs of failures say', () => {
  fc.assert(
    fc.property(stored, fc.oneof(anyResults, fc.stringMatching(/^[SF]{1,60}$/)), (before, results) => {
      const standing = after(before, results);
      const { isActive, failures, disabledReason, isFailing, hasRecovered } = modelStanding(before, results);
      expect(standing).toMatchObject({ isActive, failures, disabledReason });
      expect(standing.failingSince === 'never').toBe(!isFailing);
      expect(standing.nextProbeInMs === null).toBe(!isFailing);
      expect(standing.changes.includes('recovered')).toBe(hasRecovered);
      expect(standing.changes.includes('off')).toBe(disabledReason !== null);
      const lastFailed = Math.max(results.lastIndexOf('F'), results.lastIndexOf('G'));
      expect(standing.lastFailure?.body).toBe(lastFailed === -1 ? undefined : `answer ${lastFailed}`);
    }),
    { numRuns: 2_000 },
  );
});

test('a batch without a 410 leaves an active webhook as its attempts would one by one', () => {
  fc.assert(
    fc.property(fc.nat({ max: 17 }), fc.stringMatching(/^[SF]{1,60}$/), (failures, results) => {
      let one = on(failures);
      for (const result of results) one = after(one, result);
      expect(after(on(failures), results)).toMatchObject({ isActive: one.isActive, failures: one.failures });
    }),
  );
});

describe('failures in a row', () => {
  test('the tenth one starts the time of failing, and sets the first probe one gap after its end', () => {
    const attempts = attemptsOf('FF').map((attempt) => ({ ...attempt, endedAgoMs: 300 }));
    const standing = standingAfter(on(8), attempts, probeDelaysMs);
    expect(standing).toMatchObject({ failures: 10, failingSince: 'now', nextProbeInMs: 700, changes: ['failing'] });
  });

  test('a failed probe keeps the time of failing, and sets the next probe by the count of failures', () => {
    for (let failures = failingFrom; failures < 17; failures += 1) {
      const nextProbeInMs = probeDelayMs(probeDelaysMs, failures + 1);
      expect(after(on(failures), 'F')).toMatchObject({ failingSince: 'unchanged', nextProbeInMs, changes: [] });
    }
  });

  test('a webhook that recovers and fails again within a batch fails since then', () => {
    expect(after(on(12), `S${'F'.repeat(10)}`)).toMatchObject({
      failures: 10,
      failingSince: 'now',
      changes: ['recovered', 'failing'],
    });
  });
});

test('the last failure keeps 300 characters of the answer, and none of them by half', () => {
  const [attempt] = attemptsOf('F');
  const body = `${'a'.repeat(299)}😀`;
  const { lastFailure } = standingAfter(on(0), [{ ...attempt!, body }], probeDelaysMs);
  expect(lastFailure!.body).toBe(`${'a'.repeat(299)}\u{fffd}`);
});

test('changes name what a batch did as if its attempts were recorded one after the other', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 17 }), fc.stringMatching(/^[SF]{1,12}$/), (before, results) => {
      // A pump sends one at a time from the tenth failure on: a batch never fails and recovers within itself.
      fc.pre(results.length <= failingFrom || before >= failingFrom);
      let failures = before;
      let [hasRecovered, isOff] = [false, false];
      for (const result of results) {
        if (result === 'S' && failures >= failingFrom) hasRecovered = true;
        failures = result === 'S' ? 0 : failures + 1;
        isOff ||= failures >= 18;
      }
      const expected: WebhookChange[] = [];
      if (hasRecovered && before >= failingFrom) expected.push('recovered');
      if (failures >= failingFrom && (before < failingFrom || results.includes('S')) && !isOff)
        expected.push('failing');
      if (isOff) expected.push('off');
      expect(after(on(before), results).changes).toEqual(expected);
    }),
  );
});

test.each([
  [{ isDelivered: true, retryInMs: null }, true, 'delivered'],
  [{ isDelivered: true, retryInMs: null }, false, 'delivered'],
  [{ isDelivered: false, retryInMs: 1_000 }, true, 'pending'],
  [{ isDelivered: false, retryInMs: 1_000 }, false, 'held'],
  [{ isDelivered: false, retryInMs: null }, true, 'failed'],
  [{ isDelivered: false, retryInMs: null }, false, 'failed'],
])('a delivery after %j, its webhook being active: %s, is %s', (attempt, isActive, status) => {
  expect(deliveryStatusAfter(attempt, isActive)).toBe(status);
});

describe('probeDelayMs', () => {
  const dayMs = 86_400_000;
  const delaysMs = [12, 60, 300, 900, 1_800, 3_600].map((seconds) => seconds * 1_000);

  test('follows the schedule from the tenth failure on, and repeats its last gap', () => {
    const failures = Array.from({ length: disabledFrom - failingFrom }, (_, index) => failingFrom + index);
    expect(failures.map((count) => probeDelayMs(delaysMs, count))).toEqual([...delaysMs, 3_600_000, 3_600_000]);
  });

  test('never falls while the schedule rises; a dead webhook is off after the sum of its gaps', () => {
    const rising = fc
      .array(fc.integer({ min: 0, max: dayMs }), { minLength: 1, maxLength: 20 })
      .map((gaps) => gaps.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(rising, (gaps) => {
        let sinceMs = 0;
        let lastMs = 0;
        for (let failures = failingFrom; failures < disabledFrom; failures += 1) {
          const delayMs = probeDelayMs(gaps, failures);
          expect(delayMs).toBeGreaterThanOrEqual(lastMs);
          expect(gaps).toContain(delayMs);
          lastMs = delayMs;
          sinceMs += delayMs;
        }
        const probes = disabledFrom - failingFrom;
        const padded = [...gaps, ...Array.from({ length: probes }, () => gaps.at(-1)!)].slice(0, probes);
        expect(sinceMs).toBe(padded.reduce((sum, gapMs) => sum + gapMs, 0));
      }),
    );
  });
});
