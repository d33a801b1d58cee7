// @module-tag slow

import type { WorkflowHandle } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emOf } from '#test/support/entity-managers.ts';
import { createWebRiskClient, type WebRiskClient } from '#adapters/threat-scanners/web-risk-client.ts';
import { createWebRiskLists } from '#adapters/threat-scanners/web-risk-lists.ts';
import type { ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { storeVerdicts } from '#commands/threats/verdicts.ts';
import { ThreatLists } from '#core/threats/threat-lists.ts';
import { threatTypes } from '#core/threats/types.ts';
import { createDatabase, type Database } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { createListener } from '#db/notifications/listener.ts';
import { channels } from '#db/notifications/notify.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import {
  createThreatListLoader,
  readThreatList,
  storeThreatList,
  type ThreatListLoader,
} from '#db/threats/threat-lists.ts';
import { schedulesOf } from '#workflows/starts.ts';
import { threatLists } from '#workflows/threat-lists.ts';
import { createLinkOwner, createScannedLinks } from '#test/support/durable.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFakeWebRisk, type FakeWebRisk } from '#test/support/fake-web-risk.ts';
import { recordHistory } from '#test/support/histories.ts';
import { createTestDatabase, temporalForTest, type TestDatabase } from '#test/support/stack.ts';
import { silent, site, startTestWorker, type TestWorker } from '#test/support/test-worker.ts';

const minuteMs = 60_000;
let database: TestDatabase;
let db: Database;
let em: EntityManager;
let fake: FakeWebRisk;
let client: WebRiskClient;
let lists: ThreatLists;
let loader: ThreatListLoader;
let scanner: ThreatScanner;
let worker: TestWorker;
let aheadMs: number;

beforeEach(async () => {
  database = await createTestDatabase();
  db = createDatabase({ url: database.url });
  em = createEntityManager(db);
  fake = await createFakeWebRisk();
  client = createWebRiskClient({ endpoint: fake.url });
  lists = new ThreatLists();
  loader = createThreatListLoader(em, lists, silent);
  scanner = createWebRiskLists({ client, lists, cleanForMs: 60 * minuteMs });
  aheadMs = 0;
  worker = await startTestWorker({
    temporal: temporalForTest(),
    sql: db,
    scanner,
    rescan: { mailer: { send: async () => {}, close: () => undefined }, perSecond: 1 },
    threatLists: { em, source: client, now: () => Date.now() + aheadMs },
  });
});
afterEach(async () => {
  await worker[Symbol.asyncDispose]();
  loader.close();
  await client.close();
  await fake[Symbol.asyncDispose]();
  await db.close();
  await database[Symbol.asyncDispose]();
});

async function run(): Promise<WorkflowHandle<typeof threatLists>> {
  const handle = await worker.client.workflow.start(threatLists, {
    workflowId: `threat-lists-${uuidv7()}`,
    taskQueue: worker.taskQueue,
  });
  await handle.result();
  return handle;
}

/** Runs an update once the time of the next changes has come. */
function runLater(): Promise<WorkflowHandle<typeof threatLists>> {
  aheadMs += 31 * minuteMs;
  return run();
}

const askedAgain = (): string[] =>
  fake.lists.requests.map(({ versionToken }) => versionToken).slice(threatTypes.length);

describe('an update of the threat lists', () => {
  test('whole lists are stored first, then changes; processes hold what is stored', async () => {
    fake.lists.add('MALWARE', ['bad.example/', 'worse.example/']);
    fake.lists.add('MALWARE', ['long.example/'], 32);
    const handle = await run();
    const result = await handle.result();
    expect(result).toMatchObject({ state: 'completed', failed: [] });
    expect(result.lists.MALWARE).toMatch(/^changed, 3 entries, changes are due at /);
    await recordHistory('threat-lists', handle);
    await loader.refresh();
    expect(lists.isFresh(Date.now())).toBe(true);
    expect(await scanner.lookUpLocally!('http://good.example/')).toMatchObject({ threatTypes: [] });
    for (const host of ['bad', 'worse', 'long'])
      expect(await scanner.lookUpLocally!(`http://${host}.example/`)).toBeUndefined();

    fake.lists.compress(true);
    fake.lists.set('MALWARE', ['00000000', 'ffffffff']);
    fake.lists.add('MALWARE', ['bad.example/']);
    const later = await (await runLater()).result();
    expect(later.lists).toMatchObject({
      MALWARE: expect.stringMatching(/^changed, 3 entries/),
      SOCIAL_ENGINEERING: expect.stringMatching(/^unchanged, 0 entries/),
    });
    expect(askedAgain()).toEqual(['version-2?>', 'version-0?>', 'version-0?>', 'version-0?>']);
    await loader.refresh();
    expect(lists.get('MALWARE')).toMatchObject({ version: 2, list: { entries: 3 } });
    expect(await scanner.lookUpLocally!('http://bad.example/')).toBeUndefined();
    expect(await scanner.lookUpLocally!('http://worse.example/')).toMatchObject({ threatTypes: [] });
  });

  test('nothing is asked before the time that Web Risk recommends', async () => {
    await run();
    const result = await (await run()).result();
    expect(result.lists.MALWARE).toMatch(/^waiting, 0 entries/);
    expect(askedAgain()).toEqual([]);
  });

  test('a wrong time of the next changes neither stops updates nor hurries them', async () => {
    const due = async (): Promise<number> => {
      const { rows } = await db.query<{ due: Date }>(
        `select next_diff_at as due from threat_lists where threat_type = 'MALWARE'`,
      );
      return Math.round((rows[0]!.due.getTime() - Date.now() - aheadMs) / minuteMs);
    };
    fake.lists.nextDiff(new Date('2099-01-01'));
    await run();
    expect(await due()).toBe(24 * 60);
    fake.lists.nextDiff(new Date(1_000));
    aheadMs = 25 * 60 * minuteMs;
    await run();
    expect(await due()).toBe(1);
    fake.lists.nextDiff(undefined);
    aheadMs += 2 * minuteMs;
    await run();
    expect(await due()).toBe(30);
  });

  test('a change that does not give the checksum resets the list: all of it is asked for, at once', async () => {
    fake.lists.add('MALWARE', ['bad.example/', 'worse.example/']);
    await run();
    fake.lists.add('MALWARE', ['third.example/']);
    fake.lists.fault((request, diff) =>
      request.versionToken === '' ? undefined : { ...diff, checksum: { sha256: Buffer.alloc(32).toString('base64') } },
    );
    const handle = await runLater();
    expect((await handle.result()).lists).toMatchObject({ MALWARE: expect.stringMatching(/^changed, 3 entries/) });
    expect(askedAgain().slice(0, 2)).toEqual(['version-1?>', '']);
    await loader.refresh();
    expect(await scanner.lookUpLocally!('http://third.example/')).toBeUndefined();
    await recordHistory('threat-lists-reset', handle);
  });

  test('a removal of a place that the list does not have resets it', async () => {
    fake.lists.set('MALWARE', ['00000001', '00000002']);
    await run();
    fake.lists.fault((request, diff) =>
      request.versionToken === '' ? undefined : { ...diff, removals: { rawIndices: { indices: [7] } } },
    );
    expect((await (await runLater()).result()).state).toBe('completed');
    expect(askedAgain().slice(0, 2)).toEqual(['version-1?>', '']);
  });

  test('Web Risk may answer with all of a list at any time', async () => {
    fake.lists.set('MALWARE', ['00000001']);
    await run();
    fake.lists.set('MALWARE', ['00000002']);
    fake.lists.forgetVersions();
    await runLater();
    expect(askedAgain()[0]).toBe('version-1?>');
    await loader.refresh();
    expect(lists.get('MALWARE')!.list.groups).toEqual([{ size: 4, bytes: Buffer.from('00000002', 'hex') }]);
  });

  test('a damaged list is asked for as a whole, and stored again', async () => {
    fake.lists.add('MALWARE', ['bad.example/', 'worse.example/']);
    await run();
    await db.query(`update threat_list_chunks set prefixes = set_byte(prefixes, 0, get_byte(prefixes, 0) # 1)`);
    await loader.refresh();
    expect(lists.isFresh(Date.now())).toBe(false);
    const result = await (await run()).result();
    expect(result.lists.MALWARE).toMatch(/^changed, 2 entries/);
    expect(askedAgain()).toEqual(['']);
    await loader.refresh();
    expect(lists.isFresh(Date.now())).toBe(true);
  });

  test(
    'a list that Web Risk does not answer for stops no other, and keeps what it has',
    { timeout: 90_000 },
    async () => {
      fake.lists.add('MALWARE', ['bad.example/']);
      await run();
      fake.lists.add('SOCIAL_ENGINEERING', ['phish.example/']);
      fake.lists.fault(({ threatType }) =>
        threatType === 'MALWARE' ? { status: 503, retryInfoSeconds: 1 } : undefined,
      );
      const handle = await runLater();
      expect(await handle.result()).toMatchObject({
        state: 'incomplete',
        failed: ['MALWARE'],
        lists: {
          MALWARE: 'failed, the next run tries again: Web Risk gave no answer (HTTP 503)',
          SOCIAL_ENGINEERING: expect.stringMatching(/^changed, 1 entries/),
        },
      });
      await recordHistory('threat-lists-failed', handle);
      await loader.refresh();
      for (const host of ['bad', 'phish'])
        expect(await scanner.lookUpLocally!(`http://${host}.example/`)).toBeUndefined();
      fake.lists.fault(() => undefined);
      expect(await (await run()).result()).toMatchObject({ state: 'completed' });
    },
  );

  test('a second worker that was slower stores nothing', async () => {
    fake.lists.set('MALWARE', ['00000001']);
    await run();
    fake.lists.set('MALWARE', ['00000002']);
    const stored = await readThreatList(em, 'MALWARE');
    await runLater();
    const late = {
      list: stored!.list!,
      checksum: stored!.checksum,
      versionToken: Buffer.from('x'),
      nextDiffAt: new Date(),
    };
    expect(await storeThreatList(em, 'MALWARE', late, stored)).toBe(false);
    expect((await readThreatList(em, 'MALWARE'))!.list!.groups[0]!.bytes.toString('hex')).toBe('00000002');
  });

  test('a list of a million prefixes is stored in chunks, and loaded by a process that hears of it', async () => {
    const listener = createListener({
      url: database.url,
      channels: [channels.threatLists],
      onNotification: () => void loader.refresh(),
      onGap: () => undefined,
      log: silent,
    });
    await listener.start();
    const million = Array.from({ length: 1_000_000 }, (_, index) => (index * 4_294).toString(16).padStart(8, '0'));
    fake.lists.set('SOCIAL_ENGINEERING', million);
    await run();
    await eventually(() => lists.isFresh(Date.now()));
    expect(lists.get('SOCIAL_ENGINEERING')!.list).toMatchObject({ entries: 1_000_000, byteLength: 4_000_000 });
    const { rows } = await db.query(
      `select count(*) as chunks, max(length(prefixes)) as bytes from threat_list_chunks`,
    );
    expect(rows).toEqual([{ chunks: 16, bytes: 262_144 }]);
    await listener.close();
  });
});

test('a rescan with lists looks nothing up, and does not keep the pace of lookups', async () => {
  await run();
  await loader.refresh();
  const owner = await createLinkOwner(db);
  const urls = Array.from({ length: 300 }, (_, index) => `https://site${index}.example/path`);
  const links = await createScannedLinks(db, owner, urls);
  const expiresAt = new Date(Date.now() - 1_000);
  await storeVerdicts(
    emOf(db),
    links.map(({ urlHash }) => ({ urlHash, threatTypes: [], expiresAt })),
    site,
  );
  const result = await worker.client.workflow.execute('threatRescan', {
    workflowId: `threat-rescan-${uuidv7()}`,
    taskQueue: worker.taskQueue,
    args: [],
  });
  expect(result).toMatchObject({ state: 'completed', answered: 300, flagged: 0, left: 0 });
  expect([fake.lookups, fake.hashSearches]).toEqual([[], []]);
});

test('the schedule exists only where lists are used', () => {
  const idsOf = (usesThreatLists: boolean): string[] =>
    schedulesOf({ THREAT_RESCAN_PER_DAY: 1, usesThreatLists }).map(({ id }) => id);
  expect(idsOf(true)).toContain('threat-lists');
  expect(idsOf(false)).not.toContain('threat-lists');
});
