// @module-tag process
// @module-tag nightly

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { loadConfig } from '#config/load.ts';
import { createDatabase } from '#db/connection/database.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { startTemporal } from '#scripts/embedded/temporal/temporal.ts';
import { childEnvironment } from '#test/support/child-environment.ts';
import { createLinkOwner, createScannedLinks } from '#test/support/durable.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFakeWebRisk } from '#test/support/fake-web-risk.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { productService } from '#scripts/supervisor/processes.ts';
import { createTestDatabase } from '#test/support/stack.ts';

const waiting = 200;

test('scans that wait for Temporal are done once it is there, and again after its whole state was deleted', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'waymark-emptied-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const database = stack.use(await createTestDatabase());
  const fake = stack.use(await createFakeWebRisk());
  const db = stack.adopt(createDatabase({ url: database.url, onError: () => {} }), (pool) => pool.close());
  const [port] = await freePorts(1);
  const { TEMPORAL_CLI, WAYMARK_CACHE_DIR } = process.env;
  const config = loadConfig({ TEMPORAL_CLI, WAYMARK_CACHE_DIR });
  const binary = await findTemporalBinary({ cli: config.TEMPORAL_CLI, cacheDir: config.WAYMARK_CACHE_DIR });
  const open = () => startTemporal({ binary: binary.path, dataDir: folder, port: port! });
  const env = {
    ...childEnvironment,
    DATABASE_URL: database.url,
    SECRET_KEY: 'k'.repeat(32),
    TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    WEB_RISK_ENDPOINT: fake.url,
    LOG_LEVEL: 'debug',
  };
  const lines: string[] = [];
  const worker = await productService('worker', {
    env,
    onLine: (line) => void lines.push(line),
    isBackground: false,
  }).start(new AbortController().signal);
  stack.defer(async () => void (await worker.stop({ hurry: true })));
  const unanswered = async (): Promise<number> =>
    (await db.query<{ count: number }>('select count(*) as count from threat_verdicts where scanned_at is null'))
      .rows[0]!.count;

  const owner = await createLinkOwner(db);
  await createScannedLinks(
    db,
    owner,
    Array.from({ length: 50 }, (_, index) => `https://early${index}.example/`),
  );
  await eventually(() => lines.some((line) => line.includes('keeps trying')));
  let temporal = await open();
  stack.defer(async () => void (await temporal.stop({ hurry: true })));
  await worker.ready;
  await eventually(async () => (await unanswered()) === 0);
  expect(new Set(fake.lookups.map(({ uri }) => uri)).size).toBe(fake.lookups.length);

  // When the state is deleted, some scans are in workflows, the others in the outbox.
  fake.fault(() => 'hang');
  fake.lookups.length = 0;
  const urls = Array.from({ length: waiting }, (_, index) => `https://site${index}.example/`);
  const links = await createScannedLinks(db, owner, urls);
  await fake.received(20);
  expect(await unanswered()).toBe(waiting);

  await temporal.stop({ hurry: true });
  await rm(join(folder, 'temporal'), { recursive: true });
  fake.fault(() => undefined);
  temporal = await open();
  // A failure here was seen once, on a busy machine: the worker's log says why.
  await eventually(async () => (await unanswered()) === 0).catch(async (cause: Error) => {
    const { rows } = await db.query('select kind, attempts, count(*) as rows from outbox group by 1, 2');
    throw new Error([`${await unanswered()} unanswered`, JSON.stringify(rows), ...lines.slice(-40)].join('\n'), {
      cause,
    });
  });
  const { rows } = await db.query('select from threat_verdicts where due_at is not null or threat_types is null');
  expect(rows).toEqual([]);
  await eventually(async () => (await db.query('select from outbox')).rowCount === 0);

  // The new state has its search attributes again, so operators find its scans.
  const connection = await Connection.connect({ address: temporal.address });
  stack.defer(() => connection.close());
  const client = new Client({ connection });
  await eventually(async () => (await client.workflow.count(`linkId = "${links[waiting - 1]!.id}"`)).count > 0);
});
