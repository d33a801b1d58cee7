// @module-tag slow

import { expect, test } from 'vitest';
import { startDomainStack } from '#test/support/domain-stack.ts';
import { eventually } from '#test/support/eventually.ts';
import { useFixture } from '#test/support/fixture.ts';
import { recordHistory } from '#test/support/histories.ts';

// Relay, worker and name server together. What workflows do by themselves: `domain.test.ts`; what checks do: `test/activities/domains`.
const stack = useFixture(startDomainStack);

test('a new domain is checked repeatedly until its record exists, and its workflow ends when it is deleted', async () => {
  const domain = await stack.add();
  const waiting = await stack.until(domain.id, ({ checks }) => checks >= 2);
  expect(waiting).toMatchObject({ state: 'unverified', found: [`TXT _waymark.${domain.domain}: nothing there`] });
  expect(waiting.failedChecks).toBe(waiting.checks);
  expect(waiting.needed).toEqual([`TXT _waymark.${domain.domain}: \`${domain.txtRecord}\``]);
  const before = await stack.row(domain.id);
  expect(before.updatedAt).not.toEqual(before.lastCheckedAt);
  stack.publish(domain);
  await stack.until(domain.id, ({ state }) => state === 'verified');
  const row = await stack.row(domain.id);
  expect(row).toMatchObject({ isVerified: true, isPrimary: true, failedChecks: 0 });
  expect(row.updatedAt > before.updatedAt).toBe(true);
  const handle = stack.handle(domain.id);
  const description = await handle.describe();
  expect(await description.staticSummary()).toBe(`Domain ${domain.domain}`);
  expect(description.typedSearchAttributes.getAll()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ value: [domain.organizationId] }),
      expect.objectContaining({ value: [domain.id] }),
      expect.objectContaining({ value: 'verified' }),
    ]),
  );
  await stack.db.query('update domains set deleted_at = now(), is_primary = false where id = $1', [domain.id]);
  await handle.signal('wake');
  expect(await handle.result()).toMatchObject({ state: 'deleted', nextAt: null });
  await recordHistory('domain-deleted', handle);
});

test('a domain whose organization changes its plan has the weight of that plan from the next check on', async () => {
  const domain = await stack.add();
  await stack.until(domain.id, ({ checks }) => checks > 0);
  const weight = async () => (await stack.handle(domain.id).describe()).priority?.fairnessWeight ?? 1;
  for (const [plan, wanted] of [
    ['premium', 3],
    ['free', 1],
  ] as const) {
    await stack.db.query('update organizations set plan = $2 where id = $1', [domain.organizationId, plan]);
    await eventually(weight, (found) => found === wanted);
  }
  const { priority } = await stack.handle(domain.id).describe();
  expect(priority).toMatchObject({ priorityKey: 3, fairnessKey: domain.organizationId });
  await stack.handle(domain.id).terminate();
});
