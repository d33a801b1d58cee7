import { describe, expect, test } from 'vitest';
import { addSample, estimate, type Sample } from '#console/imports/result/rate.ts';

const samplesOf = (...pairs: readonly [seconds: number, done: number][]): readonly Sample[] =>
  pairs.reduce<readonly Sample[]>(
    (samples, [seconds, done]) => addSample(samples, { atMs: seconds * 1_000, done }),
    [],
  );

describe('estimate', () => {
  test('one sample, or no progress, tells nothing', () => {
    expect(estimate(samplesOf([0, 0]), 100)).toBeUndefined();
    expect(estimate(samplesOf([0, 5], [2, 5]), 100)).toBeUndefined();
  });

  test('rate and time left are those of the last half minute', () => {
    expect(estimate(samplesOf([0, 0], [2, 200], [4, 400]), 1_000)).toEqual({ perSecond: 100, secondsLeft: 6 });
    const slower = samplesOf([0, 0], [10, 10_000], [20, 10_100], [30, 10_200], [40, 10_300], [50, 10_400]);
    expect(estimate(slower, 10_500)).toEqual({ perSecond: 10, secondsLeft: 10 });
  });

  test('an undo that begins once more is measured anew', () => {
    expect(samplesOf([0, 50], [2, 90], [4, 10])).toEqual([{ atMs: 4_000, done: 10 }]);
  });
});
