import { expect, test } from 'vitest';
import { createStopSignals } from '#scripts/supervisor/stop-signals.ts';

test('the first signal stops, its echo within a second says nothing, a later one hurries', () => {
  let now = 5_000;
  const signals = createStopSignals(() => now);
  expect(signals.receive()).toBe('stop');
  now += 999;
  expect(signals.receive()).toBe('echo');
  now += 1;
  expect(signals.receive()).toBe('hurry');
});
