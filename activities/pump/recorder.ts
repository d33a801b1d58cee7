import type { Sql } from '../../db/database.ts';
import {
  type DeliveryOutcome,
  type OutcomeCounts,
  recordOutcomes,
  type Standing as Told,
} from '../../db/deliveries.ts';

/** An outcome, and what it says of the webhook. */
export interface Recorded extends Omit<DeliveryOutcome, 'retryInMs'> {
  /** Until the next try, in milliseconds from `endedAtMs` on; undefined: there is none. */
  gapMs: number | undefined;
  /** By `performance.now()`. */
  endedAtMs: number;
  isGone: boolean;
  isProbe: boolean;
}

/** How the webhook stands, by the database and by what is not recorded yet. */
export interface Standing {
  failures: number;
  /** When the next first attempt of a failing webhook may go out, by `performance.now()`; null while it does not fail. */
  probeAtMs: number | null;
  isOn: boolean;
  /** When the database told of it last, by `performance.now()`. */
  toldAtMs: number;
}

/** Writes outcomes down, many at a time, and keeps count meanwhile. */
export interface Recorder {
  readonly standing: Standing;
  /** Names a moment, as `learn` wants it. */
  moment(): number;
  /** Takes over what a claim has told that began at `moment`. */
  learn(told: Told, moment: number): void;
  add(outcome: Recorded): void;
  /** Writes down all that is there. @throws the error of a statement that failed. */
  finish(): Promise<void>;
}

/** Settings of `createRecorder`. `onChange` is called when the standing may have changed. */
export interface RecorderOptions {
  sql: Sql;
  webhookId: string;
  claim: string;
  gapsMs: readonly number[];
  onChange: () => void;
}

const flushEveryMs = 100;
const flushAt = 200;

/** Makes a recorder: a batch is written every tenth of a second, or when it is large; one at a time, in order. */
export function createRecorder({ sql, webhookId, claim, gapsMs, onChange }: RecorderOptions): Recorder {
  const standing: Standing = { failures: 0, probeAtMs: null, isOn: true, toldAtMs: 0 };
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
      const recorded = await recordOutcomes(sql, { webhookId, claim, gapsMs }, rows, countOutcomes(writing));
      writing = [];
      writes += 1;
      // Another pump has taken over, or the webhook is gone: whatever is left is not ours.
      if (recorded === undefined) standing.isOn = false;
      else adopt(recorded);
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

  function adopt({ failures, probeInMs, isOn }: Told): void {
    const { trailing, hasSuccess } = countOutcomes(waiting);
    standing.failures = hasSuccess ? trailing : failures + trailing;
    // The database does not know yet of a probe that has just failed.
    const isKnown = probeInMs !== null && !waiting.some(({ isProbe }) => isProbe);
    standing.probeAtMs = isKnown ? performance.now() + probeInMs : null;
    note(isOn);
  }

  function note(isOn: boolean): void {
    standing.isOn &&= isOn;
    standing.toldAtMs = performance.now();
  }

  return {
    standing,
    moment: () => writes,
    learn(told, moment) {
      // What was written meanwhile may be part of what was told, or not: what is counted here is exact.
      if (moment === writes && writing.length === 0) adopt(told);
      else note(told.isOn);
    },
    add(outcome) {
      waiting.push(outcome);
      standing.failures = outcome.isDelivered ? 0 : standing.failures + 1;
      if (outcome.isDelivered) standing.probeAtMs = null;
      if (outcome.isGone) standing.isOn = false;
      if (waiting.length >= flushAt) void flush();
      else timer ??= setTimeout(() => void flush(), flushEveryMs);
    },
    async finish() {
      await flush();
      if (failure !== undefined) throw failure;
    },
  };
}

/** Counts runs of failures as a webhook's counter needs them (6.5). */
export function countOutcomes(outcomes: readonly Recorded[]): OutcomeCounts {
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
    failedProbes: outcomes.filter(({ isProbe, isDelivered }) => isProbe && !isDelivered).length,
    lastFailureAt: outcomes.findLast(({ isDelivered }) => !isDelivered)?.at ?? null,
  };
}
