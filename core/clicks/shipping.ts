import { isBefore, type JournalOffset } from './journal-offset.ts';

/** A limit of clicks was set at `moment` (ISO 8601): clicks up to `end` were made before it, and are counted first (3.9). */
interface CountRequest {
  readonly moment: string;
  readonly end: JournalOffset;
}

/** What an edge knows of the shipping of its clicks. Times are milliseconds on a clock that never goes back. */
export interface ShippingState {
  readonly phase: 'running' | 'closing' | 'stopped';
  /** The time for closing is up: a broken connection is not replaced. */
  readonly isOverdue: boolean;
  readonly isConnected: boolean;
  /** Shipping has failed, and has not begun again since. */
  readonly isFailing: boolean;
  readonly pauseMs: number;
  readonly retryAtMs: number;
  /** Everything of this process's journal before it is in the database. */
  readonly offset: JournalOffset;
  /** Everything written before this moment is in the database; null: everything. */
  readonly behindSinceMs: number | null;
  /** A new connection: what the database has of the journal is not certain until the journal has been read to its end. */
  readonly mustShip: boolean;
  readonly gatherUntilMs: number;
  /** The process's own journal was shipped last: an adoption that is due comes before it. */
  readonly isTurnOfAdoption: boolean;
  readonly countRequest: CountRequest | null;
  readonly adoptAtMs: number;
  /** Dead-lettered records of all journals in the folder. */
  readonly deadLetters: number;
  /** This process's journal is in the database whole, and its files are removed. */
  readonly isFinished: boolean;
}

/** What happened to the shipping. */
export type ShippingEvent =
  | { readonly kind: 'connected' }
  /** `hadConnection`: it broke; otherwise none was to be had. */
  | { readonly kind: 'failed'; readonly hadConnection: boolean; readonly nowMs: number }
  /** Records were written to a journal that was in the database whole. */
  | { readonly kind: 'written'; readonly nowMs: number }
  | { readonly kind: 'advanced'; readonly offset: JournalOffset }
  /** The own journal was shipped as far as it went at `startedMs`; `isEnd`: nothing has been written since. */
  | { readonly kind: 'shipped'; readonly isEnd: boolean; readonly startedMs: number; readonly nowMs: number }
  | { readonly kind: 'countRequested'; readonly moment: string; readonly end: JournalOffset }
  | { readonly kind: 'counted' }
  | { readonly kind: 'adopted'; readonly nowMs: number }
  | { readonly kind: 'deadLettered'; readonly count: number }
  | { readonly kind: 'closed' }
  | { readonly kind: 'overdue' }
  | { readonly kind: 'finished' };

/** What the shipper does next. */
export type ShippingAction =
  | { readonly kind: 'connect' }
  /** Ship the process's own journal. */
  | { readonly kind: 'ship' }
  /** Note in the database that the clicks before `moment` are counted. */
  | { readonly kind: 'count'; readonly moment: string }
  /** Ship the journals of dead processes. */
  | { readonly kind: 'adopt' }
  | { readonly kind: 'rest'; readonly untilMs: number }
  /** Note that the own journal is shipped whole, and remove it. */
  | { readonly kind: 'finish' }
  | { readonly kind: 'stop' };

// Clicks gather for so long before they are shipped: a choice well below the 2 s that statistics may be behind (5.5).
export const gatherMs = 200;
// With more than this waiting, clicks need not gather: some 1,500.
const fewBytes = 512 * 1_024;
const adoptEveryMs = 2_000;
const firstPauseMs = 100;
const longestPauseMs = 1_000;

/** A shipper that has not connected yet. */
export function beginShipping(): ShippingState {
  return {
    phase: 'running',
    isOverdue: false,
    isConnected: false,
    isFailing: false,
    pauseMs: firstPauseMs,
    retryAtMs: 0,
    offset: { segment: 1, position: 0 },
    behindSinceMs: null,
    mustShip: true,
    gatherUntilMs: 0,
    isTurnOfAdoption: false,
    countRequest: null,
    adoptAtMs: 0,
    deadLetters: 0,
    isFinished: false,
  };
}

/** Takes an event in. */
export function reduceShipping(state: ShippingState, event: ShippingEvent): ShippingState {
  switch (event.kind) {
    case 'connected':
      return { ...state, isConnected: true, isFailing: false, pauseMs: firstPauseMs, mustShip: true };
    case 'failed':
      return fail(state, event);
    case 'written':
      if (state.behindSinceMs !== null) return state;
      return { ...state, behindSinceMs: event.nowMs, gatherUntilMs: event.nowMs + gatherMs };
    case 'advanced':
      return { ...state, offset: event.offset };
    case 'shipped':
      return {
        ...state,
        mustShip: false,
        isTurnOfAdoption: true,
        behindSinceMs: event.isEnd ? null : event.startedMs,
        gatherUntilMs: event.nowMs + gatherMs,
      };
    case 'countRequested': {
      const { moment, end } = event;
      const isLater = state.countRequest === null || state.countRequest.moment < moment;
      return { ...state, countRequest: { moment: isLater ? moment : state.countRequest.moment, end } };
    }
    case 'counted':
      return { ...state, countRequest: null };
    case 'adopted':
      return { ...state, isTurnOfAdoption: false, adoptAtMs: event.nowMs + adoptEveryMs };
    case 'deadLettered':
      return { ...state, deadLetters: state.deadLetters + event.count };
    case 'closed':
      // A pause under way ends: a database that is back gets the clicks.
      return { ...state, phase: state.phase === 'stopped' ? 'stopped' : 'closing', retryAtMs: 0 };
    case 'overdue':
      return { ...state, isOverdue: true };
    case 'finished':
      return { ...state, phase: 'stopped', isFinished: true };
  }
}

function fail(state: ShippingState, { hadConnection, nowMs }: ShippingEvent & { kind: 'failed' }): ShippingState {
  const isClosing = state.phase === 'closing';
  const pauseMs = isClosing ? firstPauseMs : state.pauseMs;
  return {
    ...state,
    // While closing, a connection that broke is worth another one; an unreachable database is not worth the wait.
    phase: isClosing && (state.isOverdue || !hadConnection) ? 'stopped' : state.phase,
    isConnected: false,
    isFailing: true,
    retryAtMs: nowMs + pauseMs,
    pauseMs: Math.min(state.pauseMs * 2, longestPauseMs),
  };
}

/** Whether the clicks that a count request waits for are in the database. */
export function isCountDue({ countRequest, behindSinceMs, mustShip, offset }: ShippingState): boolean {
  if (countRequest === null) return false;
  // Where nothing is left to ship, a segment that was only begun may lie ahead.
  return !isBefore(offset, countRequest.end) || (behindSinceMs === null && !mustShip);
}

/**
 * Decides what the shipper does next: the process's own clicks first, then an adoption that is due, then rest.
 * @param waitingBytes how much of the own journal is not in the database.
 */
export function nextAction(state: ShippingState, nowMs: number, waitingBytes: number): ShippingAction {
  const { phase, behindSinceMs, countRequest, adoptAtMs } = state;
  if (phase === 'stopped') return { kind: 'stop' };
  if (!state.isConnected)
    return nowMs < state.retryAtMs ? { kind: 'rest', untilMs: state.retryAtMs } : { kind: 'connect' };
  if (isCountDue(state)) return { kind: 'count', moment: countRequest!.moment };
  const isCaughtUp = behindSinceMs === null && !state.mustShip;
  if (phase === 'closing') return { kind: isCaughtUp ? 'finish' : 'ship' };
  if ((isCaughtUp || state.isTurnOfAdoption) && nowMs >= adoptAtMs) return { kind: 'adopt' };
  if (isCaughtUp) return { kind: 'rest', untilMs: adoptAtMs };
  const mustGather = !state.mustShip && countRequest === null && waitingBytes < fewBytes;
  return mustGather && nowMs < state.gatherUntilMs ? { kind: 'rest', untilMs: state.gatherUntilMs } : { kind: 'ship' };
}
