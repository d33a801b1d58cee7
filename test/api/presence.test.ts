import { expect, test } from 'vitest';
import { createPresence } from '#api/shares.ts';

test('an organization is beside others while another one has called within the last second', () => {
  let nowMs = 0;
  const presence = createPresence(() => nowMs);
  expect(presence.isBesideOthers('a')).toBe(false);
  presence.note('a');
  expect([presence.isBesideOthers('a'), presence.isBesideOthers('b')]).toEqual([false, true]);
  presence.note('b');
  for (let call = 0; call < 5; call += 1) presence.note('a');
  nowMs = 999;
  expect([presence.isBesideOthers('a'), presence.isBesideOthers('b')]).toEqual([true, true]);
  presence.note('a');
  nowMs = 1_000;
  expect([presence.isBesideOthers('a'), presence.isBesideOthers('b')]).toEqual([false, true]);
});
