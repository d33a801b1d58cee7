// @module-tag process

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createJournal, type Journal } from '#edge/journal/journal.ts';
import type { Shipper, ShipperLog } from '#edge/shipper/shipper.ts';
import { createThreadedShipper } from '#edge/shipper/threaded-shipper.ts';
import { clickLine, type ClickOwner } from '#test/support/clicks.ts';
import { silentLog, type TestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { siteOptions } from '#test/support/site.ts';
import { createTcpProxy } from '#test/support/tcp-proxy.ts';
import { createShippingScene, type ShippingScene } from './shipping-fixture.ts';

let scene: ShippingScene;
let edge: TestEdge;
let owner: ClickOwner;
let counted: ShippingScene['counted'];

beforeAll(async () => {
  scene = await createShippingScene();
  ({ edge, counted } = scene);
});
afterAll(() => scene[Symbol.asyncDispose]());
beforeEach(async () => {
  owner = await scene.createOwner();
});

interface Opening {
  segmentBytes?: number;
  url?: string;
  applicationName?: string;
  log?: ShipperLog;
}

function open({ segmentBytes, url = edge.databaseUrl, applicationName, log = silentLog }: Opening = {}): {
  journal: Journal;
  shipper: Shipper;
} {
  const journal = createJournal({ root: scene.root, fsync: false, segmentBytes });
  const shipper = createThreadedShipper({
    module: new URL('../../../start/shipper-thread.ts', import.meta.url),
    site: siteOptions,
    database: { url, poolMax: 3, applicationName },
    root: scene.root,
    journal,
    log,
  });
  return { journal, shipper };
}

function append(journal: Journal, count: number): void {
  for (let index = 0; index < count; index += 1) journal.append(clickLine(owner), () => undefined);
}

describe('a shipper in a thread of its own', () => {
  test('ships the clicks, removes the segments, and says when nothing is left', async () => {
    const { journal, shipper } = open({ segmentBytes: 2_000 });
    shipper.start();
    for (let round = 1; round <= 5; round += 1) {
      append(journal, 20);
      const isThere = (clicks: number): boolean => clicks === round * 20;
      await eventually(() => counted(owner.linkId), isThere);
    }
    const segments = (names: string[]): boolean => names.length === 2;
    await eventually(() => readdirSync(journal.directory), segments);
    await eventually(
      () => shipper.state(),
      ({ lagMs }) => lagMs === 0,
    );
    expect(shipper.state().waitingBytes).toBe(0);
    append(journal, 20);
    await journal.close();
    expect(await shipper.close(5_000)).toBe(true);
    expect(await counted(owner.linkId)).toBe(120);
    expect(existsSync(journal.directory)).toBe(false);
    expect(await scene.stateOf(journal)).toEqual({ ingested: 120, rejected: 0, finished: true });
  });

  test('says that nothing is left only when every click that was written is in the database', async () => {
    const { journal, shipper } = open();
    shipper.start();
    for (let round = 1; round <= 5; round += 1) {
      append(journal, 10);
      await setTimeout(30);
      const written = Promise.withResolvers<void>();
      for (let click = 1; click <= 10; click += 1)
        journal.append(clickLine(owner), () => click === 10 && written.resolve());
      await written.promise;
      // The edge reports the second ten and then reads that the first ten are shipped, as under load.
      const busyUntil = performance.now() + 500;
      while (performance.now() < busyUntil);
      await setTimeout(1);
      while (shipper.state().lagMs > 0) await setTimeout(1);
      expect(await counted(owner.linkId)).toBe(round * 20);
    }
    await journal.close();
    expect(await shipper.close(5_000)).toBe(true);
  });

  test('loses and doubles no click while its connections are cut', async () => {
    const name = 'cut threaded shipper';
    const { journal, shipper } = open({ applicationName: name, segmentBytes: 100_000 });
    shipper.start();
    const over = new AbortController();
    const cutting = (async () => {
      while (!over.signal.aborted) {
        await edge.db.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
          name,
        ]);
        await setTimeout(37);
      }
    })();
    for (let round = 0; round < 40; round += 1) {
      append(journal, 50);
      await setTimeout(25);
    }
    over.abort();
    await cutting;
    await journal.close();
    expect(await shipper.close(10_000)).toBe(true);
    expect(await counted(owner.linkId)).toBe(2_000);
    expect(await edge.clicks(owner.linkId)).toHaveLength(2_000);
  });

  test('reports how far clicks are behind, logs the reason, and leaves the journal when it closes without a database', async () => {
    await using proxy = await createTcpProxy(edge.databaseUrl);
    const warnings: string[] = [];
    const log: ShipperLog = { info: () => undefined, warn: (_details, message) => warnings.push(message) };
    const { journal, shipper } = open({ url: proxy.url, log });
    proxy.cut();
    shipper.start();
    append(journal, 3);
    await eventually(
      () => shipper.state(),
      ({ lagMs, waitingBytes }) => lagMs > 300 && waitingBytes > 300,
    );
    await eventually(() => warnings.includes('clicks cannot be shipped now; they are kept on disk'));
    await journal.close();
    expect(await shipper.close(1_000)).toBe(false);
    expect(existsSync(journal.directory)).toBe(true);
  });

  test('counts dead letters, and notes that the clicks before a cap are counted', async () => {
    const { journal, shipper } = open();
    shipper.start();
    await eventually(
      async () => (await edge.db.query('select from journals where id = $1', [journal.id])).rowCount === 1,
    );
    await setTimeout(200);
    const before = shipper.state().rejected;
    journal.append('no click\n', () => undefined);
    append(journal, 1);
    const moment = new Date().toISOString();
    shipper.count(moment);
    await eventually(
      () => shipper.state().rejected,
      (rejected) => rejected === before + 1,
    );
    const statement = 'select counted_at as "countedAt" from journals where id = $1';
    const { countedAt } = (await eventually(
      async () => (await edge.db.query<{ countedAt: Date | null }>(statement, [journal.id])).rows[0],
      (row) => row?.countedAt !== null,
    )) as { countedAt: Date };
    expect(countedAt.toISOString()).toBe(moment);
    expect(await counted(owner.linkId)).toBe(1);
    await journal.close();
    expect(await shipper.close(5_000)).toBe(true);
  });

  test('ends the process when it dies: the supervisor starts another one, which adopts the journal', async () => {
    const failing = `import { parentPort } from 'node:worker_threads';
      parentPort.once('message', () => { throw new Error('the thread of a test fails'); });`;
    const child = spawn(process.execPath, ['test/support/edge-process.ts'], {
      env: {
        ...process.env,
        DATABASE_URL: edge.databaseUrl,
        WAYMARK_DATA_DIR: edge.dataDir,
        SHIPPER_MODULE: `data:text/javascript,${encodeURIComponent(failing)}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const errors = text(child.stderr);
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).not.toBe(0);
    // Its end is sometimes heard of before its error.
    expect(await errors).toMatch(/the thread of a test fails|The thread that ships clicks ended with code 1/);
  });
});
