import type { Sql } from '#db/connection/database.ts';
import { failingFrom, type WebhookChange, webhookChanges } from '#core/webhooks/schedule.ts';
import {
  type DeliveryOutcome,
  type LastFailure,
  type OutcomeCounts,
  recordOutcomes,
  type Standing as Told,
} from '#db/webhooks/deliveries.ts';

/** An outcome, and what it says of the webhook. */
export interface Recorded extends Omit<DeliveryOutcome, 'retryInMs'> {
  /** Until the next try, in milliseconds from `endedAtMs` on; undefined: there is none. */
  gapMs: number | undefined;
  /** By `performance.now()`. */
  endedAtMs: number;
  isGone: boolean;
}

/** How the webhook stands, by the database and by what is not recorded yet. */
export interface Standing {
  failures: number;
  /** When the next probe of a failing webhook may go out, by `performance.now()`; null: it does not fail, or not known yet. */
  probeAtMs: number | null;
  isOn: boolean;
  /** When the database told of it last, by `performance.now()`. */
  toldAtMs: number;
  /** When it was asked for that. */
  askedAtMs: number;
}

/** A change of the webhook that this pump has caused. */
export interface NotedChange {
  change: WebhookChange;
  organizationId: string;
  failures: number;
  /** What the last failed attempt of the batch was answered: a status, or why there was none. */
  code: number | null;
  error: string | null;
}

/** Writes outcomes down, many at a time, and keeps count meanwhile. */
export interface Recorder {
  readonly standing: Standing;
  /** Names the present moment, as `learn` wants it. */
  moment(): Moment;
  /** Takes over what a claim has told that began at `moment`. */
  learn(told: Told, moment: Moment): void;
  add(outcome: Recorded): void;
  /** Writes down all that is there. @throws the error of a statement that failed. */
  finish(): Promise<void>;
}

/** A moment of a recorder. */
export interface Moment {
  writes: number;
  atMs: number;
}

/** Settings of `createRecorder`. `onChange` is called when the standing may have changed. */
export interface RecorderOptions {
  sql: Sql;
  webhookId: string;
  claim: string;
  probeDelaysMs: readonly number[];
  onChange: () => void;
  /** Hears of each change that was recorded, once in the installation. */
  onNoted?: (noted: NotedChange) => void;
}

const flushEveryMs = 100;
const flushAt = 200;

/** Makes a recorder: a batch is written every tenth of a second, or when it is large; one at a time, in order. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { sql, webhookId, claim, probeDelaysMs, onChange, onNoted } = options;
  const standing: Standing = { failures: 0, probeAtMs: null, isOn: true, toldAtMs: 0, askedAtMs: 0 };
  let waiting: Recorded[] = [];
  let writing: Recorded[] = [];
  let tail = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let failure: Error | undefined;
  // Grows when a statement begins, and when it ends.
  let writes = 0;

  async function write(): Promise<void> {
    if (failure !== undefined || waiting.length === 0) return;
    writes += 1;
    writing = waiting;
    waiting = [];
    try {
      const nowMs = performance.now();
      const rows = writing.map(({ gapMs, endedAtMs, ...row }) => ({
        ...row,
        retryInMs: gapMs === undefined ? null : Math.max(0, endedAtMs + gapMs - nowMs),
      }));
      const counts = countOutcomes(writing, nowMs);
      const recorded = await recordOutcomes(sql, { webhookId, claim, probeDelaysMs }, rows, counts);
      writing = [];
      writes += 1;
      // Another pump has taken over, or the webhook is gone: whatever is left is not ours.
      if (recorded === undefined) standing.isOn = false;
      else {
        adopt(recorded, nowMs);
        const { organizationId, failures, failuresBefore, ends } = recorded;
        const { code = null, error = null } = counts.lastFailure ?? {};
        const { hasSuccess } = counts;
        for (const change of webhookChanges(failuresBefore, { after: failures, hasSuccess, ends })) {
          onNoted?.({ change, organizationId, failures, code, error });
        }
      }
    } catch (error) {
      failure = error as Error;
      standing.isOn = false;
    }
    onChange();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    tail = tail.then(write);
    return tail;
  }

  function adopt({ failures, probeInMs, isOn }: Told, askedAtMs: number): void {
    const nowMs = performance.now();
    const { trailing, hasSuccess } = countOutcomes(waiting, nowMs);
    standing.failures = hasSuccess ? trailing : failures + trailing;
    // The database does not know yet of what waits to be written.
    const isKnown = probeInMs !== null && waiting.length === 0;
    standing.probeAtMs = isKnown ? nowMs + probeInMs : null;
    note(isOn, askedAtMs);
  }

  function note(isOn: boolean, askedAtMs: number): void {
    standing.isOn &&= isOn;
    standing.toldAtMs = performance.now();
    standing.askedAtMs = askedAtMs;
  }

  return {
    standing,
    moment: () => ({ writes, atMs: performance.now() }),
    learn(told, moment) {
      // What was written meanwhile may be part of what was told, or not: what is counted here is exact.
      if (moment.writes === writes && writing.length === 0) adopt(told, moment.atMs);
      else note(told.isOn, moment.atMs);
    },
    add(outcome) {
      waiting.push(outcome);
      standing.failures = outcome.isDelivered ? 0 : standing.failures + 1;
      standing.probeAtMs = null;
      if (outcome.isGone) standing.isOn = false;
      // The next probe is known when this one has been recorded.
      if (waiting.length >= flushAt || standing.failures >= failingFrom) void flush();
      else timer ??= setTimeout(() => void flush(), flushEveryMs);
    },
    async finish() {
      await flush();
      if (failure !== undefined) throw failure;
    },
  };
}

/**
 * Counts runs of failures as a webhook's counter needs them (6.5).
 * @param nowMs the present, by `performance.now()`.
 */
export function countOutcomes(outcomes: readonly Recorded[], nowMs: number): OutcomeCounts {
  const firstSuccess = outcomes.findIndex(({ isDelivered }) => isDelivered);
  let run = 0;
  let longest = 0;
  for (const [index, { isDelivered }] of outcomes.entries()) {
    run = isDelivered ? 0 : run + 1;
    if (firstSuccess !== -1 && index > firstSuccess) longest = Math.max(longest, run);
  }
  return {
    leading: firstSuccess === -1 ? outcomes.length : firstSuccess,
    longest,
    trailing: run,
    hasSuccess: firstSuccess !== -1,
    isGone: outcomes.some(({ isGone }) => isGone),
    lastFailure: lastFailureOf(outcomes, nowMs),
  };
}

function lastFailureOf(outcomes: readonly Recorded[], nowMs: number): LastFailure | null {
  const last = outcomes.findLast(({ isDelivered }) => !isDelivered);
  if (last === undefined) return null;
  const { at, code, error, body, endedAtMs } = last;
  return { at, agoMs: Math.max(0, nowMs - endedAtMs), code, error, body };
}
