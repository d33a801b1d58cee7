import type { DnsReport } from './dns.ts';

/** When a domain is checked by itself (7.3); milliseconds. */
export interface DomainSchedule {
  /** Gaps after the first checks of a domain that is not verified yet. */
  firstGapsMs: readonly number[];
  /** The gap after later ones, while the domain is younger than `youngForMs`. */
  youngGapMs: number;
  youngForMs: number;
  /** The gap of domains that are verified, or no longer young. */
  settledGapMs: number;
}

/** What a check leaves of a domain. */
export interface DomainStanding {
  isVerified: boolean;
  /** Checks in a row that found it wrong. */
  failedChecks: number;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The schedule of the product. */
export const domainSchedule: DomainSchedule = {
  firstGapsMs: [30 * secondMs, minuteMs, 5 * minuteMs, 15 * minuteMs],
  youngGapMs: hourMs,
  youngForMs: 72 * hourMs,
  settledGapMs: dayMs,
};

/** Failed checks in a row, by itself, that take a domain's verification away (7.3). */
export const lostAfterChecks = 3;

// So that domains that were once checked together drift apart.
const spread = 0.05;

/**
 * The time from a check to the next, in milliseconds. It follows from the domain's age, so that checks that were asked for or
 * missed leave the schedule as it is.
 * @param random from 0 to 1.
 */
export function nextCheckGapMs(
  schedule: DomainSchedule,
  { ageMs, isVerified, random }: { ageMs: number; isVerified: boolean; random: number },
): number {
  const { firstGapsMs, youngGapMs, youngForMs, settledGapMs } = schedule;
  if (isVerified || ageMs >= youngForMs) return settledGapMs * (1 - spread * random);
  let untilAgeMs = 0;
  for (const gapMs of firstGapsMs) {
    untilAgeMs += gapMs;
    if (ageMs < untilAgeMs) return gapMs;
  }
  return youngGapMs;
}

/**
 * What a check makes of a domain: right verifies it; wrong takes that away when somebody asked for the check, and else after
 * three times in a row; unknown neither counts nor zeroes.
 */
export function standingAfter(
  { isVerified, failedChecks }: DomainStanding,
  outcome: DnsReport['outcome'],
  { isAsked }: { isAsked: boolean },
): DomainStanding {
  if (outcome === 'unknown') return { isVerified, failedChecks };
  if (outcome === 'right') return { isVerified: true, failedChecks: 0 };
  const failed = failedChecks + 1;
  return { isVerified: isVerified && !isAsked && failed < lostAfterChecks, failedChecks: failed };
}
