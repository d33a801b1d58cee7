// Long: one state machine. Each event of a pump changes the same state, so no part stands alone.

import { afterStart, createPace, nextStartMs, type Pace } from './pace.ts';
import { disabledFrom, failingFrom, type StoredStanding } from './standing.ts';

/** The most requests that a webhook has under way at a time (6.6). */
export const maxInFlight = 10;

/** Bounds of one pump. Times are in milliseconds. */
export interface PumpLimits {
  /** How long the pump claims and sends further deliveries. */
  pumpForMs: number;
  /** How long the pump waits for more deliveries after its last attempt. */
  lingerMs: number;
  /** How many deliveries the pump holds at most while the webhook answers. */
  chunk: number;
  /** How often the pump reads the webhook's row, which shows other processes that it is at work. */
  lookEveryMs: number;
}

/** A webhook as a statement returns it to its pump. */
export interface PumpStanding extends StoredStanding {
  /** Until the next probe of a failing webhook; null while it does not fail. */
  probeInMs: number | null;
  /** Whether the pump may go on sending. */
  isOn: boolean;
  /** The most requests that may begin in a second; null: no limit. */
  maxPerSecond: number | null;
}

/** What a pump reacts to. Every statement and every attempt that an effect begins ends with one event. */
export type PumpEvent =
  /** `wakeAtMs` is reached; also the first event of a pump. */
  | { type: 'clock' }
  /** The webhook may have more deliveries that are due. */
  | { type: 'notified' }
  /** The process stops: attempts under way may end, nothing new begins. */
  | { type: 'draining' }
  /**
   * A claim ended. `superseded`: the webhook is gone or belongs to another pump. `failed`: the statement failed.
   */
  | { type: 'claimed'; result: { deliveries: number; standing: PumpStanding } | 'superseded' | 'failed' }
  /** An attempt ended. `gone`: the receiver answered 410. `abandoned`: the process stopped it, so it counts for nothing. */
  | { type: 'attempted'; result: 'delivered' | 'failed' | 'gone' | 'abandoned'; retryInMs?: number | undefined }
  /** A batch of attempts was recorded. `beginsToFail`: its failures made a failing webhook of one that was not. */
  | { type: 'recorded'; result: { standing: PumpStanding; beginsToFail: boolean } | 'superseded' | 'failed' };

/** What a pump has to do next. */
export type PumpEffect =
  /** Claim `limit` deliveries; 0 only reads the webhook. Never begun before the last claim has ended. */
  | { type: 'claim'; limit: number }
  /** Attempt the first `count` of the deliveries at hand. */
  | { type: 'send'; count: number }
  /** Record every attempt that ended since the last record. Never begun before the last record has ended. */
  | { type: 'record' }
  /** The pump is over: nothing is under way, and every attempt is recorded unless a record failed. */
  | { type: 'end' };

/** A pump between two events. Moments share one monotonic clock, in milliseconds. */
export interface PumpState {
  readonly limits: PumpLimits;
  readonly phase: 'running' | 'closing' | 'ended';
  /** Nothing new may begin, for any reason. Never becomes false again. */
  readonly isStopping: boolean;
  /** When the pump stops claiming and sending. */
  readonly endAtMs: number;
  /** When the pump wants the next `clock` event; Infinity: it waits for other events only. */
  readonly wakeAtMs: number;

  /** Claimed deliveries that wait to be sent. */
  readonly atHand: number;
  readonly inFlight: number;
  /** The claim under way. `overlapsRecord`: a record was under way at the same time. */
  readonly claim: { readonly limit: number; readonly begunAtMs: number; readonly overlapsRecord: boolean } | null;
  readonly hasClaimed: boolean;
  /** The last claim may have left due deliveries behind. */
  readonly mayHaveMore: boolean;
  /** A notification came since the last claim began. */
  readonly isNotified: boolean;
  /** A claim was made since the present probe fell due: the first delivery at hand is the one to probe with. */
  readonly isReadyToProbe: boolean;

  /** What the database holds of the webhook, as far as this pump knows: another process may have changed it since. */
  readonly stored: StoredStanding;
  /** Consecutive failures, unrecorded attempts included. */
  readonly failures: number;
  /** When the next probe may go out; null: the webhook does not fail, or the moment is not known yet. */
  readonly probeAtMs: number | null;
  /** When the database last described the webhook, and when it was asked to. */
  readonly readAtMs: number;
  readonly askedAtMs: number;

  /** Attempts that no record has taken yet, how many of them failed at the end, and whether one succeeded. */
  readonly unrecorded: number;
  readonly unrecordedRun: number;
  readonly hasUnrecordedSuccess: boolean;
  /** When unrecorded attempts are recorded, however few they are. */
  readonly recordAtMs: number | null;
  /** When the record under way began; null: none is. */
  readonly recordBegunAtMs: number | null;
  readonly canRecord: boolean;

  readonly pace: Pace;
  /** When the pace lets the next delivery at hand go; null: it waits for something else, or there is none. */
  readonly startAgainAtMs: number | null;

  /** Until when an idle pump waits for more. */
  readonly lingerUntilMs: number;
  /** When an idle pump claims again by itself. */
  readonly claimAgainAtMs: number | null;
  /** When the pump next reads the webhook's row by itself. */
  readonly lookAtMs: number;
  /** When retries of this pump's attempts fall due, latest attempt first. */
  readonly retries: Retry | null;
}

/** A linked list: an attempt adds to it without a copy. */
interface Retry {
  readonly atMs: number;
  readonly earlier: Retry | null;
}

/**
 * A pump begins no request on a description of the webhook that took longer than this to read, in milliseconds: its process was
 * stopped meanwhile, and another pump may have taken over.
 */
const longestLookMs = 5_000;

// Choices. A change of the webhook takes effect within a quarter of a second, however slow its answers are.
const staleMs = 250;
// A process that adds deliveries also notifies the pump: this is the net below that.
const claimAgainMs = 1_000;
// Pumps record at the same moments of their common clock, so that their process writes the records of many in one statement (bench
// row W1). Longer than this, and a pump would have to read its webhook beside its records (`staleMs`).
const recordEveryMs = 200;
const recordAtCount = 200;

/**
 * A pump that has not done anything yet. Its first event is `clock`.
 * @param idleMs since the pump before last read or recorded; Infinity: there was none.
 */
export function createPumpState(limits: PumpLimits, nowMs: number, idleMs: number): PumpState {
  return {
    limits,
    phase: 'running',
    isStopping: false,
    endAtMs: nowMs + limits.pumpForMs,
    wakeAtMs: nowMs,
    atHand: 0,
    inFlight: 0,
    claim: null,
    hasClaimed: false,
    mayHaveMore: true,
    isNotified: false,
    isReadyToProbe: false,
    stored: { isActive: true, failures: 0 },
    failures: 0,
    probeAtMs: null,
    readAtMs: nowMs,
    askedAtMs: nowMs,
    unrecorded: 0,
    unrecordedRun: 0,
    hasUnrecordedSuccess: false,
    recordAtMs: null,
    recordBegunAtMs: null,
    canRecord: true,
    pace: createPace(nowMs, idleMs),
    startAgainAtMs: null,
    lingerUntilMs: nowMs,
    claimAgainAtMs: null,
    lookAtMs: nowMs + limits.lookEveryMs,
    retries: null,
  };
}

/**
 * One step of a pump: its state after an event, and the effects to perform. While the webhook answers, at most ten attempts are
 * under way. With n consecutive failures at most 10 - n are, so that the tenth failure finds none; from then on one attempt at a
 * time goes out, as a probe, when its time has come (6.5).
 * @param nowMs the present moment; never less than at the event before.
 */
export function reducePump(
  before: PumpState,
  event: PumpEvent,
  nowMs: number,
): { state: PumpState; effects: PumpEffect[] } {
  const state: Draft = { ...before };
  const effects: PumpEffect[] = [];
  applyEvent(state, event, nowMs, effects);
  if (state.phase === 'running') {
    beginAttempts(state, nowMs, effects);
    beginClaim(state, nowMs, effects);
  }
  settle(state, nowMs, effects);
  state.wakeAtMs = wakeAt(state);
  return { state, effects };
}

type Draft = { -readonly [Field in keyof PumpState]: PumpState[Field] };

function applyEvent(state: Draft, event: PumpEvent, nowMs: number, effects: PumpEffect[]): void {
  switch (event.type) {
    case 'clock':
      if (nowMs >= state.lookAtMs && state.phase === 'running') {
        state.lookAtMs = nowMs + state.limits.lookEveryMs;
        look(state, nowMs, effects);
      }
      if (state.claimAgainAtMs !== null && nowMs >= state.claimAgainAtMs) claimAgain(state);
      return;
    case 'notified':
      state.isNotified = true;
      if (state.claim === null) claimAgain(state);
      return;
    case 'draining':
      state.isStopping = true;
      return;
    case 'claimed':
      return applyClaim(state, event.result, nowMs);
    case 'attempted':
      return applyAttempt(state, event, nowMs);
    case 'recorded':
      return applyRecord(state, event.result, nowMs);
  }
}

function applyClaim(state: Draft, result: (PumpEvent & { type: 'claimed' })['result'], nowMs: number): void {
  const { limit, begunAtMs, overlapsRecord } = state.claim!;
  state.claim = null;
  if (typeof result === 'string') state.isStopping = true;
  else {
    const { deliveries, standing } = result;
    // A record that overlapped may be part of what was read, or not: the count kept here is exact.
    if (!overlapsRecord) adoptFailures(state, standing, nowMs);
    adoptState(state, standing, begunAtMs, nowMs);
    state.hasClaimed = true;
    state.atHand += deliveries;
    if (limit > 0) {
      state.mayHaveMore = deliveries === limit;
      if (isFailing(state) && isProbeDue(state, nowMs)) state.isReadyToProbe = true;
    }
  }
  if (state.isNotified) claimAgain(state);
}

function applyAttempt(
  state: Draft,
  { result, retryInMs }: { result: 'delivered' | 'failed' | 'gone' | 'abandoned'; retryInMs?: number | undefined },
  nowMs: number,
): void {
  state.inFlight -= 1;
  state.lingerUntilMs = nowMs + state.limits.lingerMs;
  if (result === 'abandoned') return;
  const isDelivered = result === 'delivered';
  state.failures = isDelivered ? 0 : state.failures + 1;
  // The record tells when the next probe is due.
  state.probeAtMs = null;
  state.unrecorded += 1;
  state.unrecordedRun = isDelivered ? 0 : state.unrecordedRun + 1;
  state.hasUnrecordedSuccess ||= isDelivered;
  state.recordAtMs ??= (Math.floor(nowMs / recordEveryMs) + 1) * recordEveryMs;
  if (result === 'gone') state.isStopping = true;
  if (retryInMs !== undefined) state.retries = { atMs: nowMs + retryInMs, earlier: state.retries };
}

function applyRecord(state: Draft, result: (PumpEvent & { type: 'recorded' })['result'], nowMs: number): void {
  const begunAtMs = state.recordBegunAtMs!;
  state.recordBegunAtMs = null;
  if (typeof result === 'string') {
    state.isStopping = true;
    if (result === 'failed') state.canRecord = false;
    return;
  }
  adoptFailures(state, result.standing, nowMs);
  adoptState(state, result.standing, begunAtMs, nowMs);
  // The pump ends, so that the workflow has the owner notified, however soon the next probe is due.
  if (result.beginsToFail) state.endAtMs = nowMs;
}

function adoptFailures(state: Draft, { isActive, failures, probeInMs }: PumpStanding, nowMs: number): void {
  state.stored = { isActive, failures };
  const { unrecorded, unrecordedRun, hasUnrecordedSuccess } = state;
  state.failures = hasUnrecordedSuccess ? unrecordedRun : failures + unrecordedRun;
  // The database does not know of unrecorded attempts yet.
  state.probeAtMs = probeInMs !== null && unrecorded === 0 ? nowMs + probeInMs : null;
}

function adoptState(state: Draft, { isOn, maxPerSecond }: PumpStanding, askedAtMs: number, nowMs: number): void {
  if (!isOn) state.isStopping = true;
  if (maxPerSecond !== state.pace.maxPerSecond) state.pace = { ...state.pace, maxPerSecond };
  state.readAtMs = nowMs;
  state.askedAtMs = askedAtMs;
}

function claimAgain(state: Draft): void {
  state.claimAgainAtMs = null;
  state.mayHaveMore = true;
}

function beginAttempts(state: Draft, nowMs: number, effects: PumpEffect[]): void {
  const { inFlight } = state;
  state.startAgainAtMs = null;
  while (state.atHand > 0 && mayBegin(state, nowMs) && hasRoom(state, nowMs)) {
    const startMs = nextStartMs(state.pace);
    if (startMs > nowMs) {
      state.startAgainAtMs = startMs;
      break;
    }
    // Slow requests bring no records, and a record is what tells of changes.
    if (isStale(state, nowMs)) {
      look(state, nowMs, effects);
      break;
    }
    state.atHand -= 1;
    state.inFlight += 1;
    state.pace = afterStart(state.pace, nowMs);
    state.isReadyToProbe = false;
  }
  const count = state.inFlight - inFlight;
  if (count > 0) effects.push({ type: 'send', count });
}

function beginClaim(state: Draft, nowMs: number, effects: PumpEffect[]): void {
  if (state.claim !== null || !mayBegin(state, nowMs)) return;
  const limit = wanted(state, nowMs);
  if (limit > 0 || state.isNotified) claim(state, limit, nowMs, effects);
}

function look(state: Draft, nowMs: number, effects: PumpEffect[]): void {
  if (state.claim === null) claim(state, 0, nowMs, effects);
}

function claim(state: Draft, limit: number, begunAtMs: number, effects: PumpEffect[]): void {
  state.claim = { limit, begunAtMs, overlapsRecord: state.recordBegunAtMs !== null };
  state.isNotified = false;
  effects.push({ type: 'claim', limit });
}

/** Begins a record that is due; lets an idle pump linger, close and end. */
function settle(state: Draft, nowMs: number, effects: PumpEffect[]): void {
  if (state.phase === 'running' && state.claim === null && state.inFlight === 0) {
    if (mayBegin(state, nowMs) && nowMs < state.lingerUntilMs) state.claimAgainAtMs ??= claimAgainAt(state, nowMs);
    else if (state.startAgainAtMs === null) state.phase = 'closing';
  }
  if (state.recordBegunAtMs !== null) return;
  if (state.unrecorded > 0 && state.canRecord) {
    if (isRecordDue(state, nowMs)) record(state, nowMs, effects);
  } else if (state.phase === 'closing') {
    state.phase = 'ended';
    effects.push({ type: 'end' });
  }
}

function isRecordDue({ phase, unrecorded, failures, recordAtMs }: Draft, nowMs: number): boolean {
  // A failing webhook's next probe is known once this one is recorded.
  return phase === 'closing' || unrecorded >= recordAtCount || failures >= failingFrom || nowMs >= recordAtMs!;
}

function record(state: Draft, nowMs: number, effects: PumpEffect[]): void {
  state.recordBegunAtMs = nowMs;
  state.recordAtMs = null;
  state.unrecorded = 0;
  state.unrecordedRun = 0;
  state.hasUnrecordedSuccess = false;
  if (state.claim !== null) state.claim = { ...state.claim, overlapsRecord: true };
  effects.push({ type: 'record' });
}

function claimAgainAt({ lingerUntilMs, probeAtMs, retries }: Draft, nowMs: number): number {
  let atMs = Math.min(nowMs + claimAgainMs, lingerUntilMs);
  if (probeAtMs !== null && probeAtMs > nowMs) atMs = Math.min(atMs, probeAtMs);
  for (let retry = retries; retry !== null; retry = retry.earlier) {
    if (retry.atMs > nowMs) atMs = Math.min(atMs, retry.atMs);
  }
  return atMs;
}

function wakeAt({ phase, recordAtMs, recordBegunAtMs, claimAgainAtMs, lookAtMs, startAgainAtMs }: Draft): number {
  if (phase !== 'running') return Infinity;
  const recordInTimeMs = recordBegunAtMs === null ? recordAtMs : null;
  return Math.min(lookAtMs, recordInTimeMs ?? Infinity, claimAgainAtMs ?? Infinity, startAgainAtMs ?? Infinity);
}

function mayBegin({ phase, isStopping, failures, endAtMs }: Draft, nowMs: number): boolean {
  return phase === 'running' && !isStopping && failures < disabledFrom && nowMs < endAtMs;
}

function hasRoom(state: Draft, nowMs: number): boolean {
  if (isFailing(state)) return state.isReadyToProbe && isProbeDue(state, nowMs);
  return state.inFlight < maxInFlight && state.failures + state.inFlight < failingFrom;
}

function isFailing({ failures }: Draft): boolean {
  return failures >= failingFrom;
}

function isProbeDue({ inFlight, probeAtMs }: Draft, nowMs: number): boolean {
  return inFlight === 0 && probeAtMs !== null && probeAtMs <= nowMs;
}

function isStale({ readAtMs, askedAtMs }: Draft, nowMs: number): boolean {
  return nowMs - readAtMs > staleMs || nowMs - askedAtMs > longestLookMs;
}

/** How many deliveries to claim: none while half of what the pump wants is still at hand. */
function wanted(state: Draft, nowMs: number): number {
  const { mayHaveMore, atHand, isReadyToProbe } = state;
  if (!mayHaveMore) return 0;
  if (isFailing(state)) return isProbeDue(state, nowMs) && !isReadyToProbe ? 1 : 0;
  const most = wantedAtHand(state);
  return atHand <= most / 2 ? most - atHand : 0;
}

function wantedAtHand({ hasClaimed, failures, limits }: Draft): number {
  // The first claim tells how the webhook stands: enough for a probe, or for the first requests.
  if (!hasClaimed) return maxInFlight;
  return failures === 0 ? limits.chunk : failingFrom - failures;
}
