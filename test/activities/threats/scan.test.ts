// @module-tag slow

import type { SearchAttributePair } from '@temporalio/common';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createScanActivities, type ScanActivities, type ScanOutcome } from '#activities/threats/scan.ts';
import type { ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { createWebRisk } from '#adapters/threat-scanners/web-risk.ts';
import { requestVerdicts, storeVerdicts, withLanes } from '#commands/threats/verdicts.ts';
import type { ThreatType } from '#core/threats/types.ts';
import { listScanTargets } from '#db/threats/verdicts.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { runAttempts } from '#test/support/activities.ts';
import { startOfScan, type ThreatScanInput } from '#workflows/threats/scan.ts';
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
import { useTestDatabase } from '#test/support/stack.ts';
import { silent, site } from '#test/support/test-worker.ts';

let fake: FakeWebRisk;
let patient: ThreatScanner;
let impatient: ThreatScanner;
let isImpatient: boolean;
let owner: LinkOwner;
let activities: ScanActivities;
let counter = 0;

const db = useTestDatabase();
beforeAll(async () => {
  fake = await createFakeWebRisk();
  patient = createWebRisk({ endpoint: fake.url, cleanForMs: 86_400_000 });
  impatient = createWebRisk({ endpoint: fake.url, lookupTimeoutMs: 500, cleanForMs: 86_400_000 });
  owner = await createLinkOwner(db);
  activities = createScanActivities({
    db,
    em: emOf(db),
    scanner: {
      ...patient,
      // A slow machine takes longer for some answers than a test wants to wait for one that never comes.
      lookup: (url, signal) => (isImpatient ? impatient : patient).lookup(url, signal),
    },
    site,
    log: silent,
    firstGapMs: 50,
    horizonMs: 6_000,
  });
});
beforeEach(() => {
  fake.lookups.length = 0;
  fake.fault(() => undefined);
  isImpatient = false;
});
afterAll(async () => {
  await patient.close();
  await impatient.close();
  await fake[Symbol.asyncDispose]();
});

const nextUrls = (count: number): string[] =>
  Array.from({ length: count }, () => `https://site${(counter += 1)}.example/path`);

/** The start of the workflow that scans links, as the relay makes it. */
async function startOf(links: readonly { destinationId: string }[], isBulk = false): Promise<WorkflowStart> {
  const targets = await listScanTargets(
    db,
    links.map((link) => link.destinationId),
  );
  return startOfScan(uuidv7(), targets, { isBulk });
}

/** Does what the workflow of a start asks for. */
function lookUp({ options }: WorkflowStart): Promise<ScanOutcome> {
  const { urlHashes, destinationIds } = options.args![0] as ThreatScanInput;
  return runAttempts(activities.scanUrls, { urlHashes, destinationIds });
}

/** Makes links and scans them. */
async function scan(urls: readonly string[]): Promise<{ links: ScannedLink[]; outcome: Promise<ScanOutcome> }> {
  const links = await createScannedLinks(db, owner, urls);
  return { links, outcome: lookUp(await startOf(links)) };
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
    const { links, outcome } = await scan([bad!, clean!]);
    expect(await outcome).toEqual({ answered: 2, flagged: 1, open: 0 });
    expect(await typesOf(links[0]!)).toEqual(['MALWARE', 'SOCIAL_ENGINEERING']);
    expect(await typesOf(links[1]!)).toEqual([]);
    expect(await isAwaited(links[0]!)).toMatchObject({ awaited: false });
  });

  test('operators find a threat scan by link and by organization, with a summary; Temporal knows neither paths nor queries (10.3)', async () => {
    const links = await createScannedLinks(db, owner, ['https://host.example/secret-path?token=1', ...nextUrls(4)]);
    const start = await startOf(links);
    expect(start.options.workflowId).toMatch(/^threat-scan\/[0-9a-f-]{36}$/);
    const attributes = new Map(
      (start.options.typedSearchAttributes as SearchAttributePair[]).map(({ key, value }) => [key.name, value]),
    );
    expect(attributes.get('organizationId')).toEqual([owner.organizationId]);
    expect((attributes.get('linkId') as string[]).toSorted()).toEqual(links.map(({ id }) => id).toSorted());
    expect(attributes.get('displayName')).toMatch(/^host\.example, site\d+\.example \+3$/);
    expect(start.options.staticSummary).toMatch(
      /^Threat scan of 5 destinations: host\.example, site\d+\.example, site\d+\.example, …$/,
    );
    for (const secret of ['secret-path', 'token']) expect(JSON.stringify(start)).not.toContain(secret);
    expect(JSON.stringify(await lookUp(start))).not.toContain('host');
  });

  test('a threat scan of forty destinations fits into its search attributes', async () => {
    const { links, outcome } = await scan(nextUrls(40));
    expect(await outcome).toMatchObject({ answered: 40 });
    const { options } = await startOf(links);
    const { value: ids } = (options.typedSearchAttributes as SearchAttributePair[]).find(
      ({ key }) => key.name === 'linkId',
    )!;
    expect((ids as string[]).toSorted()).toEqual(links.map((link) => link.id).toSorted());
    // Temporal holds 2,048 bytes.
    expect(JSON.stringify(ids).length).toBeLessThan(2_048);
    expect(fake.lookups).toHaveLength(40);
  });

  test('a threat scan continues after errors of the service', async () => {
    fake.fault((_uri, count) => (count <= 3 ? { status: 500 } : undefined));
    const { links, outcome } = await scan(nextUrls(1));
    expect(await outcome).toMatchObject({ answered: 1 });
    expect(fake.lookups).toHaveLength(4);
    expect(await typesOf(links[0]!)).toEqual([]);
  });

  test('a threat scan repeats lookups only for URLs without an answer', async () => {
    const [slow, ...quick] = nextUrls(5);
    fake.fault((uri) =>
      uri === slow && fake.lookups.filter((lookup) => lookup.uri === slow).length < 3 ? { status: 503 } : undefined,
    );
    const { outcome } = await scan([slow!, ...quick]);
    expect(await outcome).toMatchObject({ answered: 5 });
    expect(fake.lookups.filter((lookup) => lookup.uri !== slow)).toHaveLength(4);
  });

  test('a threat scan stores quick answers at once while another lookup hangs', async () => {
    const [hanging, quick] = nextUrls(2);
    isImpatient = true;
    fake.fault((uri) =>
      uri === hanging && fake.lookups.filter((lookup) => lookup.uri === hanging).length === 1 ? 'hang' : undefined,
    );
    const { links, outcome } = await scan([hanging!, quick!]);
    await eventually(async () => (await typesOf(links[1]!)) !== null);
    expect(await typesOf(links[0]!)).toBeNull();
    expect(await outcome).toMatchObject({ answered: 2 });
  });

  test('a threat scan makes no call for as long as the service asks', async () => {
    fake.fault((_uri, count) => (count === 1 ? { status: 429, retryInfoSeconds: 1 } : undefined));
    const startedAt = performance.now();
    const { outcome } = await scan(nextUrls(1));
    expect(await outcome).toMatchObject({ open: 0 });
    expect(performance.now() - startedAt).toBeGreaterThan(950);
    expect(fake.lookups).toHaveLength(2);
  });

  test('a threat scan stops its lookups once the quota is used up', async () => {
    fake.fault((_uri, count) => (count <= 10 ? { status: 429, retryAfterSeconds: 1 } : undefined));
    const { outcome } = await scan(nextUrls(40));
    await eventually(async () => fake.lookups.length >= 10);
    expect(fake.lookups.length).toBeLessThanOrEqual(20);
    expect(await outcome).toMatchObject({ answered: 40 });
  });

  test('a wait longer than its lifetime postpones a threat scan, and its outbox rows wait that long', async () => {
    fake.fault(() => ({ status: 429, retryInfoSeconds: 300 }));
    const { links, outcome } = await scan(nextUrls(1));
    expect(await outcome).toEqual({
      answered: 0,
      flagged: 0,
      open: 1,
      nextAt: expect.any(String) as string,
    });
    expect((await isAwaited(links[0]!)).inMs).toBeGreaterThan(290_000);
    const { nextAt } = await outcome;
    expect(Date.parse(nextAt!) - Date.now()).toBeGreaterThan(280_000);
  });

  test('a threat scan is postponed when the service stays unreachable', async () => {
    fake.fault(() => ({ status: 503 }));
    const { links, outcome } = await scan(nextUrls(3));
    expect(await outcome).toMatchObject({ open: 3 });
    const { awaited, inMs } = await isAwaited(links[0]!);
    expect(awaited).toBe(true);
    expect(inMs).toBeGreaterThan(20_000);
  });

  test('a threat scan postpones a URL that fails while others are answered, so that the URL delays no batch for long', async () => {
    const [poison, ...others] = nextUrls(12);
    fake.fault((uri) => (uri === poison ? { status: 500 } : undefined));
    const { links, outcome } = await scan([poison!, ...others]);
    expect(await outcome).toMatchObject({ answered: 11, open: 1 });
    expect(fake.lookups.filter((lookup) => lookup.uri === poison)).toHaveLength(4);
    expect(await isAwaited(links[0]!)).toMatchObject({ awaited: true });
  });

  test('a refused URL counts as answered: its verdict is unknown, and it is not looked up again', async () => {
    fake.fault(() => ({ status: 400 }));
    const { links, outcome } = await scan(nextUrls(1));
    expect(await outcome).toMatchObject({ answered: 1, flagged: 0 });
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
    expect(await lookUp(await startOf(links))).toMatchObject({ answered: 2, flagged: 1 });
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
      const verdicts = await requestVerdicts(
        tx,
        withLanes(late.organizationId, [{ id: made!.destinationId, url: url! }]),
      );
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
      expect(await lookUp(await startOf([early!, link]))).toMatchObject({ answered: 1, flagged: 1 });
      expect([await told(), await noted()]).toEqual([[early!.id, link.id], [late.organizationId]]);
    }
    expect(fake.lookups).toEqual([]);
  });

  test.for([
    { verdict: 'fresh', expiresInMs: 60_000 },
    { verdict: 'stale', expiresInMs: -1 },
  ])(
    'later links to a known threat, whose verdict is $verdict, are reported once each to their own organizations (6.12)',
    async ({ expiresInMs }) => {
      const [url] = nextUrls(1);
      fake.flag(url!, ['MALWARE']);
      const [first] = await createScannedLinks(db, owner, [url!]);
      await lookUp(await startOf([first!]));
      await db.query('delete from threat_notices');
      await db.query(
        `update threat_verdicts set expires_at = now() + $2 * interval '1 ms' where url_hash = decode($1, 'hex')`,
        [first!.urlHash, expiresInMs],
      );

      const other = await createLinkOwner(db);
      const later = [
        ...(await createScannedLinks(db, owner, [url!])),
        ...(await createScannedLinks(db, other, [url!])),
      ];
      const [moved] = await createScannedLinks(db, other, nextUrls(1));
      await lookUp(await startOf([moved!]));
      await db.transaction(async (tx) => {
        await tx.query('update destinations set value = $2, url_hash = decode($3, $4) where id = $1', [
          moved!.destinationId,
          url,
          first!.urlHash,
          'hex',
        ]);
        await tx.query('update short_links set updated_at = now() where id = $1', [moved!.id]);
        await requestVerdicts(tx, withLanes(other.organizationId, [{ id: moved!.destinationId, url: url! }]));
      });
      const links = [first!, ...later, moved!];
      for (let time = 0; time < 2; time += 1) await lookUp(await startOf(links));
      const { rows: flagged } = await db.query<{ id: string }>(
        `select link_id as id from events where type = 'link.flagged' and link_id = any($1::uuid[])`,
        [links.map(({ id }) => id)],
      );
      expect(flagged.map(({ id }) => id).toSorted()).toEqual(links.map(({ id }) => id).toSorted());
      const { rows: noticed } = await db.query<{ id: string }>('select organization_id as id from threat_notices');
      expect(noticed.map(({ id }) => id).toSorted()).toEqual([owner.organizationId, other.organizationId].toSorted());
    },
  );

  test('a link that moves from one threat to another of the same type is reported for both', async () => {
    const urls = nextUrls(2);
    for (const url of urls) fake.flag(url, ['MALWARE']);
    const links = await createScannedLinks(db, owner, urls);
    await lookUp(await startOf(links));
    const [link, target] = links;
    await db.query(`update destinations set value = $2, url_hash = decode($3, 'hex') where id = $1`, [
      link!.destinationId,
      target!.url,
      target!.urlHash,
    ]);
    await db.query('update short_links set updated_at = clock_timestamp() where id = $1', [link!.id]);
    await lookUp(await startOf([link!]));
    const { rowCount } = await db.query(`select from events where type = 'link.flagged' and link_id = $1`, [link!.id]);
    expect(rowCount).toBe(2);
  });
});

describe('a threat scan whose destinations were answered already', () => {
  test('the scan looks nothing up, and counts the known verdicts', async () => {
    const answer = { threatTypes: [], expiresAt: new Date(Date.now() + 60_000) };
    const links = await createScannedLinks(db, owner, nextUrls(30), answer);
    expect(await lookUp(await startOf(links, true))).toEqual({ answered: 30, flagged: 0, open: 0 });
    expect(fake.lookups).toEqual([]);
  });
});
