// @module-tag slow

import { activityEnvironment } from '#test/support/activities.ts';
import { ApplicationFailure } from '@temporalio/common';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createThreatListActivities, type ThreatListOutcome } from '#activities/threats/lists.ts';
import { createWebRiskClient, type WebRiskClient } from '#adapters/threat-scanners/web-risk-client.ts';
import { createWebRiskLists } from '#adapters/threat-scanners/web-risk-lists.ts';
import type { ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { ThreatLists } from '#core/threats/threat-lists.ts';
import { type ThreatType, threatTypes } from '#core/threats/types.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { createListener } from '#db/notifications/listener.ts';
import { channels } from '#db/notifications/notify.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { createThreatListLoader, readThreatList, storeThreatList } from '#db/threats/threat-lists.ts';
import { schedulesOf } from '#workflows/schedules.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFakeWebRisk, type FakeWebRisk } from '#test/support/fake-web-risk.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { silent } from '#test/support/test-worker.ts';

const minuteMs = 60_000;
let em: EntityManager;
let fake: FakeWebRisk;
let client: WebRiskClient;
let lists: ThreatLists;
let loader: ReturnType<typeof createThreatListLoader>;
let scanner: ThreatScanner;
let aheadMs: number;

const db = useTestDatabase();
beforeAll(async () => {
  em = createEntityManager(db);
});
beforeEach(async () => {
  await db.query('truncate threat_lists, threat_list_chunks');
  fake = await createFakeWebRisk();
  client = createWebRiskClient({ endpoint: fake.url });
  lists = new ThreatLists();
  loader = createThreatListLoader(em, lists, silent);
  scanner = createWebRiskLists({ client, lists, cleanForMs: 60 * minuteMs });
  aheadMs = 0;
});
afterEach(async () => {
  loader.close();
  await client.close();
  await fake[Symbol.asyncDispose]();
});

/** Updates all lists, as the workflow `threatLists` does. @returns the outcomes; undefined: the list failed. */
async function run(): Promise<Partial<Record<ThreatType, ThreatListOutcome>>> {
  const { updateThreatList } = createThreatListActivities({
    em,
    source: { computeDiff: (...args) => client.computeDiff(...args) },
    log: silent,
    now: () => Date.now() + aheadMs,
  });
  const update = (threatType: ThreatType): Promise<ThreatListOutcome> =>
    activityEnvironment().run(updateThreatList, { threatType });
  const outcomes: Partial<Record<ThreatType, ThreatListOutcome>> = {};
  for (const threatType of threatTypes) {
    try {
      const outcome = await update(threatType);
      outcomes[threatType] = outcome.state === 'reset' ? await update(threatType) : outcome;
    } catch (error) {
      expect(error).toBeInstanceOf(ApplicationFailure);
    }
  }
  return outcomes;
}

/** Runs an update once the time of the next changes has come. */
function runLater(): ReturnType<typeof run> {
  aheadMs += 31 * minuteMs;
  return run();
}

const askedAgain = (): string[] =>
  fake.lists.requests.map(({ versionToken }) => versionToken).slice(threatTypes.length);

describe('an update of the threat lists', () => {
  test('whole lists are stored first, then changes; processes hold what is stored', async () => {
    fake.lists.add('MALWARE', ['bad.example/', 'worse.example/']);
    fake.lists.add('MALWARE', ['long.example/'], 32);
    const outcomes = await run();
    expect(Object.keys(outcomes)).toEqual([...threatTypes]);
    expect(outcomes.MALWARE).toMatchObject({ state: 'changed', entries: 3 });
    await loader.refresh();
    expect(lists.isFresh(Date.now())).toBe(true);
    expect(await scanner.lookUpLocally!('http://good.example/')).toMatchObject({ threatTypes: [] });
    for (const host of ['bad', 'worse', 'long'])
      expect(await scanner.lookUpLocally!(`http://${host}.example/`)).toBeUndefined();

    fake.lists.compress(true);
    fake.lists.set('MALWARE', ['00000000', 'ffffffff']);
    fake.lists.add('MALWARE', ['bad.example/']);
    expect(await runLater()).toMatchObject({
      MALWARE: { state: 'changed', entries: 3 },
      SOCIAL_ENGINEERING: { state: 'unchanged', entries: 0 },
    });
    expect(askedAgain()).toEqual(['version-2?>', 'version-0?>', 'version-0?>', 'version-0?>']);
    await loader.refresh();
    expect(lists.get('MALWARE')).toMatchObject({ version: 2, list: { entries: 3 } });
    expect(await scanner.lookUpLocally!('http://bad.example/')).toBeUndefined();
    expect(await scanner.lookUpLocally!('http://worse.example/')).toMatchObject({ threatTypes: [] });
  });

  test('nothing is asked before the time that Web Risk recommends', async () => {
    await run();
    expect(await run()).toMatchObject({ MALWARE: { state: 'waiting', entries: 0 } });
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
    expect(await runLater()).toMatchObject({ MALWARE: { state: 'changed', entries: 3 } });
    expect(askedAgain().slice(0, 2)).toEqual(['version-1?>', '']);
    await loader.refresh();
    expect(await scanner.lookUpLocally!('http://third.example/')).toBeUndefined();
  });

  test('a removal of a place that the list does not have resets it', async () => {
    fake.lists.set('MALWARE', ['00000001', '00000002']);
    await run();
    fake.lists.fault((request, diff) =>
      request.versionToken === '' ? undefined : { ...diff, removals: { rawIndices: { indices: [7] } } },
    );
    expect(await runLater()).toMatchObject({ MALWARE: { state: 'unchanged' } });
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
    expect(await run()).toMatchObject({ MALWARE: { state: 'changed', entries: 2 } });
    expect(askedAgain()).toEqual(['']);
    await loader.refresh();
    expect(lists.isFresh(Date.now())).toBe(true);
  });

  test('a list that Web Risk does not answer for stops no other, and keeps what it has', async () => {
    fake.lists.add('MALWARE', ['bad.example/']);
    await run();
    fake.lists.add('SOCIAL_ENGINEERING', ['phish.example/']);
    fake.lists.fault(({ threatType }) => (threatType === 'MALWARE' ? { status: 503, retryInfoSeconds: 1 } : undefined));
    const outcomes = await runLater();
    expect(outcomes.MALWARE).toBeUndefined();
    expect(outcomes.SOCIAL_ENGINEERING).toMatchObject({ state: 'changed', entries: 1 });
    await loader.refresh();
    for (const host of ['bad', 'phish'])
      expect(await scanner.lookUpLocally!(`http://${host}.example/`)).toBeUndefined();
    fake.lists.fault(() => undefined);
    expect(await run()).toMatchObject({ MALWARE: { state: 'unchanged' } });
  });

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

  test(
    'a list of 600,000 prefixes is stored in chunks, and loaded by a process that hears of it',
    { tags: 'nightly' },
    async () => {
      const listener = createListener({
        url: db.url,
        channels: [channels.threatLists],
        // As processes do: a busy one loses its connection for want of an echo, and notifications with it.
        onNotification: () => void loader.refresh(),
        onGap: () => void loader.refresh(),
        log: silent,
      });
      await listener.start();
      const prefixes = Array.from({ length: 600_000 }, (_, index) => (index * 7_000).toString(16).padStart(8, '0'));
      fake.lists.set('SOCIAL_ENGINEERING', prefixes);
      // A busy machine makes so large a list for longer than a lookup waits; the workflow asks again, too.
      await eventually(async () => Object.keys(await run()).length === threatTypes.length);
      await eventually(() => lists.isFresh(Date.now()));
      expect(lists.get('SOCIAL_ENGINEERING')!.list).toMatchObject({ entries: 600_000, byteLength: 2_400_000 });
      const { rows } = await db.query(
        `select count(*) as chunks, max(length(prefixes)) as bytes from threat_list_chunks`,
      );
      expect(rows).toEqual([{ chunks: 10, bytes: 262_144 }]);
      await listener.close();
    },
  );
});

test('the schedules of threat lists and of exports exist only where they are used', () => {
  const idsOf = (usesThreatLists: boolean, exportsPerDay: number): string[] => {
    const config = { THREAT_RESCAN_PER_DAY: 1, WAREHOUSE_EXPORTS_PER_DAY: exportsPerDay, usesThreatLists };
    return schedulesOf(config).flatMap(({ schedule, isOn }) => (isOn ? schedule.id : []));
  };
  expect(idsOf(true, 2)).toEqual(['threat-lists', 'housekeeping', 'threat-rescan', 'warehouse-export']);
  expect(idsOf(false, 0)).toEqual(['housekeeping', 'threat-rescan']);
});
