import { expect, test } from 'vitest';
import { createRepeatFilter } from '#adapters/log.ts';
import { captureLog } from '#test/support/captured-log.ts';

test('a message about one subject is shown once in a time, with the number that was left out', () => {
  let nowMs = 0;
  const take = createRepeatFilter(60_000, () => nowMs);
  expect(take('lost', { reason: 'a', rows: 1 })).toBe(0);
  expect(take('lost', { reason: 'b', rows: 2 })).toBeUndefined();
  expect(take('lost', { webhookId: 'x' })).toBe(0);
  expect(take('lost', { webhookId: 'y' })).toBe(0);
  nowMs = 59_999;
  expect(take('lost', { reason: 'a' })).toBeUndefined();
  nowMs = 60_000;
  expect(take('lost', {})).toBe(2);
  expect(take('lost', {})).toBeUndefined();
});

test('a process that meets thousands of subjects forgets the oldest', () => {
  const take = createRepeatFilter(60_000);
  for (let index = 0; index <= 1_000; index += 1) take('lost', { webhookId: String(index) });
  expect(take('lost', { webhookId: '0' })).toBe(0);
  expect(take('lost', { webhookId: '1000' })).toBeUndefined();
});

test('the log of a process shows a warning once a minute, and every error and note', () => {
  const { log, entries } = captureLog('worker');
  const child = log.child({ requestId: 'r' });
  for (let index = 0; index < 3; index += 1) {
    log.warn({ reason: `try ${index}` }, 'the worker could not write its heartbeat');
    child.warn({ reason: `try ${index}` }, 'the worker could not write its heartbeat');
    log.error({ err: new Error('no') }, 'failed');
    log.info('seen');
  }
  expect(entries().map(({ msg }) => msg)).toEqual([
    'the worker could not write its heartbeat',
    'failed',
    'seen',
    'failed',
    'seen',
    'failed',
    'seen',
  ]);
});
