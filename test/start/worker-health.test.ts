import { expect, test } from 'vitest';
import type { Routing } from '#adapters/temporal/routing.ts';
import { createWorkerHealth } from '#start/worker-health.ts';

test('a worker is ready while it polls, and hung once Temporal, which serves, has seen no poll of it for three minutes', () => {
  let nowMs = 1_000_000;
  let isTemporalReachable = true;
  let problem: string | undefined;
  let routing: Routing | undefined;
  const health = createWorkerHealth(() => nowMs);
  expect(health.whyIdle()).toBe('Temporal cannot be reached');
  health.follow({
    isTemporalReachable: () => isTemporalReachable,
    polling: { problem: () => problem, routing: () => routing },
  });
  expect(health.whyIdle()).toBe('it has not begun yet');
  health.onWaiting('Namespace typo is not found.');
  expect(health.whyIdle()).toBe('it has not begun yet: Namespace typo is not found.');
  health.onRunning();
  expect([health.whyIdle(), health.whyHung()]).toEqual([undefined, undefined]);

  problem = 'no poll';
  expect([health.whyIdle(), health.whyHung()]).toEqual(['no poll', undefined]);
  nowMs += 180_000;
  expect(health.whyHung()).toBe('no poll');
  // Another process would get no tasks either.
  isTemporalReachable = false;
  expect([health.whyIdle(), health.whyHung()]).toEqual(['Temporal cannot be reached', undefined]);
  isTemporalReachable = true;
  problem = undefined;
  expect([health.whyIdle(), health.whyHung(), health.getsNewWork()]).toEqual([undefined, undefined, true]);

  // Another version is current.
  routing = 'pinned';
  expect([health.whyIdle(), health.getsNewWork()]).toEqual([undefined, false]);
  // Another process would get nothing either: an operator has to choose a version.
  routing = 'none';
  expect(health.whyIdle()).toBe('no version of the workers is current: this one gets no work');
  nowMs += 180_000;
  expect([health.whyHung(), health.getsNewWork()]).toEqual([undefined, false]);
  routing = 'current';
  expect([health.whyIdle(), health.getsNewWork()]).toEqual([undefined, true]);
  health.onStopped();
  expect(health.whyIdle()).toBe('it has stopped');
});

test('the last task is at first the start of the worker', () => {
  let nowMs = 5;
  const health = createWorkerHealth(() => nowMs);
  nowMs = 9;
  expect(health.lastTaskAtMs()).toBe(5);
  health.onTask();
  expect(health.lastTaskAtMs()).toBe(9);
});
