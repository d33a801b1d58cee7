// @module-tag slow

import { noMeter } from '#core/lib/meter.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storeVerdicts } from '#commands/threats/verdicts.ts';
import { enqueue } from '#db/outbox.ts';
import { outboxHealth } from '#db/outbox-rows.ts';
import type { RelayPart } from '#relay/loop.ts';
import { createRelay, type RelayOptions } from '#relay/relay.ts';
import { maxBatch } from '#relay/scans.ts';
import { createLinkOwner, createScannedLinks, insertLinks, type LinkOwner } from '#test/support/durable.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { reachable, type StartScan, startingScans } from '#test/support/relay.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { silent, site } from '#test/support/test-worker.ts';

const db = useTestDatabase();
let owner: LinkOwner;
let relays: RelayPart[];
let counter = 0;

beforeEach(async () => {
  await db.query('truncate outbox, threat_verdicts, short_links cascade');
  owner = await createLinkOwner(db);
  relays = [];
});
afterEach(async () => void (await Promise.all(relays.map((relay) => relay.stop()))));

const nextUrls = (count: number): string[] =>
  Array.from({ length: count }, () => `https://site${(counter += 1)}.example/`);

function start({ startScan, ...options }: Partial<RelayOptions> & { startScan: StartScan }): RelayPart {
  const relay = createRelay({
    db,
    em: emOf(db),
    scansPerDay: 100_000,
    meter: noMeter,
    startWorkflow: startingScans(startScan),
    temporal: reachable,
    log: silent,
    pollEveryMs: 20,
    reconcileEveryMs: 50,
    ...options,
  });
  relays.push(relay);
  return relay;
}

/** Stands for scan workflows, which end at once. */
function fakeScans() {
  /** Destinations of each scan. */
  const batches: string[][] = [];
  const startScan: StartScan = async ({ destinationIds, urlHashes }) => {
    batches.push(destinationIds);
    const expiresAt = new Date(Date.now() + 60_000);
    const verdicts = urlHashes.map((urlHash) => ({ urlHash, threatTypes: [], expiresAt }));
    await storeVerdicts(emOf(db), verdicts, site);
  };
  return { startScan, batches };
}

async function openVerdicts(): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*) as count from threat_verdicts where due_at is not null',
  );
  return rows[0]!.count;
}
const allDone = () => eventually(async () => (await openVerdicts()) === 0);

describe('the relay', () => {
  test('the relay starts one scan of the waiting rows, forty at most, the oldest first', async () => {
    await createScannedLinks(db, owner, nextUrls(60));
    const late = await createScannedLinks(db, owner, nextUrls(30));
    const scans = fakeScans();
    start(scans);
    await allDone();
    // They start at once, in any order.
    const batches = scans.batches.toSorted((one, other) => other.length - one.length);
    expect(batches.map((batch) => batch.length)).toEqual([maxBatch, maxBatch, 10]);
    expect(late.map((link) => link.destinationId)).toEqual(expect.arrayContaining(batches[2]!));
    await eventually(async () => (await outboxHealth(emOf(db))).waiting === 0);
  });

  test('a row counts no attempt while Temporal is unreachable', async () => {
    const scans = fakeScans();
    let calls = 0;
    const startScan: StartScan = async (input) => {
      calls += 1;
      if (calls <= 3) throw new Error('UNAVAILABLE');
      return scans.startScan(input);
    };
    const temporal = { ...reachable, isAway: (error: unknown) => (error as Error).message === 'UNAVAILABLE' };
    start({ startScan, temporal });
    await createScannedLinks(db, owner, nextUrls(1));
    for (let round = 1; round <= 3; round += 1) {
      await eventually(
        async () => (await db.query('select from outbox where attempts = 0 and due_at > now()')).rowCount === 1,
      );
      await db.query('update outbox set due_at = now()');
      await eventually(async () => calls > round);
    }
    await allDone();
    expect(calls).toBe(4);
  });

  test('the relay sets Temporal up again when Temporal has lost its set-up, and tries once more', async () => {
    const scans = fakeScans();
    let isPrepared = false;
    const prepare = async (): Promise<void> => void (isPrepared = true);
    const startScan: StartScan = async (input) => {
      if (!isPrepared) throw new Error('no such search attribute');
      return scans.startScan(input);
    };
    start({ startScan, temporal: { ...reachable, prepare } });
    await createScannedLinks(db, owner, nextUrls(1));
    await allDone();
    await eventually(async () => (await db.query('select from outbox')).rowCount === 0);
    expect(scans.batches).toHaveLength(1);
  });

  test(
    'a row that always fails is parked, stops no other row, and is sent once it is enqueued again',
    { tags: 'nightly' },
    async () => {
      const scans = fakeScans();
      const [poison, ...others] = await createScannedLinks(db, owner, nextUrls(20));
      let isPoisonous = true;
      const startScan: StartScan = async (input) => {
        if (isPoisonous && input.destinationIds.includes(poison!.destinationId)) throw new Error('it always fails');
        return scans.startScan(input);
      };
      start({ startScan });
      // Moves times of rows that have failed into the past, so that the test does not wait for twenty gaps. A row without its error is not moved
      // again while its next call is under way.
      await eventually(async () => {
        // Locks in the relay's order (docs/locks.md); the reverse can deadlock with it.
        await db.query(`update outbox set due_at = now(), last_error = null where id in (
        select id from outbox where parked_at is null and last_error is not null order by kind, subject_id for update)`);
        // The relay may claim this row first each time, so the others may be done only once it is parked.
        const { waiting, parked } = await outboxHealth(emOf(db));
        return parked === 1 && waiting === 0;
      });
      expect(scans.batches.flat().toSorted()).toEqual(others.map((link) => link.destinationId).toSorted());
      const { rows } = await db.query('select subject_id, attempts, last_error from outbox');
      expect(rows).toEqual([{ subject_id: poison!.destinationId, attempts: 20, last_error: 'it always fails' }]);
      // The reconciler leaves it parked.
      await db.query('update threat_verdicts set due_at = now() where due_at is not null');
      await db.query('select pg_sleep(0.2)');
      expect(await outboxHealth(emOf(db))).toMatchObject({ waiting: 0, parked: 1 });
      isPoisonous = false;
      await enqueue(db, 'threat-scan', [poison!.destinationId]);
      await allDone();
      expect(scans.batches.at(-1)).toEqual([poison!.destinationId]);
      await eventually(async () => (await db.query('select from outbox')).rowCount === 0);
    },
  );

  test('the relay restarts scans that Temporal has lost, within a minute by its own clocks (12.5)', async () => {
    let loses = true;
    const scans = fakeScans();
    const startScan: StartScan = async (input) => (loses ? undefined : scans.startScan(input));
    start({ startScan });
    await createScannedLinks(db, owner, nextUrls(60));
    await eventually(async () => (await outboxHealth(emOf(db))).waiting === 0);
    expect(await openVerdicts()).toBe(60);
    const { rows } = await db.query<{ latest: number }>(
      'select extract(epoch from max(due_at) - now())::float8 as latest from threat_verdicts',
    );
    expect(rows[0]!.latest).toBeLessThan(40);
    loses = false;
    await db.query('update threat_verdicts set due_at = now()');
    await allDone();
    expect(scans.batches.flat()).toHaveLength(60);
  });

  test('a verdict that no live link needs is awaited no longer', async () => {
    const [gone, live] = await createScannedLinks(db, owner, nextUrls(2));
    await db.query('update short_links set deleted_at = now() where id = $1', [gone!.id]);
    await db.query('truncate outbox');
    await db.query('update threat_verdicts set due_at = now()');
    const scans = fakeScans();
    start(scans);
    await allDone();
    expect(scans.batches.flat()).toEqual([live!.destinationId]);
  });

  test('the relay settles rows of deleted links without a scan', async () => {
    const [link] = await insertLinks(db, owner, nextUrls(1));
    await createScannedLinks(db, owner, [link!.url]);
    await db.query('update short_links set deleted_at = now()');
    const scans = fakeScans();
    start(scans);
    await eventually(async () => (await outboxHealth(emOf(db))).waiting === 0);
    expect(scans.batches).toEqual([]);
  });

  test('a relay that stops claims no more rows', async () => {
    const scans = fakeScans();
    await start(scans).stop();
    const before = scans.batches.length;
    await createScannedLinks(db, owner, nextUrls(1));
    await db.query('select pg_sleep(0.1)');
    expect(scans.batches).toHaveLength(before);
  });
});
