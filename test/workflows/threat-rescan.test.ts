// @module-tag slow

import type { WorkflowHandle } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emOf } from '#test/support/entity-managers.ts';
import { createWebRisk } from '#adapters/threat-scanners/web-risk.ts';
import type { ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { storeVerdicts, urlHash } from '#commands/threats/verdicts.ts';
import type { Mail } from '#core/lib/mail.ts';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { nameKey } from '#core/temporal/search-attributes.ts';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { startOfThreatMail } from '#workflows/starts.ts';
import { rescanStatusQuery, threatRescan } from '#workflows/threat-rescan.ts';
import { createLinkOwner, createScannedLinks, type LinkOwner, type ScannedLink } from '#test/support/durable.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFakeWebRisk, type FakeWebRisk } from '#test/support/fake-web-risk.ts';
import { recordHistory } from '#test/support/histories.ts';
import { createTestDatabase, temporalForTest, type TestDatabase } from '#test/support/stack.ts';
import { site, startTestWorker, type TestWorker, type TestWorkerOptions } from '#test/support/test-worker.ts';
import { createPerson } from '#test/support/people.ts';
import { insertRow } from '#test/support/rows.ts';

let database: TestDatabase;
let db: Database;
let fake: FakeWebRisk;
let scanner: ThreatScanner;
let owner: LinkOwner;
let temporal: ReturnType<typeof temporalForTest>;
let workers: TestWorker[];
let mails: Mail[];
let refuseMail: boolean;
let counter = 0;

beforeEach(async () => {
  database = await createTestDatabase();
  db = createDatabase({ url: database.url });
  fake = await createFakeWebRisk();
  scanner = createWebRisk({ endpoint: fake.url });
  owner = await createLinkOwner(db);
  temporal = temporalForTest();
  [workers, mails, refuseMail] = [[], [], false];
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
  await scanner.close();
  await fake[Symbol.asyncDispose]();
  await db.close();
  await database[Symbol.asyncDispose]();
});

const mailer = {
  async send(mail: Mail) {
    mails.push(mail);
    if (refuseMail) throw new Error('refused');
  },
  close: () => undefined,
};

async function startWorker(rescan: Partial<NonNullable<TestWorkerOptions['rescan']>> = {}): Promise<TestWorker> {
  const worker = await startTestWorker({
    temporal,
    sql: db,
    scanner,
    rescan: { mailer, perSecond: 10_000, firstGapMs: 20, ...rescan },
  });
  workers.push(worker);
  return worker;
}

const nextUrls = (count: number): string[] =>
  Array.from({ length: count }, () => `https://site${(counter += 1)}.example/path`);

/** Makes links whose verdicts are clean and have run out. */
async function createStaleLinks(urls: readonly string[]): Promise<ScannedLink[]> {
  const links = await createScannedLinks(db, owner, urls);
  const expiresAt = new Date(Date.now() - 1_000);
  await storeVerdicts(
    emOf(db),
    links.map(({ urlHash }) => ({ urlHash, threatTypes: [], expiresAt })),
    site,
  );
  return links;
}

function start(worker: TestWorker): Promise<WorkflowHandle<typeof threatRescan>> {
  return worker.client.workflow.start(threatRescan, {
    workflowId: `threat-rescan-${uuidv7()}`,
    taskQueue: worker.taskQueue,
    args: [],
  });
}

async function updatedEvents(): Promise<{ linkId: string; body: string }[]> {
  const { rows } = await db.query<{ linkId: string; body: string }>(
    `select link_id as "linkId", body from events where type = 'link.updated' order by link_id`,
  );
  return rows;
}

async function addOwner(email: string): Promise<void> {
  await createPerson(db, { [owner.organizationId]: 'owner' }, { email });
}

describe('a rescan', () => {
  test('a rescan looks up each URL of live links once, but no URL whose threat verdict is still valid (9.2)', async () => {
    const [stale, fresh, bad, gone] = nextUrls(4);
    await createStaleLinks([stale!, stale!]);
    const [freshLink, badLink] = await createScannedLinks(db, owner, [fresh!, bad!]);
    const expiresAt = new Date(Date.now() + 60_000);
    const verdicts = [
      { urlHash: freshLink!.urlHash, threatTypes: [], expiresAt },
      { urlHash: badLink!.urlHash, threatTypes: ['MALWARE' as const], expiresAt },
    ];
    await storeVerdicts(emOf(db), verdicts, site);
    await db.query('delete from events');
    const [dead] = await createStaleLinks([gone!]);
    await db.query('update short_links set deleted_at = now() where id = $1', [dead!.id]);
    const worker = await startWorker();
    const handle = await start(worker);
    expect(await handle.result()).toMatchObject({ state: 'completed', answered: 2, flagged: 0, left: 0 });
    expect(fake.lookups.map(({ uri }) => uri).toSorted()).toEqual([stale, fresh].toSorted());
    expect(await handle.query(rescanStatusQuery)).toMatchObject({ state: 'completed' });
    expect(await updatedEvents()).toEqual([]);
    await recordHistory('threat-rescan-completed', handle);
  });

  test('a rescan looks up the fallback URLs of expired links and of domains', async () => {
    const [main, expired, fallback] = nextUrls(3);
    const [link] = await createStaleLinks([main!]);
    await db.query('update short_links set expired_url = $2 where id = $1', [link!.id, expired]);
    await db.query('update domains set fallback_url = $2 where id = $1', [owner.domainId, fallback]);
    for (const url of [expired!, fallback!]) await insertRow(db, 'threat_verdicts', { url, url_hash: urlHash(url) });
    fake.flag(fallback!, ['MALWARE']);
    const handle = await start(await startWorker());
    expect(await handle.result()).toMatchObject({ answered: 3, flagged: 1 });
    // No link leads to a fallback URL, but its owner is notified.
    expect(await updatedEvents()).toEqual([]);
    expect((await db.query('select organization_id from threat_notices')).rowCount).toBe(1);
  });

  test('a rescan of 5,000 URLs is one workflow of a few activities', { timeout: 60_000 }, async () => {
    await createStaleLinks(nextUrls(5_000));
    const handle = await start(await startWorker({ turnMs: 1_000 }));
    expect(await handle.result()).toMatchObject({ state: 'completed', answered: 5_000 });
    expect(new Set(fake.lookups.map(({ uri }) => uri)).size).toBe(5_000);
    const { events } = await handle.fetchHistory();
    const activities = (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes);
    expect(activities.length).toBeLessThan(40);
    await recordHistory('threat-rescan-turns', handle);
  });

  test('a rescan keeps to its rate', async () => {
    await createStaleLinks(nextUrls(30));
    const startedAt = performance.now();
    await (await start(await startWorker({ perSecond: 30 }))).result();
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  test('a rescan waits as long as the service asks, and then continues at its current URL', async () => {
    await createStaleLinks(nextUrls(60));
    fake.fault((_uri, count) => (count > 30 && count <= 35 ? { status: 429, retryAfterSeconds: 1 } : undefined));
    const startedAt = performance.now();
    const handle = await start(await startWorker({ pageSize: 10, concurrency: 2 }));
    expect(await handle.result()).toMatchObject({ state: 'completed', left: 0 });
    expect(performance.now() - startedAt).toBeGreaterThan(950);
    // A URL with an answer is not looked up again.
    expect(fake.lookups.length).toBeLessThan(60 + 5 + 5);
    await recordHistory('threat-rescan-retried', handle);
  });

  test('a rescan continues after an outage', async () => {
    await createStaleLinks(nextUrls(40));
    fake.fault((_uri, count) => (count <= 30 ? { status: 503 } : undefined));
    const handle = await start(await startWorker());
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    // Ordinary scans may have taken over URLs that failed just before the service was back.
    const { rows } = await db.query('select from threat_verdicts where expires_at < now() and due_at is null');
    expect(rows).toEqual([]);
  });

  test('a rescan leaves a single URL without an answer to ordinary scans', async () => {
    const urls = nextUrls(20);
    const links = await createStaleLinks(urls);
    fake.fault((uri) => (uri === urls[0] ? { status: 500 } : undefined));
    const handle = await start(await startWorker());
    expect(await handle.result()).toMatchObject({ state: 'completed', answered: 19, left: 1 });
    const { rows } = await db.query(
      `select encode(url_hash, 'hex') as hash from threat_verdicts where due_at > now() + interval '20 seconds'`,
    );
    expect(rows).toEqual([{ hash: links[0]!.urlHash }]);
  });

  test('another worker continues the rescan of a stopped worker', async () => {
    await createStaleLinks(nextUrls(400));
    const first = await startWorker({ pageSize: 20, concurrency: 2, perSecond: 100 });
    const handle = await start(first);
    await fake.received(100);
    await first[Symbol.asyncDispose]();
    workers = [];
    const { client } = await startWorker();
    expect(await client.workflow.getHandle(handle.workflowId).result()).toMatchObject({ state: 'completed' });
    expect(new Set(fake.lookups.map(({ uri }) => uri)).size).toBe(400);
    // Only lookups under way at the stop of the first worker are repeated.
    expect(fake.lookups.length).toBeLessThan(400 + 25);
  });
});

describe('a verdict that changes', () => {
  test('a changed verdict causes one event for every link to the URL, and a mail to the owner', async () => {
    const [bad, both] = nextUrls(2);
    const links = await createStaleLinks([bad!, bad!, both!]);
    await db.query('update short_links set expired_url = $2 where id = $1', [links[2]!.id, bad]);
    fake.flag(bad!, ['MALWARE']);
    fake.flag(both!, ['SOCIAL_ENGINEERING']);
    const worker = await startWorker();
    expect(await (await start(worker)).result()).toMatchObject({ flagged: 2 });
    const linkIds = (await updatedEvents()).map(({ linkId }) => linkId);
    expect(new Set(linkIds)).toEqual(new Set(links.map(({ id }) => id)));
    const { rows } = await db.query(`select kind from outbox where subject_id = $1`, [owner.organizationId]);
    expect(rows).toEqual([{ kind: 'threat-mail' }]);
    const slugs = await db.query<{ slug: string; domain: string }>(
      'select l.slug, d.domain from short_links l join domains d on d.id = l.domain_id where l.id = $1',
      [links[0]!.id],
    );
    const { slug, domain } = slugs.rows[0]!;
    const event = (await updatedEvents()).find(({ linkId }) => linkId === links[0]!.id)!;
    expect(JSON.parse(event.body)).toMatchObject({
      type: 'link.updated',
      data: {
        link: {
          id: links[0]!.id,
          shortUrl: site.originUrl(domain, slug),
          destination: { type: 'link', value: bad, threatTypes: ['MALWARE'] },
        },
        previous: { destination: { type: 'link', value: bad, threatTypes: [] } },
      },
    });
  });

  test('a verdict that becomes clean causes events but no mail, and an unchanged verdict causes neither', async () => {
    const [url] = nextUrls(1);
    const [link] = await createStaleLinks([url!]);
    const store = (threatTypes: ('MALWARE' | 'UNWANTED_SOFTWARE')[]) =>
      storeVerdicts(emOf(db), [{ urlHash: link!.urlHash, threatTypes, expiresAt: new Date() }], site);
    await store(['MALWARE', 'UNWANTED_SOFTWARE']);
    expect(await updatedEvents()).toHaveLength(1);
    await db.query('delete from threat_notices');
    await store(['UNWANTED_SOFTWARE', 'MALWARE']);
    expect(await updatedEvents()).toHaveLength(1);
    await store([]);
    expect(await updatedEvents()).toHaveLength(2);
    expect((await db.query('select from threat_notices')).rowCount).toBe(0);
  });
});

/** Starts the mail workflow without the delay in which threats gather. */
async function startMail(worker: TestWorker): Promise<void> {
  const { options, ...start } = startOfThreatMail({ id: owner.organizationId, name: 'Test' });
  await createStartWorkflow(worker)({ ...start, options: { ...options, startDelay: 0 } });
}

describe('the mail of threats', () => {
  test('one mail tells the owner of all threats, and is repeated unchanged when the mail server refuses it', async () => {
    await addOwner('owner@example.com');
    const [one, two] = nextUrls(2);
    const links = await createStaleLinks([`${one}?token=secret`, two!, two!]);
    await storeVerdicts(
      emOf(db),
      links.slice(0, 2).map(({ urlHash }) => ({ urlHash, threatTypes: ['MALWARE'], expiresAt: new Date() })),
      site,
    );
    refuseMail = true;
    const worker = await startWorker();
    await startMail(worker);
    await eventually(async () => mails.length > 0);
    refuseMail = false;
    const handle = worker.client.workflow.getHandle(`threat-mail/${owner.organizationId}`);
    expect(await handle.result()).toEqual({ mails: 1 });
    const description = await handle.describe();
    expect(await description.staticSummary()).toBe('Tell the owner of Test of new threats');
    expect(description.typedSearchAttributes.get(nameKey)).toBe('Test');
    expect(mails).toHaveLength(2);
    expect(mails[1]).toEqual(mails[0]);
    expect(mails[0]).toMatchObject({ to: 'owner@example.com', subject: 'Danger found at 2 sites' });
    expect(mails[0]!.text).toContain('Found: malware');
    expect(mails[0]!.text).not.toContain('secret');
    expect(mails[0]!.text.match(/Link: /g)).toHaveLength(3);
    expect((await db.query('select from threat_notices')).rowCount).toBe(0);
    await recordHistory('threat-mail', handle);
  });

  test('no mail is sent about a URL that has become clean meanwhile', async () => {
    await addOwner('owner@example.com');
    const [link] = await createStaleLinks(nextUrls(1));
    for (const threatTypes of [['MALWARE' as const], []]) {
      await storeVerdicts(emOf(db), [{ urlHash: link!.urlHash, threatTypes, expiresAt: new Date() }], site);
    }
    const worker = await startWorker();
    await startMail(worker);
    await worker.client.workflow.getHandle(`threat-mail/${owner.organizationId}`).result();
    expect(mails).toEqual([]);
  });
});
