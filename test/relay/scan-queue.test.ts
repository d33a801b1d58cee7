import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createScanLag } from '#api/short-link/verdict-waiter.ts';
import { outboxHealth } from '#db/outbox-rows.ts';
import { claimScans, noOrganization, scanLanes } from '#db/threats/scan-queue.ts';
import { createRelay } from '#relay/relay.ts';
import { createTestApi, type TestApi } from '#test/support/api.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { reachable, type StartScan, startingScans } from '#test/support/relay.ts';
import { silent } from '#test/support/test-worker.ts';

let api: TestApi;
let greedy: TestOrganization;
let victim: TestOrganization;
let counter = 0;
beforeEach(async () => {
  api = await createTestApi();
  greedy = await createOrganization(api.db);
  victim = await createOrganization(api.db);
});
afterEach(() => api[Symbol.asyncDispose]());

const link = () => ({ destination: { type: 'link', value: `https://site${(counter += 1)}.example/` } });
async function create({ key }: TestOrganization, body: object = link()): Promise<void> {
  const { status } = await api.call('POST', '/short-link', body, { headers: { 'x-api-key': key } });
  expect(status).toBe(201);
}
async function createMany({ key }: TestOrganization, count: number): Promise<void> {
  const body = { links: Array.from({ length: count }, link) };
  const { status } = await api.call('POST', '/short-link/bulk', body, { headers: { 'x-api-key': key } });
  expect(status).toBe(201);
}

const claim = (options: Partial<Parameters<typeof claimScans>[1]> = {}) =>
  claimScans(api.db, { limit: 6, leaseMs: 60_000, lane: scanLanes.bulk, perDay: 1_000, ...options });
/** The organizations whose scans were taken, in order. */
async function ownersOf(rows: Awaited<ReturnType<typeof claim>>): Promise<string[]> {
  const { rows: known } = await api.db.query<{ id: string; organizationId: string }>(
    'select id::text, organization_id as "organizationId" from outbox',
  );
  const names = new Map([
    [greedy.id, 'greedy'],
    [victim.id, 'victim'],
  ]);
  return rows.map(({ id }) => {
    const { organizationId = noOrganization } = known.find((row) => Number(row.id) === id) ?? {};
    return names.get(organizationId) ?? organizationId;
  });
}

const startRelay = (startScan: StartScan) =>
  createRelay({
    db: api.db,
    em: emOf(api.db),
    databaseUrl: api.databaseUrl,
    startWorkflow: startingScans(startScan),
    temporal: reachable,
    log: silent,
    pollEveryMs: 20,
  });

async function scansOf(subjectIds: string[], { id }: TestOrganization): Promise<number> {
  const { rowCount } = await api.db.query(
    'select from destinations d join short_links l on l.id = d.link_id where d.id = any($1::uuid[]) and l.organization_id = $2',
    [subjectIds, id],
  );
  return rowCount ?? 0;
}

describe('scans that wait', () => {
  it('waiting scans are taken from organizations in turns, interactive scans first', async () => {
    await createMany(greedy, 50);
    await createMany(victim, 2);
    await create(greedy);
    await create(victim);
    await create(greedy);
    const interactive = ['greedy', 'victim', 'greedy'].toSorted();
    const first = await ownersOf(await claim());
    expect(first.slice(0, 3).toSorted()).toEqual(interactive);
    // The first of each, then the second of the one that has two.
    expect(first[2]).toBe('greedy');
    expect(first.slice(3).filter((name) => name === 'victim').length).toBeGreaterThan(0);
    expect((await ownersOf(await claim())).filter((name) => name === 'victim').length).toBeGreaterThan(0);
    expect(await ownersOf(await claim())).toEqual(Array.from({ length: 6 }, () => 'greedy'));
  });

  it('ten scans of a link with very many rules, its own included, come before bulk scans', async () => {
    const rules = Array.from({ length: 40 }, (_, priority) => ({ priority, countries: ['DE'], ...link() }));
    await create(greedy, { ...link(), rules });
    await create(victim);
    const interactive = await claim({ lane: scanLanes.interactive, limit: 100 });
    expect((await ownersOf(interactive)).filter((name) => name === 'victim')).toHaveLength(1);
    expect(interactive).toHaveLength(11);
    expect(await claim({ limit: 100 })).toHaveLength(31);
  });

  it('scans of an organization have a daily limit; the rest wait for the next day and count for no other organization', async () => {
    await createMany(greedy, 5);
    await createMany(victim, 1);
    expect((await ownersOf(await claim({ perDay: 3 }))).toSorted()).toEqual(['greedy', 'greedy', 'greedy', 'victim']);
    expect(await claim({ perDay: 3 })).toEqual([]);
    // The link is created all the same.
    await create(greedy);
    expect(await claim({ perDay: 3 })).toEqual([]);
    await api.db.query(`update outbox set created_at = now() - interval '1 hour'`);
    expect((await outboxHealth(emOf(api.db))).oldestMs).toBe(0);
    await api.db.query('update scan_days set day = day - 1');
    expect(await ownersOf(await claim({ perDay: 4 }))).toEqual(['greedy', 'greedy', 'greedy']);
  });

  it('overdue scans count as lag only for calls of their own organization', async () => {
    await createMany(greedy, 5);
    await create(victim);
    await api.db.query(`update outbox set due_at = now() - interval '3 seconds' where organization_id = $1`, [
      greedy.id,
    ]);
    const lag = createScanLag({ sql: api.db, isTemporalReachable: () => true, keepMs: 0 });
    expect(await lag({ organizationId: victim.id, isBulk: false })).toBe(false);
    expect(await lag({ organizationId: greedy.id, isBulk: false })).toBe(false);
    expect(await lag({ organizationId: greedy.id, isBulk: true })).toBe(true);
    await create(greedy);
    await api.db.query(`update outbox set due_at = now() - interval '3 seconds' where organization_id = $1`, [
      greedy.id,
    ]);
    expect(await lag({ organizationId: greedy.id, isBulk: false })).toBe(true);
    expect(await lag({ organizationId: victim.id, isBulk: false })).toBe(false);
  });
});

describe('a relay whose bulk scans take for ever', () => {
  it('the scan of a new link starts at once while bulk scans never end', async () => {
    await createMany(greedy, 100);
    await createMany(greedy, 100);
    const started: string[][] = [];
    // Stands for destinations that do not answer: none of these scans ends.
    const startScan: StartScan = async ({ destinationIds }) => {
      started.push(destinationIds);
      return { workflowId: 'hangs', finished: async (signal) => void (await once(signal, 'abort')) };
    };
    const relay = startRelay(startScan);
    try {
      await eventually(
        async () => started.length,
        (count) => count >= 3,
      );
      // A fixed sleep: long enough to see that a fourth scan does not start.
      await setTimeout(200);
      expect(started).toHaveLength(3);
      await create(victim);
      await eventually(
        () => scansOf(started.flat(), victim),
        (count) => count > 0,
      );
    } finally {
      await relay.stop();
    }
  });

  it('a slot stays free for five times as long as its bulk scan took', async () => {
    await createMany(greedy, 100);
    await createMany(greedy, 60);
    const scanMs = 100;
    const starts: number[] = [];
    const ends: number[] = [];
    const startScan: StartScan = async () => {
      starts.push(performance.now());
      const finished = async (): Promise<void> => {
        await setTimeout(scanMs);
        ends.push(performance.now());
      };
      return { workflowId: 'quick', finished };
    };
    const relay = startRelay(startScan);
    try {
      // Three slots take bulk scans; the fourth scan has to wait for one of them.
      await eventually(
        async () => starts.length,
        (count) => count >= 4,
      );
      expect(starts[3]! - ends[0]!).toBeGreaterThan(5 * scanMs - 20);
    } finally {
      await relay.stop();
    }
  });
});
