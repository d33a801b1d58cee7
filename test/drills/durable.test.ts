// @module-tag process
// @module-tag nightly

import { Client, Connection } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteDomain } from '#commands/domains/domains.ts';
import { storeVerdicts } from '#commands/threats/verdicts.ts';
import { makeFolder } from '#test/support/folders.ts';
import { between, createRandom } from '#test/support/kill/random.ts';
import type { threatRescan } from '#workflows/threats/rescan.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createLinkOwner, createScannedLinks, insertLinks, type LinkOwner } from '#test/support/durable.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFakeWebRisk, type FakeWebRisk } from '#test/support/fake-web-risk.ts';
import { createDomain } from '#test/support/factories.ts';
import { rowsOf, tracesOf } from '#test/support/rows.ts';
import { temporalForTest, useTestDatabase } from '#test/support/stack.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';
import { site } from '#test/support/test-worker.ts';
import { startWorkerToKill, type WorkerToKill } from '#test/support/worker-to-kill.ts';

// The worker is killed by SIGKILL in the middle of long work, at moments that a seed chooses, and started again.

const timeout = 240_000;
let fake: FakeWebRisk;
const folder = makeFolder();
let temporal: ReturnType<typeof temporalForTest>;
let workers: WorkerToKill[];

const db = useTestDatabase();
beforeAll(async () => {
  fake = await createFakeWebRisk();
});
beforeEach(() => {
  temporal = temporalForTest();
  workers = [];
});
afterEach(() => Promise.all(workers.map((worker) => worker.kill())));
afterAll(async () => {
  await fake[Symbol.asyncDispose]();
});

async function startWorker(): Promise<WorkerToKill> {
  const settings = { databaseUrl: db.url, temporal, dataDir: folder, webRiskEndpoint: fake.url };
  const worker = await startWorkerToKill(settings);
  workers.push(worker);
  return worker;
}

const count = async (query: string, value: unknown): Promise<number> =>
  (await db.query<{ count: number }>(`select count(*) as count from ${query}`, [value])).rows[0]!.count;

/** Makes links with two clicks each, on the owner's domain. @returns their ids. */
async function createClicked(owner: LinkOwner, links: number): Promise<string[]> {
  const urls = Array.from({ length: links }, (_, index) => `https://site${index % 50}.example/`);
  const ids = (await insertLinks(db, owner, urls)).map(({ id }) => id);
  const clicks = ids.flatMap((linkId) => [testClick({ ...owner, linkId }), testClick({ ...owner, linkId })]);
  for (let start = 0; start < clicks.length; start += 2_000) await ingestClicks(db, clicks.slice(start, start + 2_000));
  return ids.toSorted();
}

describe('a worker killed while it removes a domain', () => {
  const links = 2_000;

  test.each([
    { state: 'telling', seed: 80_101 },
    { state: 'removing', seed: 80_102 },
  ])(
    'a killed worker’s removal of a domain ($state, seed $seed) is completed and told once, and nothing else is touched',
    { timeout },
    async ({ state, seed }) => {
      const random = createRandom(seed);
      const [owner, other] = [await createLinkOwner(db), await createLinkOwner(db)];
      const keptDomain = await createDomain(db, owner.organizationId);
      const [first, ids] = await Promise.all([startWorker(), createClicked(owner, links)]);
      const keptIds = await createClicked({ ...owner, domainId: keptDomain.id }, 50);
      const others = {
        organization: { id: other.organizationId },
        links: (await createClicked(other, 100)).map((id) => ({ id })),
      };
      const before = await rowsOf(db, others);
      const told = () => count(`events where type = 'link.deleted' and organization_id = $1`, owner.organizationId);
      const left = () => count('hidden_links where purge_id = $1', owner.domainId);

      const actor = { ...owner, plan: 'premium' as const, userId: uuidv7(), permissions: {} };
      await emOf(db).transactional((em) => deleteDomain(em, actor, owner.domainId, { now: new Date() }));
      const at = between(random, links / 4, links / 2);
      if (state === 'telling') await eventually(told, (now) => now > at);
      else await eventually(left, (now) => now > 0 && now < links - at);
      await first.kill();
      // Else there was nothing to go on with.
      expect(await left()).toBeGreaterThan(0);
      expect((await told()) < links).toBe(state === 'telling');

      await startWorker();
      const purges = () => count('purges where id = $1', owner.domainId);
      await eventually(purges, (open) => open === 0);
      const { rows } = await db.query<{ id: string }>(
        `select link_id as id from events where type = 'link.deleted' and organization_id = $1 order by 1`,
        [owner.organizationId],
      );
      expect(rows.map(({ id }) => id)).toEqual(ids);
      expect((await tracesOf(db, ids, 'link_id')).filter((trace) => trace !== 'events.link_id')).toEqual([]);
      expect(await tracesOf(db, [owner.domainId], 'domain_id')).toEqual([]);
      expect(await count('domains where id = $1', owner.domainId)).toBe(0);
      expect(await count('short_links where id = any($1::uuid[])', keptIds)).toBe(keptIds.length);
      expect(await count('clicks where organization_id = $1', owner.organizationId)).toBe(2 * keptIds.length);
      expect(await rowsOf(db, others)).toEqual(before);
    },
  );
});

describe('a worker killed while it asks again about known URLs', () => {
  test('a killed worker’s rescan goes on where it stood: each URL is asked about', { timeout }, async () => {
    const random = createRandom(80_103);
    const starting = startWorker();
    const owner = await createLinkOwner(db);
    const urls = Array.from({ length: 500 }, (_, index) => `https://known${index}.example/`);
    const links = await createScannedLinks(db, owner, urls);
    const hashes = links.map(({ urlHash }) => urlHash).toSorted();
    await storeVerdicts(
      emOf(db),
      hashes.map((urlHash) => ({ urlHash, threatTypes: [], expiresAt: new Date(Date.now() - 1_000) })),
      site,
    );
    const flagged = links.filter(() => random() < 0.02);
    for (const { url } of flagged) fake.flag(url, ['MALWARE']);

    const first = await starting;
    const connection = await Connection.connect({ address: temporal.address });
    try {
      const client = new Client({ connection, namespace: temporal.namespace });
      const handle = await client.workflow.start<typeof threatRescan>('threatRescan', {
        workflowId: `threat-rescan-${uuidv7()}`,
        taskQueue: temporal.taskQueue,
        args: [],
      });
      // Some way into the second turn or the third.
      await eventually(
        async () =>
          ((await handle.fetchHistory()).events ?? []).filter((event) => event.activityTaskCompletedEventAttributes),
        (turns) => turns.length > 0,
      );
      const asked = fake.lookups.length;
      await fake.received(asked + between(random, 20, 150));
      await first.kill();
      expect(fake.lookups.length).toBeLessThan(urls.length);

      // Who began again would ask about the very first one again.
      await db.query(`update threat_verdicts set expires_at = now() where url_hash = decode($1, 'hex')`, [hashes[0]]);
      await startWorker();
      expect(await handle.result()).toMatchObject({ state: 'completed', left: 0 });
    } finally {
      await connection.close();
    }
    const times = Map.groupBy(fake.lookups, ({ uri }) => uri);
    expect([...times.keys()].toSorted()).toEqual(urls.toSorted());
    expect(times.get(links.find(({ urlHash }) => urlHash === hashes[0])!.url)).toHaveLength(1);
    // What was under way, or not stored yet.
    expect(fake.lookups.length - urls.length).toBeLessThan(30);
    const { rows } = await db.query<{ id: string }>(
      `select link_id as id from events where type = 'link.updated' and organization_id = $1 order by 1`,
      [owner.organizationId],
    );
    expect(rows.map(({ id }) => id)).toEqual(flagged.map(({ id }) => id).toSorted());
  });
});
