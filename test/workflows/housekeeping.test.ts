import { ScheduleNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, expect, test } from 'vitest';
import { deleteSchedule, ensureSchedule } from '#adapters/temporal/schedules.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import type { Database, Sql } from '#db/connection/database.ts';
import type { HousekeepingResult } from '#workflows/housekeeping.ts';
import { schedulesOf } from '#workflows/starts.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createLinkOwner, insertLinks } from '#test/support/durable.ts';
import { recordHistory } from '#test/support/histories.ts';
import { temporalForTest, useTestDatabase } from '#test/support/stack.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { startTestWorker, type TestWorker } from '#test/support/test-worker.ts';
import { readMetadata } from '#test/support/workflow-metadata.ts';

const db = useTestDatabase();
const nowMs = Date.now();
let worker: TestWorker;
afterEach(() => worker[Symbol.asyncDispose]());

/** A database whose statements that contain `text` fail. */
function failing(text: string): Database {
  const query = (...args: Parameters<Sql['query']>): Promise<never> => {
    const [statement] = args;
    const sql = typeof statement === 'string' ? statement : (statement as { text: string }).text;
    if (sql.includes(text)) throw ApplicationFailure.nonRetryable('no such luck');
    return db.query(...args) as Promise<never>;
  };
  return { ...db, query } as Database;
}

async function start(forgetting: Database = db): Promise<void> {
  const storage = { put: async () => {}, remove: async () => {}, read: () => Promise.reject(new Error('not asked')) };
  worker = await startTestWorker({
    temporal: temporalForTest(),
    sql: db,
    scanner: { name: 'none', lookup: () => Promise.reject(new Error('not asked')), close: async () => {} },
    housekeeping: { em: createEntityManager(forgetting), eventsAtOnce: 3 },
    clicks: { em: emOf(db), keptDays: 30, now: () => nowMs },
    files: { em: emOf(db), storage: storage as never },
    visitorKeys: { em: emOf(db), now: () => nowMs },
  });
}

async function run(record: string): Promise<{ result: HousekeepingResult; state: unknown; details: string }> {
  const { client, taskQueue } = worker;
  const handle = await client.workflow.start('housekeeping', { taskQueue, workflowId: `housekeeping-${uuidv7()}` });
  const result = (await handle.result()) as HousekeepingResult;
  await recordHistory(record, handle);
  const { typedSearchAttributes } = await handle.describe();
  const { currentDetails } = await readMetadata(handle);
  return { result, state: typedSearchAttributes.get(stateKey), details: currentDetails ?? '' };
}

const count = async (table: string): Promise<number> =>
  (await db.query<{ count: number }>(`select count(*) as count from ${table}`)).rows[0]!.count;

/** One row of each kind that is too old, and more events than a batch takes. */
async function putOldRows(): Promise<void> {
  const organization = await createOrganization(db);
  const dayMs = 24 * 60 * 60 * 1_000;
  for (let day = 31; day < 38; day += 1) {
    const id = uuidv7({ msecs: nowMs - day * dayMs });
    await db.query(`insert into events (id, organization_id, type, body) values ($1, $2, 'link.created', '{}')`, [
      id,
      organization.id,
    ]);
  }
  await db.query(`insert into sign_in_failures (id, account, client, failed_at)
    values (gen_random_uuid(), 'a', 'b', now() - interval '16 minutes'), (gen_random_uuid(), 'a', 'b', now())`);
  await db.query(`insert into password_resets (id, account, expires_at) values
    (gen_random_uuid(), 'a', now() - interval '1 second'), (gen_random_uuid(), 'a', now() + interval '1 hour')`);
  await db.query(`insert into link_password_failures (link_id, client, failed_at, last_failed_at) values
    (gen_random_uuid(), 'a', array[now() - interval '16 minutes'], now() - interval '16 minutes'),
    (gen_random_uuid(), 'a', array[now()], now())`);
  await db.query(
    `insert into scan_days (organization_id, day, scans, is_spent) values
    ($1, current_date - 3, 1, false), ($1, current_date, 1, false)`,
    [organization.id],
  );
  await db.query(`insert into journals (id, segment, position, finished_at) values
    (gen_random_uuid(), 1, 0, now() - interval '31 days'), (gen_random_uuid(), 1, 0, now() - interval '29 days')`);
  await db.query(`insert into scan_batches (id, created_at, recorded_at, subject_ids, link_ids) values
    (gen_random_uuid(), now() - interval '31 days', now() - interval '31 days', '{}', '{}'),
    (gen_random_uuid(), now() - interval '29 days', null, '{}', '{}')`);
  await db.query(`insert into visitor_keys (month, key) values ('2020-01', '\\x00')`);
}

test('housekeeping deletes old rows of every kind and shows each step', async () => {
  await start();
  await putOldRows();
  const { result, state, details } = await run('housekeeping-batches');
  expect(result).toMatchObject({ state: 'completed', failed: [] });
  expect(state).toBe('completed');
  expect(await count('events')).toBe(0);
  for (const table of [
    'sign_in_failures',
    'password_resets',
    'link_password_failures',
    'scan_days',
    'scan_batches',
    'journals',
  ]) {
    expect({ table, rows: await count(table) }).toEqual({ table, rows: 1 });
  }
  const { rows } = await db.query(`select from visitor_keys where month = '2020-01'`);
  expect(rows).toEqual([]);
  expect(Object.keys(result.steps)).toHaveLength(14);
  expect(details).toContain('- events: done');
  expect(details).toContain('- visitor keys: destroyed 2020-01');
});

test('housekeeping reports each link whose end has passed once, in batches', async () => {
  await start();
  const owner = await createLinkOwner(db);
  const links = await insertLinks(db, owner, ['https://a.example/', 'https://b.example/', 'https://c.example/']);
  await db.query('update short_links set expires_at = now() where organization_id = $1', [owner.organizationId]);
  const { result, details } = await run('housekeeping-expired-links');
  expect(result.failed).toEqual([]);
  expect(details).toContain('- expired links: 3 reported');
  expect((await run('housekeeping-expired-links')).details).toContain('- expired links: 0 reported');
  const { rows } = await db.query<{ link_id: string }>(`select link_id from events where type = 'link.expired'`);
  expect(rows.map((row) => row.link_id).toSorted()).toEqual(links.map(({ id }) => id).toSorted());
});

test('a step of housekeeping that fails stops no other, and the run says which failed', async () => {
  await start(failing('delete from events'));
  await putOldRows();
  const { result, state, details } = await run('housekeeping-failed-step');
  expect(result).toMatchObject({ state: 'incomplete', failed: ['events'] });
  expect(state).toBe('incomplete');
  expect(await count(`journals where finished_at < now() - interval '30 days'`)).toBe(0);
  expect(details).toContain('- events: failed, the next run tries again: no such luck');
  expect(details).toContain('- journals: done');
});

test('the schedule of housekeeping starts it, and a retired schedule is deleted whether it is there or not', async () => {
  await start();
  const { client, taskQueue } = worker;
  const schedule = schedulesOf({ THREAT_RESCAN_PER_DAY: 1, usesThreatLists: false }).find(
    ({ id }) => id === 'housekeeping',
  )!;
  const id = `housekeeping-${uuidv7()}`;
  await ensureSchedule(client, { ...schedule, id, taskQueue });
  const { action } = await client.schedule.getHandle(id).describe();
  expect(action).toMatchObject({ workflowType: 'housekeeping', staticSummary: schedule.summary });
  await deleteSchedule(client, id);
  await deleteSchedule(client, id);
  await expect(client.schedule.getHandle(id).describe()).rejects.toBeInstanceOf(ScheduleNotFoundError);
});
