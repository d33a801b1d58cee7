import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { createScanLag } from '#api/short-link/verdict-waiter.ts';
import { createDatabase } from '#db/connection/database.ts';
import { outboxHealth } from '#db/outbox-rows.ts';
import { expectNoAnswers } from '#db/threats/verdicts.ts';
import { createScans } from '#relay/scans.ts';
import { createTestApi, type TestApi } from '#test/support/api.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { relayContext } from '#test/support/relay.ts';
import { patientMs } from '#test/support/stack.ts';
import type { ThreatScanInput } from '#workflows/threats/scan.ts';

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

/** Scans that a relay starts, as soon as `count` destinations are in them. */
async function startedScans(count: number, { perDay = 1_000 } = {}): Promise<Scan[]> {
  const scans: Scan[] = [];
  const startWorkflow = async ({ options }: WorkflowStart) => {
    const [{ destinationIds, isBulk }] = options.args as [ThreatScanInput];
    scans.push({ destinations: destinationIds.length, isBulk, priority: options.priority });
  };
  // By one connection statements, and so starts, keep their order: of several, a new one would take a moment longer.
  await using closing = new AsyncDisposableStack();
  const db = createDatabase({ url: api.databaseUrl, poolMax: 1, connectTimeoutMs: patientMs });
  closing.defer(() => db.close());
  const relay = createScans({ ...relayContext({ db, startWorkflow }), perDay });
  try {
    await eventually(async () => scans.reduce((sum, { destinations }) => sum + destinations, 0) === count);
    await eventually(async () => {
      const { rowCount } = await api.db.query(
        `select from outbox where kind = 'threat-scan' and due_at < now() + interval '1 minute'`,
      );
      return rowCount === 0;
    });
  } finally {
    await relay.stop();
  }
  return scans;
}

interface Scan {
  destinations: number;
  isBulk: boolean | undefined;
  priority: WorkflowStart['options']['priority'];
}

describe('scans that wait', () => {
  it('interactive scans start first, and no scan has destinations of two organizations', async () => {
    for (let call = 0; call < 3; call += 1) await createMany(greedy, 100);
    await createMany(victim, 2);
    await create(greedy);
    await create(victim);
    const scans = await startedScans(304);
    const urgent = scans.filter(({ isBulk }) => isBulk === false);
    // Of the first 200 rows that are claimed.
    expect(scans.slice(0, 8).filter(({ isBulk }) => isBulk === false)).toEqual(urgent);
    const byKey = (own: Scan[], { id }: TestOrganization) =>
      own
        .filter(({ priority }) => priority!.fairnessKey === id)
        .map(({ destinations }) => destinations)
        .toSorted();
    expect([byKey(urgent, greedy), byKey(urgent, victim)]).toEqual([[1], [1]]);
    const bulk = scans.filter(({ isBulk }) => isBulk === true);
    expect(byKey(bulk, victim)).toEqual([2]);
    expect(Math.max(...byKey(bulk, greedy))).toBe(40);
    expect(new Set(urgent.map(({ priority }) => priority!.priorityKey))).toEqual(new Set([1]));
    expect(new Set(bulk.map(({ priority }) => priority!.priorityKey))).toEqual(new Set([5]));
  });

  it('ten scans of a link with very many rules, its own included, are interactive', async () => {
    const rules = Array.from({ length: 40 }, (_, priority) => ({ priority, countries: ['DE'], ...link() }));
    await create(greedy, { ...link(), rules });
    const scans = await startedScans(41);
    expect(scans.map(({ destinations, isBulk }) => [destinations, isBulk])).toEqual([
      [10, false],
      [31, true],
    ]);
  });

  it('scans of an organization have a daily limit; the rest wait for the next day and count for no other organization', async () => {
    await createMany(greedy, 5);
    await createMany(victim, 1);
    expect(await startedScans(4, { perDay: 3 })).toHaveLength(2);
    // The link is created all the same.
    await create(greedy);
    expect(await startedScans(0, { perDay: 3 })).toEqual([]);
    await api.db.query(`update outbox set created_at = now() - interval '1 hour'`);
    expect((await outboxHealth(emOf(api.db))).oldestMs).toBe(0);
    const { rows } = await api.db
      .query(`select count(*) filter (where due_at - date_trunc('day', now() + interval '1 day', 'UTC') between '0' and '1 minute') as next_day,
      count(*) as waiting from outbox`);
    expect(rows).toEqual([{ next_day: 3, waiting: 3 }]);
    await api.db.query('update scan_days set day = day - 1');
    await api.db.query('update outbox set due_at = now()');
    const next = await startedScans(3, { perDay: 3 });
    expect(next.reduce((sum, { destinations }) => sum + destinations, 0)).toBe(3);
  });

  it('bulk scans that an emptied Temporal has lost start again at once', async () => {
    await createMany(greedy, 50);
    expect((await startedScans(50)).length).toBeGreaterThan(0);
    // No scan has brought a verdict, and none is overdue yet.
    expect(await startedScans(0)).toEqual([]);
    await expectNoAnswers(emOf(api.db));
    const again = await startedScans(50);
    expect(again.every(({ isBulk }) => isBulk === true)).toBe(true);
  });

  it('overdue scans count as lag only for calls of their own organization', { tags: 'slow' }, async () => {
    await createMany(greedy, 5);
    await create(victim);
    await api.db.query(`update outbox set due_at = now() - interval '3 seconds' where organization_id = $1`, [
      greedy.id,
    ]);
    const lag = createScanLag({ em: emOf(api.db), isTemporalReachable: () => true, keepMs: 0 });
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
