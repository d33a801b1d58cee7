import { expect, test } from 'vitest';
import { createOrganizationShares } from '#activities/webhooks/webhooks.ts';

test('the pumps of an organization share 200 requests evenly, one each at least', () => {
  const shares = createOrganizationShares();
  const other = shares.begin('other');
  const first = shares.begin('busy');
  expect(first.readRequests()).toBe(200);
  const more = Array.from({ length: 300 }, () => shares.begin('busy'));
  expect([first.readRequests(), other.readRequests()]).toEqual([1, 200]);
  for (const share of more.slice(99)) share.end();
  expect(first.readRequests()).toBe(2);
  for (const share of more.slice(0, 99)) share.end();
  expect(first.readRequests()).toBe(200);
});
