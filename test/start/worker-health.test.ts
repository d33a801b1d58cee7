import { expect, test } from 'vitest';
import { createWorkerHealth } from '#start/worker-health.ts';

test('a worker is ready while it polls, and hung once Temporal, which serves, has seen no poll of it for three minutes', () => {
  let nowMs = 1_000_000;
  let isTemporalReachable = true;
  let problem: string | undefined;
  const health = createWorkerHealth(() => nowMs);
  expect(health.whyIdle()).toBe('Temporal cannot be reached');
  health.follow({ isTemporalReachable: () => isTemporalReachable, polling: { problem: () => problem } });
  expect(health.whyIdle()).toBe('it has not begun yet');
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
  expect([health.whyIdle(), health.whyHung()]).toEqual([undefined, undefined]);
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
