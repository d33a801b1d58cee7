// @module-tag slow

import { afterEach, beforeEach, expect, test } from 'vitest';
import { requeueOverdueDomains } from '#db/domains/checks.ts';
import type { RelayPart } from '#relay/loop.ts';
import { createKindDispatcher } from '#relay/kinds.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { createDomains, createOrganization } from '#test/support/factories.ts';
import { reachable, relayContext } from '#test/support/relay.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { insertRow } from '#test/support/rows.ts';

const db = useTestDatabase();
let organizationId: string;
let relay: RelayPart | undefined;
let woken: string[];
let isReachable: boolean;

beforeEach(async () => {
  await db.query('truncate outbox, domains cascade');
  organizationId = (await createOrganization(db)).id;
  woken = [];
  isReachable = true;
});
afterEach(async () => {
  await relay?.stop();
  relay = undefined;
});

/** Inserts domains whose next checks lie so many seconds ahead, a second apart, the first the earliest. */
async function insert(count: number, aheadSeconds: number, deleted = false): Promise<string[]> {
  const firstAheadSeconds = aheadSeconds - count;
  return createDomains(db, organizationId, count, { firstAheadSeconds, deleted });
}

function start(reconcileEveryMs: number): void {
  const context = relayContext({
    db,
    startWorkflow: async ({ options: { workflowId } }) => void woken.push(workflowId.replace('domain/', '')),
    temporal: { ...reachable, isReachable: () => isReachable },
    pollEveryMs: 20,
    reconcileEveryMs,
  });
  relay = createKindDispatcher('domain', context);
}

test('domains whose check is overdue are woken; others, deleted ones and the platform’s are not', async () => {
  const overdue = await insert(5, -30);
  await insert(5, 3_600);
  await insert(5, -30, true);
  await insertRow(db, 'domains', { domain: 'platform.example' });
  start(50);
  await eventually(
    () => woken.length,
    (count) => count >= overdue.length,
  );
  // Further turns find the same domains overdue, and do not wake them again for a while.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(woken.toSorted()).toEqual(overdue.toSorted());
});

test('no overdue domain is enqueued while Temporal is unreachable', async () => {
  isReachable = false;
  const [id] = await insert(1, -30);
  start(20);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await db.query('select from outbox')).rowCount).toBe(0);
  isReachable = true;
  await eventually(
    () => woken,
    (ids) => ids.includes(id!),
  );
});

test(
  'of 100,000 overdue domains some are woken at a time, the longest overdue first, as fast as they are checked',
  { tags: 'nightly' },
  async () => {
    const ids = await insert(100_000, -30);
    await db.query('analyze domains');
    const limit = 300;
    const turn = () => requeueOverdueDomains(emOf(db), { overdueMs: 15_000, againMs: 60_000, limit });
    const named = async (): Promise<string[]> => {
      const { rows } = await db.query<{ id: string }>(
        `delete from outbox where kind = 'domain' returning subject_id as id`,
      );
      return rows.map(({ id }) => id).toSorted();
    };
    expect(await turn()).toBe(limit);
    const first = await named();
    expect(first).toEqual(ids.slice(0, limit).toSorted());
    expect(await turn()).toBe(0);

    // A third of them are checked, so as many others are woken.
    await db.query(`update domains set next_check_at = now() + interval '1 day' where id = any($1)`, [
      ids.slice(0, 100),
    ]);
    expect(await turn()).toBe(100);
    expect(await named()).toEqual(ids.slice(limit, limit + 100).toSorted());

    // The rest cannot be checked: after a while the relay wakes other domains, and these last.
    await db.query(`update domains set requeued_at = requeued_at - interval '1 hour' where requeued_at is not null`);
    expect(await turn()).toBe(limit);
    expect(await named()).toEqual(ids.slice(limit + 100, 2 * limit + 100).toSorted());

    await db.query(`update domains set requeued_at = null`);
    start(50);
    await eventually(
      () => woken.length,
      (count) => count >= limit,
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(woken).toHaveLength(limit);
  },
);
