// @module-tag slow

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRescanActivities, type RescanDependencies, type RescanProgress } from '#activities/threats/rescan.ts';
import { runAttempts } from '#test/support/activities.ts';
import { startsFor } from '#test/support/relay.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createWebRisk } from '#adapters/threat-scanners/web-risk.ts';
import type { ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { storeVerdicts } from '#commands/threats/verdicts.ts';
import { requeueOverdueThreatMail } from '#db/threats/threat-mail.ts';
import { hashOfUrl } from '#core/threats/url-hash.ts';
import type { Mail } from '#core/lib/mail.ts';
import { createLinkOwner, createScannedLinks, type LinkOwner, type ScannedLink } from '#test/support/durable.ts';
import { createFakeWebRisk, type FakeWebRisk } from '#test/support/fake-web-risk.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { silent, site } from '#test/support/test-worker.ts';
import { createPerson } from '#test/support/people.ts';
import { insertRow } from '#test/support/rows.ts';

let fake: FakeWebRisk;
let scanner: ThreatScanner;
let owner: LinkOwner;
let mails: Mail[];
let refuseMail: boolean;
let counter = 0;

const db = useTestDatabase();
beforeAll(async () => {
  fake = await createFakeWebRisk();
  scanner = createWebRisk({ endpoint: fake.url, cleanForMs: 86_400_000 });
});
beforeEach(async () => {
  // A rescan looks at all there is.
  await db.query('truncate organizations, users, threat_verdicts, threat_notices, events, outbox cascade');
  fake.lookups.length = 0;
  fake.fault(() => undefined);
  owner = await createLinkOwner(db);
  [mails, refuseMail] = [[], false];
});
afterAll(async () => {
  await scanner.close();
  await fake[Symbol.asyncDispose]();
});

const mailer = {
  async send(mail: Mail) {
    mails.push(mail);
    if (refuseMail) throw new Error('refused');
  },
  close: () => undefined,
};

const activitiesOf = (options: Partial<RescanDependencies> = {}) =>
  createRescanActivities({
    em: emOf(db),
    scanner,
    site,
    mailer,
    log: silent,
    perSecond: 10_000,
    firstGapMs: 20,
    ...options,
  });

/** Asks again about all URLs, turn after turn, as the workflow `threatRescan` does. */
async function rescan(options: Partial<RescanDependencies> = {}): Promise<RescanProgress & { turns: number }> {
  const { rescanUrls } = activitiesOf(options);
  let progress: RescanProgress = { after: null, pages: 0, answered: 0, flagged: 0, left: 0 };
  for (let turns = 1; ; turns += 1) {
    const { more, ...after } = await runAttempts(rescanUrls, progress);
    if (!more) return { ...after, turns };
    progress = after;
  }
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
    expect(await rescan()).toMatchObject({ answered: 2, flagged: 0, left: 0 });
    expect(fake.lookups.map(({ uri }) => uri).toSorted()).toEqual([stale, fresh].toSorted());
    expect(await updatedEvents()).toEqual([]);
  });

  test('a rescan looks up the fallback URLs of expired links and of domains', async () => {
    const [main, expired, fallback] = nextUrls(3);
    const [link] = await createStaleLinks([main!]);
    await db.query('update short_links set expired_url = $2 where id = $1', [link!.id, expired]);
    await db.query('update domains set fallback_url = $2 where id = $1', [owner.domainId, fallback]);
    for (const url of [expired!, fallback!]) await insertRow(db, 'threat_verdicts', { url, url_hash: hashOfUrl(url) });
    fake.flag(fallback!, ['MALWARE']);
    expect(await rescan()).toMatchObject({ answered: 3, flagged: 1 });
    // No link leads to a fallback URL, but its owner is notified.
    expect(await updatedEvents()).toEqual([]);
    expect((await db.query('select organization_id from threat_notices')).rowCount).toBe(1);
  });

  test('a rescan of 300 URLs takes a few turns, and asks about each URL once', async () => {
    await createStaleLinks(nextUrls(300));
    const { answered, turns } = await rescan({ pageSize: 50, turnMs: 1 });
    expect({ answered, turns }).toEqual({ answered: 300, turns: 7 });
    expect(new Set(fake.lookups.map(({ uri }) => uri)).size).toBe(300);
  });

  test('a rescan keeps to its rate', { tags: 'nightly' }, async () => {
    await createStaleLinks(nextUrls(30));
    const startedAt = performance.now();
    await rescan({ perSecond: 30 });
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  test(
    'a rescan waits as long as the service asks, and then continues at its current URL',
    { tags: 'nightly' },
    async () => {
      await createStaleLinks(nextUrls(60));
      fake.fault((_uri, count) => (count > 30 && count <= 35 ? { status: 429, retryAfterSeconds: 1 } : undefined));
      const startedAt = performance.now();
      expect(await rescan({ pageSize: 10, concurrency: 2 })).toMatchObject({ left: 0 });
      expect(performance.now() - startedAt).toBeGreaterThan(950);
      // A URL with an answer is not looked up again.
      expect(fake.lookups.length).toBeLessThan(60 + 5 + 5);
    },
  );

  test('a rescan continues after an outage', async () => {
    await createStaleLinks(nextUrls(40));
    fake.fault((_uri, count) => (count <= 30 ? { status: 503 } : undefined));
    await rescan();
    // Ordinary scans may have taken over URLs that failed just before the service was back.
    const { rows } = await db.query('select from threat_verdicts where expires_at < now() and due_at is null');
    expect(rows).toEqual([]);
  });

  test('a rescan leaves a single URL without an answer to ordinary scans', async () => {
    const urls = nextUrls(20);
    const links = await createStaleLinks(urls);
    fake.fault((uri) => (uri === urls[0] ? { status: 500 } : undefined));
    expect(await rescan()).toMatchObject({ answered: 19, left: 1 });
    const { rows } = await db.query(
      `select encode(url_hash, 'hex') as hash from threat_verdicts where due_at > now() + interval '20 seconds'`,
    );
    expect(rows).toEqual([{ hash: links[0]!.urlHash }]);
  });

  test('a rescan with lists looks nothing up, and does not keep the pace of lookups', async () => {
    await createStaleLinks(nextUrls(300));
    const local = { threatTypes: [], expiresAt: new Date(Date.now() + 60_000) };
    const listed = { ...scanner, lookUpLocally: async () => local };
    expect(await rescan({ scanner: listed, perSecond: 1 })).toMatchObject({ answered: 300, flagged: 0, left: 0 });
    expect(fake.lookups).toEqual([]);
  });
});

describe('a verdict that changes', () => {
  test('a changed verdict causes one event for every link to the URL, and a mail to the owner', async () => {
    const [bad, both] = nextUrls(2);
    const links = await createStaleLinks([bad!, bad!, both!]);
    await db.query('update short_links set expired_url = $2 where id = $1', [links[2]!.id, bad]);
    fake.flag(bad!, ['MALWARE']);
    fake.flag(both!, ['SOCIAL_ENGINEERING']);
    expect(await rescan()).toMatchObject({ flagged: 2 });
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

const mail = () => activitiesOf().tellOfThreats({ organizationId: owner.organizationId });

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
    const starts = await startsFor(db, 'threat-mail');
    expect(starts.map(({ options }) => options.workflowId)).toEqual([`threat-mail/${owner.organizationId}`]);
    refuseMail = true;
    await expect(mail()).rejects.toThrow('refused');
    refuseMail = false;
    expect(await mail()).toEqual({ more: false });
    expect(mails).toHaveLength(2);
    expect(mails[1]).toEqual(mails[0]);
    expect(mails[0]).toMatchObject({ to: 'owner@example.com', subject: 'Danger found at 2 sites' });
    expect(mails[0]!.text).toContain('Found: malware');
    expect(mails[0]!.text).not.toContain('secret');
    expect(mails[0]!.text.match(/Link: /g)).toHaveLength(3);
    expect((await db.query('select from threat_notices')).rowCount).toBe(0);
  });

  test('no mail is sent about a URL that has become clean meanwhile', async () => {
    await addOwner('owner@example.com');
    const [link] = await createStaleLinks(nextUrls(1));
    for (const threatTypes of [['MALWARE' as const], []]) {
      await storeVerdicts(emOf(db), [{ urlHash: link!.urlHash, threatTypes, expiresAt: new Date() }], site);
    }
    expect(await mail()).toEqual({ more: false });
    expect(mails).toEqual([]);
  });

  test('organizations whose mail the relay has lost are enqueued again, those first that have waited longest', async () => {
    const owners = [owner, await createLinkOwner(db), await createLinkOwner(db)];
    for (const [index, { organizationId }] of owners.entries())
      for (const seconds of [60 + index, 0])
        await db.query(
          `insert into threat_notices (organization_id, url_hash, found_at)
           values ($1, sha256($2::text::bytea), now() - $2::int * interval '1 second')`,
          [organizationId, seconds],
        );
    await db.query(`update threat_notices set found_at = now() where organization_id = $1`, [owner.organizationId]);
    const enqueued = async () => {
      const { rows } = await db.query<{ id: string }>(`select subject_id as id from outbox where kind = 'threat-mail'`);
      return rows.map(({ id }) => id).toSorted();
    };
    expect(await requeueOverdueThreatMail(emOf(db), 1)).toBe(1);
    expect(await enqueued()).toEqual([owners[2]!.organizationId]);
    expect(await requeueOverdueThreatMail(emOf(db), 10)).toBe(2);
    expect(await enqueued()).toEqual([owners[1]!.organizationId, owners[2]!.organizationId].toSorted());
  });
});
