import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  beginShipping,
  isCountDue,
  nextAction,
  reduceShipping,
  type ShippingEvent,
  type ShippingState,
} from '#core/clicks/shipping.ts';

const few = 1_000;
const many = 1_000_000;
const end = { segment: 1, position: 500 };
const failed = (nowMs: number, hadConnection = true): ShippingEvent => ({ kind: 'failed', hadConnection, nowMs });
const shipped = (nowMs: number, isEnd = true): ShippingEvent => ({
  kind: 'shipped',
  isEnd,
  startedMs: nowMs - 5,
  nowMs,
});
const written = (nowMs: number): ShippingEvent => ({ kind: 'written', nowMs });

function after(...events: ShippingEvent[]): ShippingState {
  return events.reduce(reduceShipping, beginShipping());
}

/** Connected, nothing to ship, no adoption due before 2 s. */
const idle: readonly ShippingEvent[] = [{ kind: 'connected' }, shipped(0), { kind: 'adopted', nowMs: 0 }];
const actionAt = (nowMs: number, state: ShippingState, bytes = few) => nextAction(state, nowMs, bytes);

describe('nextAction', () => {
  test('connects first', () => {
    expect(actionAt(0, after())).toEqual({ kind: 'connect' });
  });

  test('ships the own journal first on a new connection, then adopts', () => {
    expect(actionAt(0, after({ kind: 'connected' }))).toEqual({ kind: 'ship' });
    expect(actionAt(0, after(...idle.slice(0, 2)))).toEqual({ kind: 'adopt' });
  });

  test('rests until the next adoption when everything is shipped', () => {
    expect(actionAt(10, after(...idle))).toEqual({ kind: 'rest', untilMs: 2_000 });
  });

  test('lets a few clicks gather for 200 ms, and ships many at once', () => {
    const state = after(...idle, written(100));
    expect(actionAt(100, state)).toEqual({ kind: 'rest', untilMs: 300 });
    expect(actionAt(300, state)).toEqual({ kind: 'ship' });
    expect(actionAt(100, state, many)).toEqual({ kind: 'ship' });
  });

  test('adopts after a turn of the own journal although clicks come without a pause', () => {
    const state = after(...idle, written(1_900), shipped(2_100, false));
    expect(actionAt(2_100, state, many)).toEqual({ kind: 'adopt' });
    expect(actionAt(2_100, reduceShipping(state, { kind: 'adopted', nowMs: 2_100 }), many)).toEqual({ kind: 'ship' });
  });

  test('ships the own journal before an adoption that is due', () => {
    const state = after(...idle, { kind: 'adopted', nowMs: 0 }, written(1_700));
    expect(actionAt(2_500, state)).toEqual({ kind: 'ship' });
  });
});

describe('a count request', () => {
  const request: ShippingEvent = { kind: 'countRequested', moment: '2026-01-01T00:00:01Z', end };

  test('ships clicks at once, and is noted when the offset has reached its end', () => {
    const state = after(...idle, written(100), request);
    expect(actionAt(100, state)).toEqual({ kind: 'ship' });
    const advanced = reduceShipping(state, { kind: 'advanced', offset: end });
    expect(actionAt(100, advanced)).toEqual({ kind: 'count', moment: '2026-01-01T00:00:01Z' });
    expect(isCountDue(reduceShipping(advanced, { kind: 'counted' }))).toBe(false);
  });

  test('is noted at once when nothing is left to ship', () => {
    expect(actionAt(100, after(...idle, request))).toMatchObject({ kind: 'count' });
  });

  test('keeps the latest moment of several, and the end of the last', () => {
    const earlier: ShippingEvent = { ...request, moment: '2026-01-01T00:00:00Z', end: { segment: 2, position: 0 } };
    expect(after(request, earlier).countRequest).toEqual({ moment: request.moment, end: earlier.end });
  });

  test('waits on a new connection until the journal has been read to its end', () => {
    expect(isCountDue(after(...idle, failed(10), { kind: 'connected' }, request))).toBe(false);
  });
});

describe('a failure', () => {
  test('is followed by pauses that double from 100 ms to 1 s, until a connection works', () => {
    const pauses: number[] = [];
    let state = after();
    for (let index = 0; index < 6; index += 1) {
      state = reduceShipping(state, failed(0, false));
      pauses.push(state.retryAtMs);
    }
    expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(actionAt(999, state)).toEqual({ kind: 'rest', untilMs: 1_000 });
    expect(actionAt(1_000, state)).toEqual({ kind: 'connect' });
    expect(reduceShipping(reduceShipping(state, { kind: 'connected' }), failed(0)).retryAtMs).toBe(100);
  });

  test('keeps the time since which clicks are behind', () => {
    const state = after(...idle, written(100), failed(150));
    expect(state.behindSinceMs).toBe(100);
    expect(state.isFailing).toBe(true);
  });
});

describe('closing', () => {
  test('ships the rest without gathering, finishes and stops', () => {
    const state = after(...idle, written(100), { kind: 'closed' });
    expect(actionAt(100, state)).toEqual({ kind: 'ship' });
    const done = reduceShipping(state, shipped(110));
    expect(actionAt(110, done)).toEqual({ kind: 'finish' });
    expect(actionAt(110, reduceShipping(done, { kind: 'finished' }))).toEqual({ kind: 'stop' });
  });

  test('replaces a connection that breaks, but not after the deadline', () => {
    const closing = after(...idle, written(100), { kind: 'closed' });
    expect(actionAt(250, reduceShipping(closing, failed(150)))).toEqual({ kind: 'connect' });
    const overdue = reduceShipping(closing, { kind: 'overdue' });
    expect(actionAt(250, reduceShipping(overdue, failed(150)))).toEqual({ kind: 'stop' });
  });

  test('tries an unreachable database once more at once, then stops', () => {
    const closing = after(failed(0, false), { kind: 'closed' });
    expect(actionAt(1, closing)).toEqual({ kind: 'connect' });
    expect(actionAt(1, reduceShipping(closing, failed(1, false)))).toEqual({ kind: 'stop' });
  });

  test('ends with a finished journal only when everything written is in the database, in any order of events', () => {
    const event = fc.oneof(
      fc.constant<ShippingEvent>({ kind: 'closed' }),
      fc.constant<ShippingEvent>({ kind: 'overdue' }),
      fc.constantFrom('written', 'break', 'work'),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 80 }), (events) => {
        let state = beginShipping();
        let unshipped = 0;
        let nowMs = 0;
        for (const next of events) {
          nowMs += 50;
          if (typeof next === 'object') state = reduceShipping(state, next);
          else if (next === 'written' && state.phase === 'running') {
            unshipped += 1;
            state = reduceShipping(state, written(nowMs));
          } else if (next === 'break') state = reduceShipping(state, failed(nowMs, state.isConnected));
          else {
            const action = nextAction(state, nowMs, few);
            if (action.kind === 'connect') state = reduceShipping(state, { kind: 'connected' });
            if (action.kind === 'adopt') state = reduceShipping(state, { kind: 'adopted', nowMs });
            if (action.kind === 'ship') {
              unshipped = 0;
              state = reduceShipping(state, shipped(nowMs));
            }
            if (action.kind === 'finish') {
              expect(unshipped).toBe(0);
              state = reduceShipping(state, { kind: 'finished' });
            }
          }
          if (unshipped > 0) expect(state.behindSinceMs).not.toBeNull();
        }
      }),
      { numRuns: 500 },
    );
  });
});
