import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createReadiness, type Readiness, type ReadinessOptions } from '#api/health/readiness.ts';
import { createDatabase } from '#db/connection/database.ts';
import { lockJournal, unlockJournal } from '#db/clicks/journal-lock.ts';
import { lanes, today } from '#db/outbox.ts';
import { createTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createTcpProxy } from '#test/support/tcp-proxy.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { insertWorker } from '#test/support/workers.ts';
import { insertRow, secondsAgo } from '#test/support/rows.ts';

const gib = 2 ** 30;

const db = useTestDatabase();
beforeAll(async () => {
  await insertWorker(db);
});

const open = (options: Partial<ReadinessOptions> = {}): Readiness =>
  createReadiness({
    sql: db,
    isTemporalReachable: () => true,
    isDatabaseFull: () => false,
    readDisk: async () => ({ freeBytes: 50 * gib, totalBytes: 100 * gib }),
    diskWarnBytes: gib,
    now: Date.now,
    ...options,
  });

describe('readiness of the API (1.10)', () => {
  it('nothing is degraded while all is well', async () => {
    expect((await open().degraded()).names).toEqual([]);
  });

  it('an unreachable Temporal is degraded', async () => {
    expect((await open({ isTemporalReachable: () => false }).degraded()).names).toEqual(['temporal']);
  });

  it('a storage that failed its last check is degraded', async () => {
    expect((await open({ isStorageUp: () => true }).degraded()).names).toEqual([]);
    expect((await open({ isStorageUp: () => false }).degraded()).names).toEqual(['storage']);
  });

  it('a ClickHouse that does not answer, or fails, is degraded', async () => {
    expect((await open({ isClickHouseUp: async () => true }).degraded()).names).toEqual([]);
    expect((await open({ isClickHouseUp: async () => false }).degraded()).names).toEqual(['clickhouse']);
    expect((await open({ isClickHouseUp: () => Promise.reject(new Error('gone')) }).degraded()).names).toEqual([
      'clickhouse',
    ]);
    const isClickHouseUp = () => new Promise<boolean>(() => {});
    expect((await open({ isClickHouseUp, timeoutMs: 1_000 }).degraded()).names).toEqual(['clickhouse']);
  });

  it('a clock that is off by a second is degraded', async () => {
    const ahead = open({ now: () => Date.now() + 5_000 });
    expect((await ahead.degraded()).names).toEqual([
      expect.stringMatching(/^clock: [45]\.\d s ahead of the database's$/),
    ]);
    expect((await open({ now: () => Date.now() + 500 }).degraded()).names).toEqual([]);
  });

  it('threat lists that cannot tell what is clean are degraded', async () => {
    const describeStaleLists = (): string => 'threat lists: changes overdue for 130 min';
    expect((await open({ describeStaleLists }).degraded()).names).toEqual([
      'threat lists: changes overdue for 130 min',
    ]);
    expect((await open({ describeStaleLists: () => undefined }).degraded()).names).toEqual([]);
  });

  it('edges are degraded for as long as they report a lag', async () => {
    const readiness = open();
    readiness.onJournalLag(JSON.stringify({ journalId: randomUUID(), lagMs: 2_500 }));
    readiness.onJournalLag(JSON.stringify({ journalId: randomUUID(), lagMs: 7_320 }));
    expect((await readiness.degraded()).names).toEqual(['journal: 7.3 s behind']);
  });

  it('journals are degraded that no process ships, and no others', async () => {
    const left = randomUUID();
    const shipped = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
    for (const id of [left, shipped]) await insertRow(db, 'journals', { id });
    await insertRow(db, 'journals', { finished_at: new Date() });
    await insertRow(db, 'journals', { ingested_at: secondsAgo(2 * 86_400) });
    const client = await db.pool.connect();
    expect(await lockJournal(client, shipped)).toBe(true);
    expect((await open().degraded()).names).toEqual(['journal: 1 left by edges that are gone']);
    await unlockJournal(client, shipped);
    client.release();
    await db.query('delete from journals');
  });

  it('dead-lettered click records and parked rows of the outbox are degraded', async () => {
    await insertRow(db, 'journals', { finished_at: new Date(), rejected: 2 });
    await insertRow(db, 'outbox', { parked_at: new Date() });
    await insertRow(db, 'outbox');
    expect((await open().degraded()).names).toEqual(['rejected clicks: 2', 'outbox: 1 parked']);
    await db.query('delete from journals');
    await db.query('delete from outbox');
  });

  it('dead or hung workers and workers that take no tasks are degraded', async () => {
    await db.query('delete from workers');
    expect((await open().degraded()).names).toEqual(['worker: no heartbeat']);
    await insertWorker(db, { agoMs: 42_000 });
    expect((await open().degraded()).names).toEqual([expect.stringMatching(/^worker: no heartbeat for 4\d s$/)]);
    await insertWorker(db, { agoMs: 29_000, takesTasks: false });
    expect((await open().degraded()).names).toEqual(['worker: none takes tasks']);
    expect((await open({ isTemporalReachable: () => false }).degraded()).names).toEqual(['temporal']);
    await db.query('delete from workers');
    await insertWorker(db, { taskAgoMs: 31.5 * 60_000 });
    expect((await open().degraded()).names).toEqual(['worker: no task for 31 min']);
    await insertWorker(db, { taskAgoMs: 28.5 * 60_000 });
    expect((await open().degraded()).names).toEqual([]);
    await db.query('delete from workers');
    await insertWorker(db);
    expect((await open().degraded()).names).toEqual([]);
  });

  it('the outbox is degraded once its oldest row has waited for a minute', async () => {
    const add = (kind: string, seconds: number) => insertRow(db, 'outbox', { kind, created_at: secondsAgo(seconds) });
    await add('domain', 50);
    expect((await open().degraded()).names).toEqual([]);
    await add('webhook', 75);
    expect((await open().degraded()).names).toEqual([
      expect.stringMatching(/^outbox: the oldest row has waited for 7\d s \(webhook\)$/),
    ]);
    await db.query('delete from outbox');
  });

  it('scans in bulk, and past the daily budget of their organization, may wait for hours', async () => {
    const { id } = await createOrganization(db);
    await db.query(`insert into scan_days (organization_id, day, scans, is_spent) values ($1, ${today}, 9, true)`, [
      id,
    ]);
    const scan = { kind: 'threat-scan', created_at: secondsAgo(7_200) };
    await insertRow(db, 'outbox', { ...scan, lane: lanes.bulk });
    await insertRow(db, 'outbox', { ...scan, organization_id: id });
    expect((await open().degraded()).names).toEqual([]);
    await insertRow(db, 'outbox', scan);
    expect((await open().degraded()).names).toEqual([expect.stringMatching(/^outbox: .* \(threat-scan\)$/)]);
    await db.query('delete from outbox');
  });

  it('a nearly full disk is degraded: the API’s own, a worker’s, the database’s', async () => {
    const readDisk = async () => ({ freeBytes: 300_000_000, totalBytes: 100 * gib });
    expect((await open({ readDisk }).degraded()).names).toEqual(["disk: 300 of 107374 MB free on the API's machine"]);
    // A small volume is nearly full once a tenth is left.
    const small = (freeBytes: number) => async () => ({ freeBytes, totalBytes: gib });
    expect((await open({ readDisk: small(120_000_000) }).degraded()).names).toEqual([]);
    expect((await open({ readDisk: small(90_000_000) }).degraded()).names).toHaveLength(1);
    expect((await open({ readDisk: async () => undefined }).degraded()).names).toEqual([]);
    const worker = await insertWorker(db, { disk: [5_000_000, 100 * gib] });
    expect((await open().degraded()).names).toEqual(["disk: 5 of 107374 MB free on a worker's machine"]);
    await db.query('delete from workers where id = $1', [worker]);
    expect((await open({ isDatabaseFull: () => true }).degraded()).names).toEqual(['database: its disk is full']);
  });

  it(
    'the API stays ready where rows cannot be read in time, and is not ready without a database',
    { tags: 'slow' },
    async () => {
      // Long enough for what can be read, on any machine.
      const timeoutMs = 1_500;
      const client = await db.pool.connect();
      await client.query('begin; lock table outbox in access exclusive mode');
      expect((await open({ timeoutMs }).degraded()).names).toEqual(['database: slow']);
      await client.query('rollback');
      client.release();

      await using proxy = await createTcpProxy(db.url);
      const away = createDatabase({ url: proxy.url, onError: () => undefined });
      const readiness = open({ sql: away, timeoutMs });
      await readiness.degraded();
      proxy.freeze();
      expect(await readiness.degraded()).toEqual({ isUp: false, names: ['database'] });
      proxy.cut();
      expect(await readiness.degraded()).toEqual({ isUp: false, names: ['database'] });
      // A server whose disk is full takes no connections: that is told, too.
      const full = open({ sql: away, timeoutMs, isDatabaseFull: () => true });
      await using api = await createTestApi({ health: full });
      expect(await api.call('GET', '/readyz')).toMatchObject({
        status: 503,
        body: { status: 'unavailable', degraded: ['database', 'database: its disk is full'] },
      });
      proxy.restore();
      await away.close();
    },
  );
});
