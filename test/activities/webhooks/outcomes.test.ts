import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countOutcomes, type EndedAttempt } from '#activities/webhooks/recorder.ts';
import { disabledFrom } from '#core/webhooks/schedule.ts';

const outcome = (isDelivered: boolean): EndedAttempt => ({
  id: '',
  isDelivered,
  isGone: false,
  at: new Date(),
  code: null,
  durationMs: 0,
  body: null,
  error: null,
  gapMs: undefined,
  endedAtMs: 0,
});

test('a batch is counted as if its outcomes were recorded one after the other', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }), fc.nat({ max: 17 }), (results, before) => {
      let failures = before;
      let ends = false;
      for (const isDelivered of results) {
        failures = isDelivered ? 0 : failures + 1;
        ends ||= failures >= disabledFrom;
      }
      const { leading, longest, trailing, hasSuccess } = countOutcomes(results.map(outcome), 0);
      expect(hasSuccess ? trailing : before + leading).toBe(failures);
      expect(before + leading >= disabledFrom || longest >= disabledFrom).toBe(ends);
    }),
  );
});
