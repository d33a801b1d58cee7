import { expect, test } from 'vitest';
import { createRequestShares } from '#activities/webhooks/webhooks.ts';

test('the pumps of an organization share 200 requests evenly, one each at least', () => {
  const shares = createRequestShares();
  const other = shares.begin('other');
  const first = shares.begin('busy');
  expect(first.read()).toBe(200);
  const more = Array.from({ length: 300 }, () => shares.begin('busy'));
  expect([first.read(), other.read()]).toEqual([1, 200]);
  for (const share of more.slice(99)) share.end();
  expect(first.read()).toBe(2);
  for (const share of more.slice(0, 99)) share.end();
  expect(first.read()).toBe(200);
});
