// @module-tag process

import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cancelImport, createImport } from '#commands/imports/imports.ts';
import { undoImport } from '#commands/imports/undo.ts';
import { Import } from '#db/entities/imports.ts';
import type { Actor } from '#core/audit/actor.ts';
import { createLinkOwner, type LinkOwner } from '#test/support/durable.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { makeFolder } from '#test/support/folders.ts';
import { createPerson } from '#test/support/people.ts';
import { temporalForTest, useTestDatabase } from '#test/support/stack.ts';
import { site } from '#test/support/test-worker.ts';
import { startWorkerToKill, type WorkerToKill } from '#test/support/worker-to-kill.ts';

// The worker imports with batches of up to 500 rows and without rests, and is killed by SIGKILL in the middle of a turn of 20 s.

const timeout = 150_000;
// Ten batches: some are left at every kill.
const rows = 5_000;
// They follow, with the slugs of the first ones.
const repeated = 100;
const folder = makeFolder();
let temporal: ReturnType<typeof temporalForTest>;
let workers: WorkerToKill[];

const db = useTestDatabase();
beforeEach(() => {
  temporal = temporalForTest();
  workers = [];
});
afterEach(() => Promise.all(workers.map((worker) => worker.kill())));

async function startWorker(): Promise<WorkerToKill> {
  const settings = { databaseUrl: db.url, temporal, dataDir: folder, webRiskEndpoint: 'http://127.0.0.1:9' };
  const worker = await startWorkerToKill({ ...settings, isFullSpeed: true });
  workers.push(worker);
  return worker;
}

async function actorOf({ organizationId }: LinkOwner): Promise<Actor> {
  const { id: userId } = await createPerson(db, { [organizationId]: 'owner' });
  return { organizationId, plan: 'premium', userId, permissions: {} };
}

/** Stores a file. */
async function beginImport(actor: Actor, { domainId }: LinkOwner): Promise<string> {
  const draft = {
    format: 'yourls' as const,
    header: ['keyword', 'url'],
    rows: Array.from({ length: rows + repeated }, (_, index) => {
      const number = (index % rows) + 1;
      return [`row-${number}`, `https://site.example/${number}`];
    }),
    domainId,
    folderId: undefined,
    bytes: 0,
  };
  const options = { site, now: new Date(), bytesPerDay: 0 };
  return (await emOf(db).transactional((em) => createImport(em, actor, draft, options))).id;
}

const count = async (query: string, value: unknown): Promise<number> =>
  (await db.query<{ count: number }>(`select count(*) as count from ${query}`, [value])).rows[0]!.count;
const madeFor = ({ organizationId }: LinkOwner) => count('short_links where organization_id = $1', organizationId);
const ended = async (id: string): Promise<Import> =>
  eventually(
    () => emOf(db).findOneOrFail(Import, { id }),
    ({ finishedAt }) => Boolean(finishedAt),
  );

/** Kills a worker as a batch of it waits to write to a table. */
async function killOnceItWaits(worker: WorkerToKill, table: 'events' | 'import_rows'): Promise<void> {
  await db.transaction(async (tx) => {
    // Readers go on.
    await tx.query(`lock table ${table} in share row exclusive mode`);
    await eventually(
      () => count('pg_locks where relation = $1::text::regclass and not granted', table),
      (waiting) => waiting > 0,
    );
    await worker.kill();
  });
}

/** Kills a worker that has made links, and whose next batch has inserted its own and waits to store their results. */
async function killInBatch(worker: WorkerToKill, owner: LinkOwner): Promise<void> {
  await eventually(
    () => madeFor(owner),
    (made) => made > 0,
  );
  await killOnceItWaits(worker, 'import_rows');
}

/** Every row up to `done` is exactly one link, with one event, and each row's result names the link of its slug. */
async function expectExactly(id: string, owner: LinkOwner, done: number): Promise<void> {
  expect(await madeFor(owner)).toBe(done);
  const { rows: links } = await db.query<{ slugs: number; events: number; matching: number }>(
    `select count(distinct l.slug)::int as slugs,
       (select count(*)::int from events e where e.organization_id = $2 and e.type = 'link.created') as events,
       count(*) filter (where l.slug = 'row-' || r.row and r.state = 'imported')::int as matching
     from short_links l join import_rows r on r.import_id = $1 and r.short_link_id = l.id
     where l.organization_id = $2`,
    [id, owner.organizationId],
  );
  expect(links).toEqual([{ slugs: done, events: done, matching: done }]);
  const events = `events where type = 'import.completed' and organization_id = $1`;
  expect(await count(events, owner.organizationId)).toBe(1);
}

test(
  'an import whose worker is killed in a batch makes each row into one link',
  { timeout, tags: 'nightly' },
  async () => {
    const owner = await createLinkOwner(db);
    const actor = await actorOf(owner);
    const [first, id] = await Promise.all([startWorker(), beginImport(actor, owner)]);
    await killInBatch(first, owner);
    expect(await madeFor(owner)).toBeLessThan(rows);
    await startWorker();
    const counts = { total: rows + repeated, imported: rows, skipped: repeated, failed: 0 };
    expect(await ended(id)).toMatchObject({ state: 'completed', ...counts });
    await expectExactly(id, owner, rows);
  },
);

test('an undo whose worker is killed in a batch removes each link once', { timeout, tags: 'nightly' }, async () => {
  const owner = await createLinkOwner(db);
  const actor = await actorOf(owner);
  const [first, id] = await Promise.all([startWorker(), beginImport(actor, owner)]);
  await ended(id);

  await emOf(db).transactional((em) => undoImport(em, actor, id, { includeChanged: false, now: new Date() }));
  const removed = async (): Promise<number> => (await emOf(db).findOneOrFail(Import, { id })).removed;
  await eventually(removed, (links) => links > 0);
  // In a batch that has deleted its links, and waits to write their events.
  await killOnceItWaits(first, 'events');
  const before = await removed();
  expect(before).toBeLessThan(rows);
  const deletedOf = (query: string) => count(query, owner.organizationId);
  expect(await deletedOf('short_links where organization_id = $1 and deleted_at is null')).toBe(rows - before);

  await startWorker();
  const undone = await eventually(
    () => emOf(db).findOneOrFail(Import, { id }),
    ({ state }) => state === 'undone',
  );
  expect(undone).toMatchObject({ removed: rows, kept: 0, undoLeft: 0, dueAt: null });
  expect(await deletedOf('short_links where organization_id = $1 and deleted_at is null')).toBe(0);
  const events = `events where type = 'link.deleted' and organization_id = $1`;
  expect(await deletedOf(events)).toBe(rows);
  expect(await deletedOf(`(select distinct link_id from ${events}) as links`)).toBe(rows);
});

test(
  'an import that is cancelled while its worker lies killed in a batch makes no row after it',
  { timeout, tags: 'nightly' },
  async () => {
    const owner = await createLinkOwner(db);
    const actor = await actorOf(owner);
    const [first, id] = await Promise.all([startWorker(), beginImport(actor, owner)]);
    await killInBatch(first, owner);
    const { imported } = await emOf(db).transactional((em) => cancelImport(em, actor, id, new Date()));
    await expectExactly(id, owner, imported);
    expect(await count('import_rows where import_id = $1', id)).toBe(imported);

    await startWorker();
    const connection = await Connection.connect({ address: temporal.address });
    try {
      const client = new Client({ connection, namespace: temporal.namespace });
      const result = await client.workflow.getHandle(`import/${id}`).result();
      expect(result).toMatchObject({ state: 'cancelled', total: rows + repeated, imported });
    } finally {
      await connection.close();
    }
    await expectExactly(id, owner, imported);
    expect(await emOf(db).findOneOrFail(Import, { id })).toMatchObject({ state: 'cancelled', imported });
  },
);
