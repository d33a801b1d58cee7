import { expect, test } from 'vitest';
import { createRunningPumps } from '#activities/webhooks/running-pumps.ts';

test('a notification reaches the running pumps of its webhooks, and no others', () => {
  const pumps = createRunningPumps();
  const told: string[] = [];
  const leave = pumps.add('a', () => told.push('a'));
  pumps.add('a', () => told.push('a, too'));
  pumps.add('b', () => told.push('b'));
  expect(pumps.count).toBe(3);
  pumps.onNotification('a,c');
  expect(told).toEqual(['a', 'a, too']);
  leave();
  leave();
  expect(pumps.count).toBe(2);
  pumps.onNotification('b,a');
  pumps.onNotification('');
  expect(told).toEqual(['a', 'a, too', 'b', 'a, too']);
});
