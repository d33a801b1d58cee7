/** Consecutive failures from which on all deliveries wait for a successful probe. */
export const failingFrom = 10;
/** The most requests that a webhook has open at a time. */
export const maxOpen = 10;
/** Consecutive failures at which a webhook is turned off. */
export const disabledFrom = 18;

/** `gone`: the receiver answered 410; `turned_off`: by a call. */
export const disabledReasons = ['consecutive_failures', 'gone', 'turned_off'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** `held`: the webhook was turned off, and the delivery goes out only when it is asked for again. */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'held'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * Why an attempt got no answer: `refused-address` (not public), `dns` (the name has no address), `connect` (refused, unreachable, reset
 * or closed), `tls`, `timeout`, `protocol` (no valid HTTP), `other`.
 */
export const attemptErrorCodes = ['refused-address', 'dns', 'connect', 'tls', 'timeout', 'protocol', 'other'] as const;
export type AttemptErrorCode = (typeof attemptErrorCodes)[number];

/** What the database holds of a webhook that decides how attempts change it. */
export interface StoredStanding {
  isActive: boolean;
  /** Consecutive failures. */
  failures: number;
}

/** An attempt that ended, as far as it concerns its webhook. */
export interface AttemptResult {
  isDelivered: boolean;
  /** The receiver answered 410. */
  isGone: boolean;
  /** When the attempt began. */
  at: Date;
  /** How long ago it ended, in milliseconds. */
  endedAgoMs: number;
  /** The status of the answer; null: there was none. */
  code: number | null;
  /** Why there was no answer. */
  error: string | null;
  /** The beginning of the answer's body. */
  body: string | null;
  /** Until the delivery's next try, in milliseconds; null: there is none. */
  retryInMs: number | null;
}

/** A change of a webhook, for the log, the metrics and the mails to its owner. */
export type WebhookChange = 'failing' | 'recovered' | 'off';

/** A webhook after a batch of attempts. */
export interface StandingAfter extends StoredStanding {
  /** Why the batch turned the webhook off; null: it did not. */
  disabledReason: Exclude<DisabledReason, 'turned_off'> | null;
  /** Since when the webhook fails: it does not (`never`), since this batch (`now`), or as stored (`unchanged`). */
  failingSince: 'never' | 'now' | 'unchanged';
  /** Until the next probe, in milliseconds; negative: it is due; null: the webhook does not fail. */
  nextProbeInMs: number | null;
  /** The last failed attempt of the batch; null: none failed, and the stored one stays. */
  lastFailure: Pick<AttemptResult, 'at' | 'code' | 'error' | 'body'> | null;
  /** What the batch changed, in the order in which it happened. */
  changes: WebhookChange[];
}

// Enough to recognize an answer in a mail.
const keptBodyCharacters = 300;

/**
 * How a webhook stands after attempts: a success resets the failures, the tenth failure in a row makes the webhook a failing
 * one, the eighteenth or a 410 turns it off.
 * @param attempts in the order in which they ended; at least one.
 * @param probeDelaysMs gaps before the first, second, … probe; the last one repeats.
 */
export function standingAfter(
  before: StoredStanding,
  attempts: readonly AttemptResult[],
  probeDelaysMs: readonly number[],
): StandingAfter {
  let failures = before.failures;
  let mostFailures = 0;
  let hasSuccess = false;
  let isGone = false;
  let last: AttemptResult | undefined;
  for (const attempt of attempts) {
    failures = attempt.isDelivered ? 0 : failures + 1;
    mostFailures = Math.max(mostFailures, failures);
    hasSuccess ||= attempt.isDelivered;
    isGone ||= attempt.isGone;
    if (!attempt.isDelivered) last = attempt;
  }
  const isTurnedOff = before.isActive && (isGone || mostFailures >= disabledFrom);
  const isFailing = failures >= failingFrom;
  const wasFailing = before.failures >= failingFrom;
  const stored = storedFailures(before, failures, { isTurnedOff, isGone });
  return {
    isActive: before.isActive && !isTurnedOff,
    failures: stored,
    disabledReason: isTurnedOff ? (isGone ? 'gone' : 'consecutive_failures') : null,
    failingSince: isFailing ? (wasFailing && !hasSuccess ? 'unchanged' : 'now') : 'never',
    nextProbeInMs: isFailing ? probeDelayMs(probeDelaysMs, failures) - last!.endedAgoMs : null,
    lastFailure: last === undefined ? null : keptOf(last),
    changes: changesOf({ wasFailing, hasSuccess, isFailing: stored >= failingFrom, isTurnedOff }),
  };
}

/**
 * How many requests a webhook may have open after `failures` in a row: few enough that the tenth failure finds none open, and one, a
 * probe, from then on.
 */
export function mostOpen(failures: number): number {
  return Math.max(1, Math.min(maxOpen, failingFrom - failures));
}

/** How a webhook stands after a call turned it on or off. Turned on, it has no failures. */
export function standingSwitched(isActive: boolean, now: Date) {
  if (!isActive) return { isActive, disabledAt: now, disabledReason: 'turned_off' } as const;
  return {
    isActive,
    consecutiveFailures: 0,
    failingSince: null,
    nextProbeAt: null,
    disabledAt: null,
    disabledReason: null,
    toldAt: null,
    warnedAt: null,
  };
}

/**
 * The gap between the last failure of a failing webhook and its next probe, in milliseconds.
 * @param delaysMs the schedule: gaps before the first, second, … probe; the last one repeats.
 * @param failures failures in a row, `failingFrom` or more.
 */
export function probeDelayMs(delaysMs: readonly number[], failures: number): number {
  return delaysMs[Math.min(failures - failingFrom, delaysMs.length - 1)] ?? 0;
}

function storedFailures(
  before: StoredStanding,
  failures: number,
  { isTurnedOff, isGone }: { isTurnedOff: boolean; isGone: boolean },
): number {
  // An attempt that ends after a webhook was turned off does not count: the webhook shows what turned it off.
  if (!before.isActive) return before.failures;
  return isTurnedOff && !isGone ? disabledFrom : failures;
}

function keptOf({ at, code, error, body }: AttemptResult): NonNullable<StandingAfter['lastFailure']> {
  return { at, code, error, body: body?.slice(0, keptBodyCharacters).toWellFormed() ?? null };
}

function changesOf({
  wasFailing,
  hasSuccess,
  isFailing,
  isTurnedOff,
}: Record<'wasFailing' | 'hasSuccess' | 'isFailing' | 'isTurnedOff', boolean>): WebhookChange[] {
  const changes: WebhookChange[] = [];
  if (wasFailing && hasSuccess) changes.push('recovered');
  if (isFailing && (!wasFailing || hasSuccess) && !isTurnedOff) changes.push('failing');
  if (isTurnedOff) changes.push('off');
  return changes;
}

/** What becomes of a delivery after an attempt, its webhook being on or off then. */
export function deliveryStatusAfter(
  { isDelivered, retryInMs }: Pick<AttemptResult, 'isDelivered' | 'retryInMs'>,
  isActive: boolean,
): DeliveryStatus {
  if (isDelivered) return 'delivered';
  // A delivery that has had all its tries has failed, whatever becomes of the webhook.
  if (retryInMs === null) return 'failed';
  return isActive ? 'pending' : 'held';
}
