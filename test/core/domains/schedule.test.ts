import { describe, expect, test } from 'vitest';
import { domainSchedule, nextCheckGapMs, verificationAfter } from '#core/domains/schedule.ts';

const hourMs = 60 * 60 * 1_000;

/** Ages, in seconds, at which a domain that stays unverified is checked. */
function agesOfChecks(count: number, lateMs = 0): number[] {
  const ages: number[] = [];
  let ageMs = 0;
  for (let check = 0; check < count; check += 1) {
    ages.push(ageMs / 1_000);
    ageMs += nextCheckGapMs(domainSchedule, { ageMs, isVerified: false, random: 0 }) + lateMs;
  }
  return ages;
}

describe('the time of the next check', () => {
  test('is after 30 s, 1, 5 and 15 min, then hourly for 72 h, then daily', () => {
    const ages = agesOfChecks(80);
    expect(ages.slice(0, 7)).toEqual([0, 30, 90, 390, 1_290, 4_890, 8_490]);
    const gaps = ages.slice(1).map((age, index) => age - ages[index]!);
    expect(gaps.filter((gap) => gap === 3_600)).toHaveLength(72);
    expect(gaps.slice(-3)).toEqual([86_400, 86_400, 86_400]);
  });

  test('keeps the same gaps where each check is a little late', () => {
    const ages = agesOfChecks(6, 700);
    const gaps = ages.slice(1).map((age, index) => Math.round(age - ages[index]!));
    expect(gaps).toEqual([31, 61, 301, 901, 3_601]);
  });

  test('is a day later once verified, a little less so that domains drift apart', () => {
    const gap = (random: number) => nextCheckGapMs(domainSchedule, { ageMs: 0, isVerified: true, random });
    expect(gap(0)).toBe(24 * hourMs);
    expect(gap(1)).toBeGreaterThan(22 * hourMs);
    expect(gap(1)).toBeLessThan(24 * hourMs);
  });
});

describe('a verified domain', () => {
  const byItself = { isAsked: false };
  const verified = { isVerified: true, failedChecks: 0 };

  test('is lost after three failed checks in a row; one that could not be made neither counts nor zeroes', () => {
    const outcomes = ['wrong', 'unknown', 'wrong', 'unknown', 'wrong'] as const;
    let verification = verified;
    const seen = outcomes.map((outcome) => (verification = verificationAfter(verification, outcome, byItself)));
    expect(seen.map(({ isVerified }) => isVerified)).toEqual([true, true, true, true, false]);
    expect(seen.map(({ failedChecks }) => failedChecks)).toEqual([1, 1, 2, 2, 3]);
  });

  test('begins anew after one that was right', () => {
    const failing = { isVerified: true, failedChecks: 2 };
    expect(verificationAfter(failing, 'right', byItself)).toEqual(verified);
  });

  test('is lost at once by a check that was asked for, but not by one that could not be made', () => {
    expect(verificationAfter(verified, 'wrong', { isAsked: true })).toEqual({ isVerified: false, failedChecks: 1 });
    expect(verificationAfter(verified, 'unknown', { isAsked: true })).toEqual(verified);
  });
});
