// @module-tag slow

import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createMetrics, type Metrics } from '#adapters/metrics.ts';
import { createDatabase } from '#db/connection/database.ts';
import { createListener } from '#db/notifications/listener.ts';
import { channels, type JournalLag } from '#db/notifications/notify.ts';
import { readBacklog } from '#db/health/readiness.ts';
import { silentLog, useTestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { metricsOf } from '#test/support/metrics.ts';
import { insertWorker } from '#test/support/workers.ts';
import { insertRow, secondsAgo } from '#test/support/rows.ts';

const metrics: Metrics = createMetrics();
let aheadMs = 0;
let freeBytes = 50_000_000_000;

const edge = useTestEdge({
  meter: metrics.meter,
  now: () => Date.now() + aheadMs,
  readDisk: async () => ({ freeBytes, totalBytes: 100_000_000_000 }),
  diskWarnBytes: 2 ** 30,
});

const read = async (): Promise<Record<string, number>> => metricsOf(await metrics.text());
const readiness = async (): Promise<Record<string, unknown>> => {
  const answer = await edge.visit('/.well-known/waymark/readyz');
  expect(answer.status).toBe(200);
  return JSON.parse(answer.body) as Record<string, unknown>;
};

describe('metrics of the edge', () => {
  test('visits are counted by outcome, clicks apart from visits that do not count', async () => {
    const { slug } = await edge.link();
    await edge.visit(`/${slug}`);
    await edge.visit(`/${slug}`);
    await edge.visit(`/${slug}`, { method: 'HEAD' });
    await edge.visit('/unknown');
    await edge.visit('/');
    await edge.visit('/', { method: 'PUT' });
    await edge.visit('/x', { host: 'unknown.example' });
    await edge.visit('/robots.txt');
    const outcomes = { redirect: 3, notFound: 1, bare: 1, methodNotAllowed: 1, unknownHost: 1, ownPath: 1, gone: 0 };
    const values = await read();
    for (const [outcome, count] of Object.entries(outcomes)) {
      expect([outcome, values[`waymark_edge_visits_total{outcome="${outcome}"}`]]).toEqual([outcome, count]);
    }
    expect(values.waymark_edge_clicks_total).toBe(2);
    expect(values.waymark_edge_database_up).toBe(1);
    expect(values['waymark_edge_cache_misses_total{cache="links"}']).toBe(2);
    expect(values['waymark_edge_cache_hits_total{cache="links"}']).toBe(2);
    expect(values['waymark_edge_cache_entries{cache="links"}']).toBe(1);
    expect(await metrics.text()).not.toContain(slug);
  });

  test('reports clicks that are not in the database yet, and notifies the API', async () => {
    const { slug } = await edge.link();
    const heard: JournalLag[] = [];
    const listener = createListener({
      url: edge.databaseUrl,
      channels: [channels.journals],
      onNotification: (_channel, payload) => void heard.push(JSON.parse(payload) as JournalLag),
      onGap: () => undefined,
      log: silentLog,
    });
    await listener.start();
    const other = createDatabase({ url: edge.databaseUrl });
    await other.transaction(async (tx) => {
      // Ingest waits for as long as this transaction lives.
      await tx.query('lock table link_counters in access exclusive mode');
      await edge.visit(`/${slug}`);
      await eventually(read, (values) => values.waymark_edge_journal_lag_seconds! > 2);
      expect((await read()).waymark_edge_journal_waiting_bytes).toBeGreaterThan(100);
      await expect
        .poll(async () => (await readiness()).degraded)
        .toEqual([expect.stringMatching(/^journal: \d\.\d s behind$/)]);
      await eventually(
        () => heard,
        ({ length }) => length > 0,
      );
      expect(heard[0]!.lagMs).toBeGreaterThan(2_000);
    });
    await eventually(read, (values) => values.waymark_edge_journal_lag_seconds === 0);
    expect((await read()).waymark_edge_journal_waiting_bytes).toBe(0);
    await expect.poll(readiness).toMatchObject({ status: 'ok', degraded: [] });
    await Promise.all([listener.close(), other.close()]);
  });
});

describe('readiness of the edge (1.10)', () => {
  test('reports a clock that is off by more than a second, in both directions', async () => {
    aheadMs = 3_000;
    await expect
      .poll(async () => (await readiness()).degraded)
      .toEqual([expect.stringMatching(/^clock: [23]\.\d s ahead of the database's$/)]);
    aheadMs = -3_000;
    await expect
      .poll(async () => (await readiness()).degraded)
      .toEqual([expect.stringMatching(/^clock: [23]\.\d s behind the database's$/)]);
    aheadMs = 0;
    await expect.poll(async () => (await readiness()).degraded).toEqual([]);
  });

  test('reports a missing worker, a late outbox and a disk that is nearly full', async () => {
    const { rows } = await edge.db.query<{ id: string }>('delete from workers returning id');
    expect(rows).toHaveLength(1);
    await insertWorker(edge.db, { agoMs: 40_000 });
    await insertRow(edge.db, 'outbox', { kind: 'import', created_at: secondsAgo(120) });
    freeBytes = 1_000_000;
    await expect
      .poll(async () => (await readiness()).degraded)
      .toEqual([
        "disk: 1 of 100000 MB free on the edge's machine",
        expect.stringMatching(/^worker: no heartbeat for 4\d s$/),
        expect.stringMatching(/^outbox: the oldest row has waited for 12\d s \(import\)$/),
      ]);
    freeBytes = 50_000_000_000;
    await edge.db.query('delete from outbox');
    await insertWorker(edge.db);
    await expect.poll(async () => (await readiness()).degraded).toEqual([]);
  });

  test('an edge without visitors locks its journal again after the database has cut every connection', async () => {
    const abandoned = async () => (await readBacklog(edge.db)).abandoned;
    await eventually(abandoned, (count) => count === 0);
    await edge.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'waymark edge'`,
    );
    // It looks each two seconds.
    expect(await eventually(abandoned, (count) => count === 1)).toBe(1);
    expect(await eventually(abandoned, (count) => count === 0)).toBe(0);
  });

  test('reports dead-lettered click records', async () => {
    const directory = join(edge.dataDir, 'journal', randomUUID());
    mkdirSync(directory);
    writeFileSync(join(directory, '00000001.tsv'), 'no click\n');
    // No process has so high an id: the journal is adopted.
    const own = readdirSync(join(edge.dataDir, 'journal')).find((id) => !directory.endsWith(id))!;
    const owner = JSON.parse(readFileSync(join(edge.dataDir, 'journal', own, 'owner.json'), 'utf8')) as object;
    writeFileSync(join(directory, 'owner.json'), JSON.stringify({ ...owner, pid: 2 ** 22 + 1 }));
    await eventually(readiness, ({ status }) => status === 'degraded');
    await expect.poll(async () => (await readiness()).degraded).toEqual(['rejected clicks: 1']);
    expect((await read()).waymark_edge_journal_rejected_records).toBe(1);
  });
});
