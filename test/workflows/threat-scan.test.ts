// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import type { ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { createWebRisk } from '#adapters/threat-scanners/web-risk.ts';
import { requestVerdicts, storeVerdicts } from '#commands/threats/verdicts.ts';
import type { ThreatType } from '#core/threats/types.ts';
import { listScanTargets } from '#db/threats/verdicts.ts';
import { startOfScan } from '#workflows/starts.ts';
import { scanStateQuery } from '#workflows/threat-scan.ts';
import {
  createLinkOwner,
  createScannedLinks,
  insertLinks,
  type LinkOwner,
  type ScannedLink,
} from '#test/support/durable.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFakeWebRisk, type FakeWebRisk } from '#test/support/fake-web-risk.ts';
import { recordHistory } from '#test/support/histories.ts';
import { temporalForTest, useTestDatabase } from '#test/support/stack.ts';
import { site, startTestWorker, type TestWorker } from '#test/support/test-worker.ts';
import { nameKey } from '#core/temporal/search-attributes.ts';
import { readMetadata } from '#test/support/workflow-metadata.ts';

let fake: FakeWebRisk;
let patient: ThreatScanner;
let impatient: ThreatScanner;
let isImpatient: boolean;
let owner: LinkOwner;
let worker: TestWorker;
let counter = 0;

const db = useTestDatabase();
beforeAll(async () => {
  fake = await createFakeWebRisk();
  patient = createWebRisk({ endpoint: fake.url });
  impatient = createWebRisk({ endpoint: fake.url, lookupTimeoutMs: 500 });
  owner = await createLinkOwner(db);
  worker = await startTestWorker({
    temporal: temporalForTest(),
    sql: db,
    scanner: {
      ...patient,
      // A slow machine takes longer for some answers than a test wants to wait for one that never comes.
      lookup: (url, signal) => (isImpatient ? impatient : patient).lookup(url, signal),
    },
    scan: { firstGapMs: 50, horizonMs: 6_000 },
  });
});
beforeEach(() => {
  fake.lookups.length = 0;
  fake.fault(() => undefined);
  isImpatient = false;
});
afterAll(async () => {
  await worker[Symbol.asyncDispose]();
  await patient.close();
  await impatient.close();
  await fake[Symbol.asyncDispose]();
});

const nextUrls = (count: number): string[] =>
  Array.from({ length: count }, () => `https://site${(counter += 1)}.example/path`);

/** Makes links and starts one scan of them. */
async function scan(urls: readonly string[]): Promise<{ links: ScannedLink[]; handle: WorkflowHandle }> {
  const links = await createScannedLinks(db, owner, urls);
  const targets = await listScanTargets(
    db,
    links.map((link) => link.destinationId),
  );
  const { workflowId } = await createStartWorkflow(worker)(startOfScan(uuidv7(), targets));
  return { links, handle: worker.client.workflow.getHandle(workflowId) };
}

async function typesOf(link: ScannedLink): Promise<ThreatType[] | null> {
  const { rows } = await db.query<{ types: ThreatType[] | null }>(
    `select threat_types as types from threat_verdicts where url_hash = decode($1, 'hex')`,
    [link.urlHash],
  );
  return rows[0]!.types;
}

async function isAwaited(link: ScannedLink): Promise<{ awaited: boolean; inMs: number }> {
  const { rows } = await db.query<{ awaited: boolean; inMs: number }>(
    `select due_at is not null as awaited, coalesce(extract(epoch from due_at - now()) * 1000, 0)::float8 as "inMs"
     from threat_verdicts where url_hash = decode($1, 'hex')`,
    [link.urlHash],
  );
  return rows[0]!;
}

describe('a threat scan', () => {
  test('a threat scan stores its verdicts, clean or not', async () => {
    const [bad, clean] = nextUrls(2);
    fake.flag(bad!, ['MALWARE', 'SOCIAL_ENGINEERING']);
    const { links, handle } = await scan([bad!, clean!]);
    expect(await handle.result()).toEqual({ state: 'completed', answered: 2, flagged: 1, open: 0 });
    expect(await typesOf(links[0]!)).toEqual(['MALWARE', 'SOCIAL_ENGINEERING']);
    expect(await typesOf(links[1]!)).toEqual([]);
    expect(await isAwaited(links[0]!)).toMatchObject({ awaited: false });
    expect(await handle.query(scanStateQuery)).toBe('completed');
    await recordHistory('threat-scan-completed', handle);
  });

  test('operators find a threat scan by link and by organization, with a summary; its history holds neither paths nor queries (10.3)', async () => {
    const { links, handle } = await scan(['https://host.example/secret-path?token=1', ...nextUrls(4)]);
    await handle.result();
    for (const query of [
      `linkId = "${links[3]!.id}"`,
      `organizationId = "${owner.organizationId}" and linkId = "${links[0]!.id}"`,
    ]) {
      const found = await eventually(async () => {
        for await (const execution of worker.client.workflow.list({ query: `${query} and state = "completed"` }))
          return execution;
        return undefined;
      });
      expect(found.workflowId).toBe(handle.workflowId);
      expect(found.workflowId).toMatch(/^threat-scan\/[0-9a-f-]{36}$/);
    }
    const description = await handle.describe();
    expect(description.typedSearchAttributes.get(nameKey)).toMatch(/^host\.example, site\d+\.example \+3$/);
    expect(await description.staticSummary()).toMatch(
      /^Threat scan of 5 destinations: host\.example, site\d+\.example, site\d+\.example, …$/,
    );
    const text = decoded(historyToJSON(await handle.fetchHistory()));
    expect(text).toContain('host.example');
    for (const secret of ['secret-path', 'token']) expect(text).not.toContain(secret);
  });

  test('a threat scan of forty destinations fits into its search attributes', async () => {
    const { links, handle } = await scan(nextUrls(40));
    expect(await handle.result()).toMatchObject({ state: 'completed', answered: 40 });
    const { typedSearchAttributes } = await handle.describe();
    const ids = typedSearchAttributes.get({ name: 'linkId', type: 'KEYWORD_LIST' });
    expect(ids?.toSorted()).toEqual(links.map((link) => link.id).toSorted());
    expect(fake.lookups).toHaveLength(40);
  });

  test('a threat scan continues after errors of the service', async () => {
    fake.fault((_uri, count) => (count <= 3 ? { status: 500 } : undefined));
    const { links, handle } = await scan(nextUrls(1));
    expect(await handle.result()).toMatchObject({ state: 'completed', answered: 1 });
    expect(fake.lookups).toHaveLength(4);
    expect(await typesOf(links[0]!)).toEqual([]);
    await recordHistory('threat-scan-retried', handle);
  });

  test('a threat scan repeats lookups only for URLs without an answer', async () => {
    const [slow, ...quick] = nextUrls(5);
    fake.fault((uri) =>
      uri === slow && fake.lookups.filter((lookup) => lookup.uri === slow).length < 3 ? { status: 503 } : undefined,
    );
    const { handle } = await scan([slow!, ...quick]);
    expect(await handle.result()).toMatchObject({ state: 'completed', answered: 5 });
    expect(fake.lookups.filter((lookup) => lookup.uri !== slow)).toHaveLength(4);
  });

  test('a threat scan stores quick answers at once while another lookup hangs', async () => {
    const [hanging, quick] = nextUrls(2);
    isImpatient = true;
    fake.fault((uri) =>
      uri === hanging && fake.lookups.filter((lookup) => lookup.uri === hanging).length === 1 ? 'hang' : undefined,
    );
    const { links, handle } = await scan([hanging!, quick!]);
    await eventually(async () => (await typesOf(links[1]!)) !== null);
    expect(await typesOf(links[0]!)).toBeNull();
    expect(await handle.result()).toMatchObject({ state: 'completed', answered: 2 });
  });

  test('a threat scan makes no call for as long as the service asks', async () => {
    fake.fault((_uri, count) => (count === 1 ? { status: 429, retryInfoSeconds: 1 } : undefined));
    const startedAt = performance.now();
    const { handle } = await scan(nextUrls(1));
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(performance.now() - startedAt).toBeGreaterThan(950);
    expect(fake.lookups).toHaveLength(2);
  });

  test('a threat scan stops its lookups once the quota is used up', async () => {
    fake.fault((_uri, count) => (count <= 10 ? { status: 429, retryAfterSeconds: 1 } : undefined));
    const { handle } = await scan(nextUrls(40));
    await eventually(async () => fake.lookups.length >= 10);
    expect(await handle.query(scanStateQuery)).toBe('scanning');
    expect(fake.lookups.length).toBeLessThanOrEqual(20);
    expect(await handle.result()).toMatchObject({ state: 'completed', answered: 40 });
  });

  test('a wait longer than its lifetime postpones a threat scan, and its outbox rows wait that long', async () => {
    fake.fault(() => ({ status: 429, retryInfoSeconds: 300 }));
    const { links, handle } = await scan(nextUrls(1));
    expect(await handle.result()).toEqual({
      state: 'postponed',
      answered: 0,
      flagged: 0,
      open: 1,
      nextAt: expect.any(String) as string,
    });
    expect((await isAwaited(links[0]!)).inMs).toBeGreaterThan(290_000);
    const { nextAt } = await handle.result();
    expect(Date.parse(nextAt) - Date.now()).toBeGreaterThan(280_000);
    const { currentDetails } = await readMetadata(handle);
    expect(currentDetails).toContain(`1 put off. Another scan asks about it again at ${nextAt}`);
    expect(await handle.query(scanStateQuery)).toBe('postponed');
    await recordHistory('threat-scan-postponed', handle);
  });

  test('a threat scan is postponed when the service stays unreachable', async () => {
    fake.fault(() => ({ status: 503 }));
    const { links, handle } = await scan(nextUrls(3));
    expect(await handle.result()).toMatchObject({ state: 'postponed', open: 3 });
    const { awaited, inMs } = await isAwaited(links[0]!);
    expect(awaited).toBe(true);
    expect(inMs).toBeGreaterThan(20_000);
  });

  test('a threat scan postpones a URL that fails while others are answered, so that the URL delays no batch for long', async () => {
    const [poison, ...others] = nextUrls(12);
    fake.fault((uri) => (uri === poison ? { status: 500 } : undefined));
    const { links, handle } = await scan([poison!, ...others]);
    expect(await handle.result()).toMatchObject({ state: 'postponed', answered: 11, open: 1 });
    expect(fake.lookups.filter((lookup) => lookup.uri === poison)).toHaveLength(4);
    expect(await isAwaited(links[0]!)).toMatchObject({ awaited: true });
  });

  test('a refused URL counts as answered: its verdict is unknown, and it is not looked up again', async () => {
    fake.fault(() => ({ status: 400 }));
    const { links, handle } = await scan(nextUrls(1));
    expect(await handle.result()).toMatchObject({ state: 'completed', answered: 1, flagged: 0 });
    expect(await typesOf(links[0]!)).toBeNull();
    expect(await isAwaited(links[0]!)).toMatchObject({ awaited: false });
  });

  test('a threat scan announces known URLs without a lookup', async () => {
    const urls = nextUrls(2);
    const links = await createScannedLinks(db, owner, urls);
    await storeVerdicts(
      emOf(db),
      [{ urlHash: links[0]!.urlHash, threatTypes: ['MALWARE'], expiresAt: new Date(Date.now() + 60_000) }],
      site,
    );
    const targets = await listScanTargets(
      db,
      links.map((link) => link.destinationId),
    );
    const { workflowId } = await createStartWorkflow(worker)(startOfScan(uuidv7(), targets));
    expect(await worker.client.workflow.getHandle(workflowId).result()).toMatchObject({ answered: 2, flagged: 1 });
    expect(fake.lookups.map((lookup) => lookup.uri)).toEqual([urls[1]]);
  });

  test('a link that commits while its verdict is stored is notified, and no other link is notified again', async () => {
    const [url] = nextUrls(1);
    const late = await createLinkOwner(db);
    const [early] = await createScannedLinks(db, owner, [url!]);
    const verdict = {
      urlHash: early!.urlHash,
      threatTypes: ['MALWARE' as const],
      expiresAt: new Date(Date.now() + 60_000),
    };
    const link = await db.transaction(async (tx) => {
      const [made] = await insertLinks(tx, late, [url!]);
      const verdicts = await requestVerdicts(tx, [{ id: made!.destinationId, url: url! }]);
      expect([...verdicts.values()]).toEqual([{ threatTypes: null, fresh: false }]);
      await storeVerdicts(emOf(db), [verdict], site);
      return made!;
    });
    const told = async () =>
      (
        await db.query<{ id: string }>(
          `select link_id as id from events where type = 'link.updated' and link_id = any($1::uuid[]) order by id`,
          [[early!.id, link.id]],
        )
      ).rows.map(({ id }) => id);
    const noted = async () =>
      (
        await db.query<{ id: string }>(
          `select organization_id as id from threat_notices where url_hash = decode($1, 'hex') order by 1`,
          [verdict.urlHash],
        )
      ).rows.map(({ id }) => id);
    expect([await told(), await noted()]).toEqual([[early!.id], [owner.organizationId]]);
    // The mail to the first owner has been sent by now.
    await db.query('delete from threat_notices');

    for (let time = 0; time < 2; time += 1) {
      const targets = await listScanTargets(db, [early!.destinationId, link.destinationId]);
      const { workflowId } = await createStartWorkflow(worker)(startOfScan(uuidv7(), targets));
      expect(await worker.client.workflow.getHandle(workflowId).result()).toMatchObject({ answered: 1, flagged: 1 });
      expect([await told(), await noted()]).toEqual([[early!.id, link.id], [late.organizationId]]);
    }
    expect(fake.lookups).toEqual([]);
  });
});

describe('a threat scan whose destinations were answered already', () => {
  test('the scan looks nothing up, and counts the known verdicts', async () => {
    const answer = { threatTypes: [], expiresAt: new Date(Date.now() + 60_000) };
    const links = await createScannedLinks(db, owner, nextUrls(30), answer);
    const targets = await listScanTargets(
      db,
      links.map(({ destinationId }) => destinationId),
    );
    const { workflowId } = await createStartWorkflow(worker)(startOfScan(uuidv7(), targets, { isBulk: true }));
    const handle = worker.client.workflow.getHandle(workflowId);
    expect(await handle.result()).toEqual({ state: 'completed', answered: 30, flagged: 0, open: 0 });
    expect(fake.lookups).toEqual([]);
    expect((await readMetadata(handle)).currentDetails).toContain('30 answered, 0 of them with threats, 0 put off.');
    await recordHistory('threat-scan-bulk', handle);
  });
});

/** A history as text, its payloads, which lie in it as base64, added in clear. */
function decoded(history: string): string {
  const payloads = [...history.matchAll(/"data": ?"([^"]+)"/g)].map(([, data]) =>
    Buffer.from(data!, 'base64').toString(),
  );
  return [history, ...payloads].join('\n');
}
