// Long: every transition of one state machine, by one driver that steers its clock.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createPumpState,
  type PumpEffect,
  type PumpEvent,
  type PumpLimits,
  type PumpStanding,
  reducePump,
} from '#core/webhooks/pump.ts';
import { disabledFrom, failingFrom } from '#core/webhooks/standing.ts';
import { PumpWorld } from './pump-world.ts';

const limits: PumpLimits = { pumpForMs: 20_000, lingerMs: 3_000, chunk: 200, lookEveryMs: 10_000 };
const well: PumpStanding = { isActive: true, failures: 0, probeInMs: null, isOn: true, maxPerSecond: null };
const failing = (probeInMs: number, failures = failingFrom): PumpStanding => ({ ...well, failures, probeInMs });
const claimed = (deliveries: number, standing = well): PumpEvent => ({
  type: 'claimed',
  result: { deliveries, standing },
});
const recorded = (standing = well, beginsToFail = false): PumpEvent => ({
  type: 'recorded',
  result: { standing, beginsToFail },
});
const attempted = (result: (PumpEvent & { type: 'attempted' })['result'], retryInMs?: number): PumpEvent => ({
  type: 'attempted',
  result,
  retryInMs,
});
const send = (count: number): PumpEffect => ({ type: 'send', count });
const claim = (limit: number): PumpEffect => ({ type: 'claim', limit });
const record: PumpEffect = { type: 'record' };
const end: PumpEffect = { type: 'end' };

/** A pump at time 0, which its test steers by hand. */
function createPump(changed: Partial<PumpLimits> = {}, idleMs = Infinity) {
  let state = createPumpState({ ...limits, ...changed }, 0, idleMs);
  return {
    state: () => state,
    /** Applies events at one moment. @returns the effects of all of them. */
    at(nowMs: number, ...events: PumpEvent[]): PumpEffect[] {
      return events.flatMap((event) => {
        const step = reducePump(state, event, nowMs);
        state = step.state;
        return step.effects;
      });
    },
  };
}

describe('a pump whose webhook answers', () => {
  test('claims ten first, then a chunk, and sends ten at a time', () => {
    const { at } = createPump();
    expect(at(0, { type: 'clock' })).toEqual([claim(10)]);
    expect(at(1, claimed(10))).toEqual([send(10), claim(200)]);
    expect(at(2, claimed(200))).toEqual([]);
    expect(at(3, attempted('delivered'))).toEqual([send(1)]);
    expect(at(3, attempted('delivered'), attempted('delivered'))).toEqual([send(1), send(1)]);
  });

  test('claims more once half of its chunk is sent, and not after a claim that found less than it asked for', () => {
    const { at } = createPump({ chunk: 20 });
    at(0, { type: 'clock' }, claimed(10));
    expect(at(1, claimed(20))).toEqual([]);
    const ends = (count: number) => Array.from({ length: count }, () => attempted('delivered'));
    expect(at(2, ...ends(9)).filter(({ type }) => type === 'claim')).toEqual([]);
    expect(at(2, ...ends(1))).toContainEqual(claim(10));
    expect(at(3, claimed(9))).toEqual([]);
    expect(at(4, ...ends(20)).filter(({ type }) => type === 'claim')).toEqual([]);
  });

  test('records every 200 ms of the clock that all pumps share, one batch at a time', () => {
    const { at, state } = createPump();
    at(0, { type: 'clock' }, claimed(10), claimed(100));
    at(5, attempted('delivered'));
    expect(state().wakeAtMs).toBe(200);
    expect(at(199, { type: 'clock' })).toEqual([]);
    expect(at(200, { type: 'clock' })).toEqual([record]);
    expect(at(206, attempted('delivered'))).toEqual([send(1)]);
    expect(at(430, { type: 'clock' })).toEqual([]);
    expect(at(431, recorded())).toEqual([record]);
  });

  test('records 200 attempts at once', () => {
    const { at } = createPump({ chunk: 1_000 });
    at(0, { type: 'clock' }, claimed(10), claimed(990));
    const ends = Array.from({ length: 199 }, () => attempted('delivered'));
    expect(at(1, ...ends).filter(({ type }) => type === 'record')).toEqual([]);
    expect(at(1, attempted('delivered'))).toContainEqual(record);
  });

  test('reads the webhook before it begins an attempt 250 ms after the last answer of the database', () => {
    const { at } = createPump();
    at(0, { type: 'clock' }, claimed(10), claimed(100));
    expect(at(251, attempted('abandoned'))).toEqual([claim(0)]);
    expect(at(252, claimed(0))).toEqual([send(1)]);
  });

  test('begins nothing on an answer that took more than five seconds', () => {
    const { at } = createPump();
    at(0, { type: 'clock' });
    expect(at(5_001, claimed(10))).toEqual([claim(0)]);
    expect(at(5_002, claimed(0))).toEqual([send(10), claim(200)]);
  });
});

describe('a pump that is idle', () => {
  test('claims again each second, and ends when the linger time is over', () => {
    const { at, state } = createPump({ lingerMs: 1_500 });
    at(0, { type: 'clock' }, claimed(1));
    at(10, attempted('delivered'));
    expect(at(210, { type: 'clock' })).toEqual([record]);
    at(211, recorded());
    expect(state().wakeAtMs).toBe(1_010);
    expect(at(1_010, { type: 'clock' })).toEqual([claim(200)]);
    expect(at(1_011, claimed(0))).toEqual([]);
    expect(state().wakeAtMs).toBe(1_510);
    expect(at(1_510, { type: 'clock' })).toEqual([claim(200)]);
    expect(at(1_511, claimed(0))).toEqual([end]);
  });

  test('claims when one of its own retries falls due', () => {
    const { at, state } = createPump();
    at(0, { type: 'clock' }, claimed(2));
    at(10, attempted('failed', 700), attempted('failed', 400));
    expect(state().claimAgainAtMs).toBe(410);
  });

  test('claims at once when it is notified, and once more when that came during a claim', () => {
    const { at } = createPump();
    at(0, { type: 'clock' }, claimed(1), attempted('delivered'));
    expect(at(10, { type: 'notified' })).toEqual([claim(200)]);
    expect(at(11, { type: 'notified' })).toEqual([]);
    expect(at(12, claimed(0))).toEqual([claim(200)]);
    expect(at(13, claimed(0))).toEqual([]);
  });

  test('ends at once without a linger time, after the record of its attempts', () => {
    const { at } = createPump({ lingerMs: 0 });
    at(0, { type: 'clock' }, claimed(1));
    expect(at(1, attempted('delivered'))).toEqual([record]);
    expect(at(2, recorded())).toEqual([end]);
  });
});

describe('a pump whose webhook fails', () => {
  test('leaves room: with n consecutive failures at most 10 - n attempts are under way', () => {
    const { at, state } = createPump();
    at(0, { type: 'clock' });
    expect(at(1, claimed(10, { ...well, failures: 7 }))).toEqual([send(3)]);
    expect(at(2, attempted('failed'))).toEqual([]);
    expect(at(3, attempted('failed'))).toEqual([]);
    expect(state()).toMatchObject({ failures: 9, inFlight: 1 });
    expect(at(4, attempted('delivered'))).toEqual([send(7), claim(200)]);
  });

  test('sends nothing before the next probe is due, then one delivery alone that it claims for it', () => {
    const { at } = createPump();
    expect(at(0, { type: 'clock' }, claimed(10, failing(500)))).toEqual([claim(10), end]);

    const due = createPump();
    expect(due.at(0, { type: 'clock' }, claimed(10, failing(-1)))).toEqual([claim(10), send(1)]);
    expect(due.at(1, attempted('failed'))).toEqual([record]);
    expect(due.at(2, recorded(failing(500, 11)))).toEqual([]);
    expect(due.state().claimAgainAtMs).toBe(1_001);
    expect(due.at(1_001, { type: 'clock' })).toEqual([claim(1)]);
    expect(due.at(1_002, claimed(1, failing(-499, 11)))).toEqual([send(1)]);
  });

  test('sends the deliveries at hand when a probe succeeds', () => {
    const { at } = createPump();
    at(0, { type: 'clock' }, claimed(10, failing(-1)));
    expect(at(1, attempted('delivered'))).toEqual([send(9), claim(200)]);
  });

  test('ends when a batch made it fail', () => {
    const { at } = createPump();
    at(0, { type: 'clock' }, claimed(1, { ...well, failures: 9 }));
    expect(at(1, attempted('failed'))).toContainEqual(record);
    expect(at(2, recorded(failing(300), true))).toEqual([end]);
  });

  test('keeps its own count when a claim read the webhook while a record was under way', () => {
    const { at, state } = createPump();
    at(0, { type: 'clock' }, claimed(10));
    const ends = Array.from({ length: failingFrom }, () => attempted('failed'));
    expect(at(1, ...ends)).toEqual([record]);
    at(2, claimed(0, { ...well, failures: 3 }));
    expect(state().failures).toBe(10);
    at(3, recorded(failing(60_000)));
    expect(state()).toMatchObject({ failures: 10, probeAtMs: 60_003 });
  });

  test('adopts the count of a claim that no record overlapped, plus its unrecorded attempts', () => {
    const { at, state } = createPump();
    at(0, { type: 'clock' }, claimed(10), claimed(5));
    at(1, attempted('failed'), { type: 'notified' }, claimed(0, { ...well, failures: 3 }));
    expect(state().failures).toBe(4);
    at(2, attempted('delivered'), attempted('failed'), { type: 'notified' }, claimed(0, { ...well, failures: 3 }));
    expect(state().failures).toBe(1);
  });
});

describe('a pump that has to stop', () => {
  const stops: [string, PumpEvent[]][] = [
    ['its process drains', [{ type: 'draining' }]],
    ['a claim finds that another pump is to send', [{ type: 'notified' }, { type: 'claimed', result: 'superseded' }]],
    ['a claim fails', [{ type: 'notified' }, { type: 'claimed', result: 'failed' }]],
    ['a claim finds the webhook off', [{ type: 'notified' }, claimed(5, { ...well, isOn: false })]],
    ['the receiver answers 410', [attempted('gone')]],
  ];

  test.each(stops)('begins nothing when %s; records and ends once nothing is under way', (_, events) => {
    const { at, state } = createPump();
    at(0, { type: 'clock' }, claimed(10), claimed(100));
    expect(at(1, ...events).filter(({ type }) => type === 'send')).toEqual([]);
    const rest = state().inFlight;
    const effects = at(2, ...Array.from({ length: rest }, () => attempted('delivered')));
    expect(effects).toEqual([record]);
    expect(at(3, { type: 'notified' }, { type: 'clock' })).toEqual([]);
    expect(at(4, recorded())).toEqual([end]);
    expect(at(5, { type: 'notified' }, { type: 'clock' }, { type: 'draining' })).toEqual([]);
  });

  test('drops unrecorded attempts after a record that failed', () => {
    const { at } = createPump();
    at(0, { type: 'clock' }, claimed(2), attempted('delivered'));
    expect(at(200, { type: 'clock' })).toEqual([record]);
    expect(at(201, attempted('delivered'))).toEqual([]);
    expect(at(202, { type: 'recorded', result: 'failed' })).toEqual([end]);
  });

  test('claims and sends nothing after its time', () => {
    const { at, state } = createPump({ pumpForMs: 100, chunk: 10 });
    at(0, { type: 'clock' }, claimed(10), claimed(10));
    expect(at(100, attempted('delivered'))).toEqual([]);
    expect(state()).toMatchObject({ atHand: 10, inFlight: 9 });
  });
});

describe('a pump whose webhook has a rate', () => {
  const paced = (maxPerSecond: number): PumpStanding => ({ ...well, maxPerSecond });

  test('begins one request a second at a rate of one, and waits for it with deliveries at hand, also past its linger time', () => {
    const { at, state } = createPump({ lingerMs: 0 });
    at(0, { type: 'clock' });
    expect(at(1, claimed(3, paced(1)))).toEqual([send(1)]);
    expect(at(3, attempted('delivered'))).toEqual([]);
    expect(at(203, { type: 'clock' })).toEqual([record]);
    at(204, recorded(paced(1)));
    expect(state().wakeAtMs).toBe(1_001);
    // The webhook was read too long ago.
    expect(at(1_001, { type: 'clock' })).toEqual([claim(0)]);
    expect(at(1_002, claimed(0, paced(1)))).toEqual([send(1)]);
    expect(at(1_500, attempted('delivered'), { type: 'clock' })).toEqual([]);
    expect(state().startAgainAtMs).toBe(2_002);
  });

  test('begins nothing in the second after the pump before was last seen', () => {
    const { at, state } = createPump({}, 400);
    at(0, { type: 'clock' });
    expect(at(1, claimed(10, paced(100)))).toEqual([claim(190)]);
    expect(state().startAgainAtMs).toBe(850);
    const free = createPump({}, 400);
    free.at(0, { type: 'clock' });
    expect(free.at(1, claimed(10))).toContainEqual(send(10));
  });

  test('goes on at once when the rate is lifted', () => {
    const { at } = createPump();
    at(0, { type: 'clock' }, claimed(10, paced(1)));
    expect(at(5, { type: 'notified' }, claimed(0, paced(1)))).not.toContainEqual(send(9));
    expect(at(6, { type: 'notified' }, claimed(0))).toContainEqual(send(9));
  });

  test('in no second begins more requests than its rate, and not many fewer where there are enough', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 2, 7, 20, 49, 50, 99, 250, 1_000),
        fc.constantFrom(0, 1, 4, 30),
        fc.constantFrom(0, 500, Infinity),
        (maxPerSecond, delayMs, idleMs) => {
          const world = new PumpWorld(
            { ...limits, pumpForMs: 5_000 },
            {
              waiting: 10_000,
              failures: 0,
              probeDelayMs: 0,
              maxPerSecond,
              idleMs,
              answer: () => 'delivered',
              delayMs: () => delayMs,
            },
          );
          world.dispatch({ type: 'clock' });
          while (!world.isEnded) world.pass();
          const { startsMs } = world;
          for (let index = maxPerSecond; index < startsMs.length; index += 1) {
            // Moments are sums of fractions: a millionth of a millisecond is their error.
            expect(startsMs[index]! - startsMs[index - maxPerSecond]!).toBeGreaterThanOrEqual(1_000 - 1e-6);
          }
          if (idleMs < Infinity) expect(startsMs[0]).toBeGreaterThanOrEqual(1_000 - idleMs);
          const possible = Math.min(maxPerSecond, delayMs === 0 ? Infinity : (10 * 1_000) / delayMs);
          expect(startsMs.length).toBeGreaterThan(possible * 3 * 0.9);
        },
      ),
      { numRuns: 100 },
    );
  });
});

const mostSteps = 20_000;

test('any pump sends at most ten at a time, probes alone, stops when it has to, and ends with every attempt recorded', () => {
  fc.assert(
    fc.property(
      fc.record({
        waiting: fc.nat({ max: 400 }),
        failures: fc.nat({ max: disabledFrom - 1 }),
        probeDelayMs: fc.constantFrom(0, 50, 1_000, 60_000),
        answers: fc.array(fc.constantFrom('delivered', 'delivered', 'failed', 'abandoned'), { minLength: 1 }),
        delaysMs: fc.array(fc.constantFrom(0, 1, 5, 20, 120, 300, 6_000), { minLength: 1 }),
        disturbances: fc.array(
          fc.record({
            atStep: fc.nat({ max: 300 }),
            what: fc.constantFrom('notified', 'off', 'draining', 'more'),
          }),
          { maxLength: 6 },
        ),
        lingerMs: fc.constantFrom(0, 100, 3_000),
        maxPerSecond: fc.constantFrom(null, 1, 30, 1_000),
      }),
      ({ waiting, failures, probeDelayMs, answers, delaysMs, disturbances, lingerMs, maxPerSecond }) => {
        let [answered, delayed] = [0, 0];
        const world = new PumpWorld(
          { ...limits, lingerMs, chunk: 50 },
          {
            waiting,
            failures,
            probeDelayMs,
            maxPerSecond,
            answer: () => answers[(answered += 1) % answers.length] as 'delivered',
            delayMs: () => delaysMs[(delayed += 1) % delaysMs.length]!,
          },
        );
        world.dispatch({ type: 'clock' });
        for (let step = 0; !world.isEnded; step += 1) {
          expect(step).toBeLessThan(mostSteps);
          for (const { what } of disturbances.filter(({ atStep }) => atStep === step)) {
            if (what === 'off') world.stored.isOn = false;
            else if (what === 'more') world.waiting += 20;
            else world.dispatch({ type: what });
          }
          if (!world.isEnded) world.pass();
        }
        // Its time, what was under way then, and the records of that.
        expect(world.nowMs).toBeLessThan(limits.pumpForMs + 4 * 6_000 + 1_000);
      },
    ),
    { numRuns: 500 },
  );
});

test('a pump whose webhook answers sends every due delivery, then ends after the linger time', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 300 }),
      fc.constantFrom(1, 5, 20),
      fc.constantFrom(0, 100, 3_000),
      (count, delayMs, lingerMs) => {
        const world = new PumpWorld(
          { ...limits, lingerMs, chunk: 50 },
          { waiting: count, failures: 0, probeDelayMs: 0, answer: () => 'delivered', delayMs: () => delayMs },
        );
        world.dispatch({ type: 'clock' });
        let lastAttemptAtMs = 0;
        while (!world.isEnded) {
          world.pass();
          if (world.state.inFlight > 0) lastAttemptAtMs = world.nowMs + delayMs;
        }
        expect(world.waiting + world.state.atHand).toBe(0);
        const idleMs = world.nowMs - lastAttemptAtMs;
        expect(idleMs).toBeLessThanOrEqual(lingerMs + 3 * delayMs);
        if (count > 0) expect(idleMs).toBeGreaterThanOrEqual(Math.min(lingerMs, 2 * delayMs));
      },
    ),
  );
});

test('a step costs a few microseconds at most', () => {
  let state = createPumpState(limits, 0, Infinity);
  const dispatch = (event: PumpEvent, nowMs: number): void => void ({ state } = reducePump(state, event, nowMs));
  dispatch({ type: 'clock' }, 0);
  dispatch(claimed(10), 0);
  const steps = 100_000;
  const startedAt = process.cpuUsage();
  for (let step = 0; step < steps; step += 1) {
    if (state.claim !== null) dispatch(claimed(state.claim.limit), 0);
    if (state.recordBegunAtMs !== null) dispatch(recorded(), 0);
    dispatch(attempted('delivered'), 0);
  }
  const { user, system } = process.cpuUsage(startedAt);
  expect((user + system) / steps).toBeLessThan(10);
});
