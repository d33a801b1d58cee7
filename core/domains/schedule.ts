import type { DnsReport } from './dns.ts';

/** When the schedule checks a domain (7.3); milliseconds. */
export interface DomainSchedule {
  /** Gaps after the first checks of a domain that is not verified yet. */
  firstGapsMs: readonly number[];
  /** The gap after later ones, while the domain is younger than `youngForMs`. */
  youngGapMs: number;
  youngForMs: number;
  /** The gap of domains that are verified, or no longer young. */
  settledGapMs: number;
}

/** What checks have found about a domain. */
interface Verification {
  isVerified: boolean;
  /** Checks in a row that found it wrong. */
  failedChecks: number;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export const domainSchedule: DomainSchedule = {
  firstGapsMs: [30 * secondMs, minuteMs, 5 * minuteMs, 15 * minuteMs],
  youngGapMs: hourMs,
  youngForMs: 72 * hourMs,
  settledGapMs: dayMs,
};

/** Failed scheduled checks in a row that take a domain's verification away (7.3). */
export const lostAfterChecks = 3;

// Domains that were checked together drift apart by up to 5 % of the gap.
const spread = 0.05;

/**
 * The time from a check to the next, in milliseconds. It follows from the domain's age: requested and missed checks leave the
 * schedule as it is.
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
 * Decides what a check does to a domain: right verifies it; wrong takes the verification away, at once when a caller requested
 * the check, otherwise after three in a row; unknown neither counts nor resets the count.
 */
export function verificationAfter(
  { isVerified, failedChecks }: Verification,
  outcome: DnsReport['outcome'],
  { isAsked }: { isAsked: boolean },
): Verification {
  if (outcome === 'unknown') return { isVerified, failedChecks };
  if (outcome === 'right') return { isVerified: true, failedChecks: 0 };
  const failed = failedChecks + 1;
  return { isVerified: isVerified && !isAsked && failed < lostAfterChecks, failedChecks: failed };
}
