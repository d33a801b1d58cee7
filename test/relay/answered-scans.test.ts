import { randomUUID } from 'node:crypto';
import type { SearchAttributePair } from '@temporalio/common';
import { beforeEach, describe, expect, test } from 'vitest';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { gatherAnswered } from '#db/threats/scan-batches.ts';
import { createAnsweredScans } from '#relay/answered-scans.ts';
import { createLinkOwner, createScannedLinks } from '#test/support/durable.ts';
import { eventually } from '#test/support/eventually.ts';
import { reachable, relayContext } from '#test/support/relay.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();
const clean = { threatTypes: [], expiresAt: new Date('2099-01-01') };

beforeEach(async () => {
  await db.query('delete from unrecorded_scans');
  await db.query('delete from outbox');
  await db.query('delete from scan_batches');
});

/** Answered scans that belong to nothing: `rows` times as many as came together. */
const addScans = (rows: number, organizationId: string, together = 1) =>
  db.query(
    `insert into unrecorded_scans (subject_ids, organization_ids)
     select array_agg(gen_random_uuid()), array_agg($2::uuid)
     from generate_series(1, $1) as r (row), generate_series(1, $3) group by row`,
    [rows, organizationId, together],
  );

/** Runs the part until it has started `count` workflows. */
async function run(count: number, isReachable = () => true): Promise<WorkflowStart[]> {
  const starts: WorkflowStart[] = [];
  const part = createAnsweredScans({
    ...relayContext({
      db,
      startWorkflow: async (start) => {
        starts.push(start);
        return { workflowId: start.options.workflowId, finished: async () => {} };
      },
      temporal: { ...reachable, isReachable },
    }),
    perDay: 5_000,
  });
  try {
    await eventually(async () => starts.length >= count);
  } finally {
    await part.stop();
  }
  return starts;
}

describe('answered scans', () => {
  test('scans of several organizations share one workflow, which is named by the batch of their links', async () => {
    const [one, other] = [await createLinkOwner(db), await createLinkOwner(db)];
    const [first] = await createScannedLinks(db, one, ['https://one.example/path'], clean);
    const [second] = await createScannedLinks(db, other, ['https://two.example/path'], clean);
    const [start, ...more] = await run(1);
    expect(more).toEqual([]);
    const { rows } = await db.query<{ id: string; subjects: string[]; links: string[] }>(
      'select id, subject_ids as subjects, link_ids as links from scan_batches',
    );
    expect(rows).toEqual([
      {
        id: expect.any(String),
        subjects: [first!.destinationId, second!.destinationId],
        links: [first!.id, second!.id],
      },
    ]);
    expect(start!.options.workflowId).toBe(`threat-scan/${rows[0]!.id}`);
    expect(start!.options.args).toEqual([
      { batchId: rows[0]!.id, destinations: 2, hosts: ['one.example', 'two.example'] },
    ]);
    const pairs = start!.options.typedSearchAttributes as SearchAttributePair[];
    const attributes = new Map(pairs.map(({ key, value }) => [key.name, value]));
    expect(attributes.get('linkId')).toEqual([first!.id, second!.id]);
    expect(attributes.get('organizationId')).toEqual([one.organizationId, other.organizationId]);
  });

  test('five thousand scans fill a workflow, and each counts for the day of its organization (13.7)', async () => {
    const organizationId = randomUUID();
    await addScans(5_500, organizationId);
    const starts = await run(2);
    expect(starts.map(({ options }) => options.args![0].destinations)).toEqual([5_000, 500]);
    const { rows } = await db.query('select scans, is_spent from scan_days where organization_id = $1', [
      organizationId,
    ]);
    expect(rows).toEqual([{ scans: 5_500, is_spent: true }]);
  });

  test('scans gather while Temporal is away', async () => {
    await addScans(3, randomUUID());
    let isAway = true;
    setTimeout(() => (isAway = false), 1_500);
    const starts = await run(1, () => !isAway);
    expect(starts.map(({ options }) => options.args![0].destinations)).toEqual([3]);
  });

  test('a batch that no workflow has recorded within a minute is started again', async () => {
    await addScans(2, randomUUID());
    await gatherAnswered(db, { limit: 1_000, perDay: 10 });
    await db.query('delete from outbox');
    await db.query(`update scan_batches set created_at = now() - interval '61 seconds'`);
    const [start] = await run(1);
    expect(start!.options.args![0]).toMatchObject({ destinations: 2 });
  });

  test('two relays at once divide the scans', async () => {
    await addScans(2_000, randomUUID());
    const gather = () => gatherAnswered(db, { limit: 1_000, perDay: 10_000 });
    expect((await Promise.all([gather(), gather()])).map(({ taken }) => taken)).toEqual([1_000, 1_000]);
    const { rows } = await db.query<{ ids: number }>(
      'select count(distinct s.id) as ids from scan_batches, unnest(subject_ids) as s (id)',
    );
    expect(rows).toEqual([{ ids: 2_000 }]);
    expect(await gather()).toEqual({ taken: 0, more: false });
  });

  test('scans that came together stay together, and what has no room waits', async () => {
    await addScans(4, randomUUID(), 300);
    const gather = () => gatherAnswered(db, { limit: 1_000, perDay: 10_000 });
    expect([await gather(), await gather()]).toEqual([
      { taken: 900, more: true },
      { taken: 300, more: false },
    ]);
    await addScans(1, randomUUID(), 1_200);
    expect(await gather()).toEqual({ taken: 1_200, more: false });
  });

  test('a scan that a process of an earlier version has answered is recorded too', async () => {
    const [one, other, organizationId] = [randomUUID(), randomUUID(), randomUUID()];
    await db.query('insert into answered_scans (subject_id, organization_id) values ($1, $3), ($2, $3)', [
      one,
      other,
      organizationId,
    ]);
    expect(await gatherAnswered(db, { limit: 1_000, perDay: 10 })).toEqual({ taken: 2, more: false });
    const { rows } = await db.query('select subject_ids as subjects from scan_batches');
    expect(rows).toEqual([{ subjects: [one, other] }]);
  });
});
