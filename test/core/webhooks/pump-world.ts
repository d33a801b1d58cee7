import { deepEqual, equal, ok } from 'node:assert/strict';
import {
  createPumpState,
  maxInFlight,
  type PumpEffect,
  type PumpEvent,
  type PumpLimits,
  type PumpStanding,
  type PumpState,
  reducePump,
} from '#core/webhooks/pump.ts';
import { disabledFrom, failingFrom } from '#core/webhooks/standing.ts';

/** A webhook in memory: performs a pump's effects, each after a delay of its own, and checks at each step what a pump promises. */
export class PumpWorld {
  state: PumpState;
  nowMs = 0;
  /** What ends next, and when. */
  due: { atMs: number; event: () => PumpEvent }[] = [];
  waiting: number;
  stored: PumpStanding & { probeAtMs: number | null };
  batch: boolean[] = [];
  underWay = { claims: 0, records: 0, attempts: 0 };
  isStopped = false;
  isEnded = false;
  /** When attempts began. */
  readonly startsMs: number[] = [];

  readonly answer: () => 'delivered' | 'failed' | 'abandoned';
  readonly delayMs: () => number;
  readonly probeDelayMs: number;

  constructor(
    given: PumpLimits,
    world: {
      waiting: number;
      failures: number;
      probeDelayMs: number;
      maxPerSecond?: number | null;
      /** Since the pump before. Default: there was none. */
      idleMs?: number;
      answer: () => 'delivered' | 'failed' | 'abandoned';
      delayMs: () => number;
    },
  ) {
    this.state = createPumpState(given, 0, world.idleMs ?? Infinity);
    this.waiting = world.waiting;
    this.answer = world.answer;
    this.delayMs = world.delayMs;
    this.probeDelayMs = world.probeDelayMs;
    const probeAtMs = world.failures >= failingFrom ? 0 : null;
    this.stored = {
      isActive: true,
      failures: world.failures,
      probeInMs: null,
      probeAtMs,
      isOn: true,
      maxPerSecond: world.maxPerSecond ?? null,
    };
  }

  standing(): PumpStanding {
    const { probeAtMs, ...stored } = this.stored;
    return { ...stored, probeInMs: probeAtMs === null ? null : probeAtMs - this.nowMs };
  }

  dispatch(event: PumpEvent): void {
    if (event.type === 'draining') this.isStopped = true;
    const { state, effects } = reducePump(this.state, event, this.nowMs);
    this.state = state;
    for (const effect of effects) this.perform(effect);
    equal(this.underWay.attempts, state.inFlight);
    ok(state.inFlight <= maxInFlight);
    if (state.inFlight > 1) ok(state.failures + state.inFlight <= failingFrom);
    if (state.phase === 'running') ok(state.wakeAtMs < Infinity);
  }

  perform(effect: PumpEffect): void {
    equal(this.isEnded, false);
    switch (effect.type) {
      case 'claim': {
        equal(this.isStopped && effect.limit > 0, false);
        equal((this.underWay.claims += 1), 1);
        return this.after(() => {
          this.underWay.claims -= 1;
          if (!this.stored.isOn) this.isStopped = true;
          const deliveries = this.stored.isOn ? Math.min(effect.limit, this.waiting) : 0;
          this.waiting -= deliveries;
          return { type: 'claimed', result: { deliveries, standing: this.standing() } };
        });
      }
      case 'send': {
        equal(this.isStopped, false);
        if (this.state.failures >= failingFrom) {
          equal(effect.count, 1);
          equal(this.underWay.attempts, 0);
          ok(this.state.probeAtMs! <= this.nowMs);
        }
        for (let count = 0; count < effect.count; count += 1) {
          this.underWay.attempts += 1;
          this.startsMs.push(this.nowMs);
          this.after(() => {
            this.underWay.attempts -= 1;
            const result = this.answer();
            if (result !== 'abandoned') this.batch.push(result === 'delivered');
            return { type: 'attempted', result, retryInMs: result === 'failed' ? 300 : undefined };
          });
        }
        return;
      }
      case 'record': {
        equal((this.underWay.records += 1), 1);
        ok(this.batch.length > 0);
        const batch = this.batch;
        this.batch = [];
        return this.after(() => {
          this.underWay.records -= 1;
          const before = this.stored.failures;
          let failures = before;
          for (const isDelivered of batch) failures = isDelivered ? 0 : failures + 1;
          const isOn = this.stored.isOn && failures < disabledFrom;
          if (!isOn) this.isStopped = true;
          const probeAtMs = failures >= failingFrom ? this.nowMs + this.probeDelayMs : null;
          this.stored = { ...this.stored, failures, isOn, probeAtMs };
          const beginsToFail = failures >= failingFrom && before < failingFrom;
          return { type: 'recorded', result: { standing: this.standing(), beginsToFail } };
        });
      }
      case 'end':
        deepEqual(this.underWay, { claims: 0, records: 0, attempts: 0 });
        deepEqual(this.batch, []);
        this.isEnded = true;
    }
  }

  after(event: () => PumpEvent): void {
    this.due.push({ atMs: this.nowMs + this.delayMs(), event });
  }

  /** Lets time pass until the next event: what ends, or the pump's own alarm. */
  pass(): void {
    const first = this.due.reduce<PumpWorld['due'][number] | undefined>(
      (least, one) => (least === undefined || one.atMs < least.atMs ? one : least),
      undefined,
    );
    if (first !== undefined && first.atMs <= this.state.wakeAtMs) {
      this.due.splice(this.due.indexOf(first), 1);
      this.nowMs = Math.max(this.nowMs, first.atMs);
      this.dispatch(first.event());
    } else {
      this.nowMs = Math.max(this.nowMs, this.state.wakeAtMs);
      this.dispatch({ type: 'clock' });
    }
  }
}
