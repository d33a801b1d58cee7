import { beforeAll, describe, expect, test } from 'vitest';
import { emOf } from '#test/support/entity-managers.ts';
import { announcements, requestVerdicts, storeVerdicts, withLanes } from '#commands/threats/verdicts.ts';
import { hashOfUrl, hexHashOfUrl } from '#core/threats/url-hash.ts';
import type { ThreatType } from '#core/threats/types.ts';
import { createListener } from '#db/notifications/listener.ts';
import { channels } from '#db/notifications/notify.ts';
import { createLinkOwner, createScannedLinks, insertLinks, type LinkOwner } from '#test/support/durable.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { silent, site } from '#test/support/test-worker.ts';

let owner: LinkOwner;
let counter = 0;
const nextUrl = (): string => `https://site${(counter += 1)}.example/path?q=1`;
const hex = hexHashOfUrl;
const inAnHour = (): Date => new Date(Date.now() + 3_600_000);

const db = useTestDatabase();
beforeAll(async () => {
  owner = await createLinkOwner(db);
});

async function request(url: string) {
  const [link] = await insertLinks(db, owner, [url]);
  const result = await db.transaction((tx) =>
    requestVerdicts(tx, withLanes(owner.organizationId, [{ id: link!.destinationId, url }])),
  );
  const { rowCount } = await db.query('select from outbox where subject_id = $1', [link!.destinationId]);
  return {
    known: result.get(hex(url))?.threatTypes,
    awaited: result.get(hex(url))?.fresh === false,
    queued: rowCount === 1,
    link: link!,
  };
}

describe('requestVerdicts', () => {
  test('a new URL is unknown, awaited, and put into the outbox', async () => {
    const url = nextUrl();
    expect(await request(url)).toMatchObject({ known: null, awaited: true, queued: true });
    const { rows } = await db.query(
      'select url, scanned_at, due_at is not null as awaited from threat_verdicts where url_hash = $1',
      [hashOfUrl(url)],
    );
    expect(rows).toEqual([{ url, scanned_at: null, awaited: true }]);
  });

  test('a fresh clean verdict is the answer, and nothing is put into the outbox (9.2)', async () => {
    const url = nextUrl();
    await request(url);
    await storeVerdicts(emOf(db), [{ urlHash: hex(url), threatTypes: [], expiresAt: inAnHour() }], site);
    expect(await request(url)).toMatchObject({ known: [], awaited: false, queued: false });
  });

  test('a fresh verdict with threats is the answer, and the outbox gets the link, so that it is reported (6.12)', async () => {
    const url = nextUrl();
    await request(url);
    await storeVerdicts(emOf(db), [{ urlHash: hex(url), threatTypes: ['MALWARE'], expiresAt: inAnHour() }], site);
    expect(await request(url)).toMatchObject({ known: ['MALWARE'], awaited: false, queued: true });
  });

  test('a stale verdict is returned, and a newer one is awaited', async () => {
    const url = nextUrl();
    await request(url);
    await storeVerdicts(
      emOf(db),
      [{ urlHash: hex(url), threatTypes: ['MALWARE'], expiresAt: new Date(Date.now() - 1) }],
      site,
    );
    expect(await request(url)).toMatchObject({ known: ['MALWARE'], awaited: true, queued: true });
  });

  test('every link to a URL that is awaited already goes into the outbox, so that operators find it in Temporal', async () => {
    const url = nextUrl();
    const first = await request(url);
    const second = await request(url);
    expect([first.queued, second.queued]).toEqual([true, true]);
  });

  test('an absent answer keeps an older verdict, and is not requested again at once', async () => {
    const url = nextUrl();
    await request(url);
    await storeVerdicts(
      emOf(db),
      [{ urlHash: hex(url), threatTypes: ['MALWARE'], expiresAt: new Date(Date.now() - 1) }],
      site,
    );
    await storeVerdicts(emOf(db), [{ urlHash: hex(url), threatTypes: null, expiresAt: inAnHour() }], site);
    expect(await request(url)).toMatchObject({ known: ['MALWARE'], awaited: false });
  });

  test('500 destinations at once, with the same URLs in opposite orders, do not deadlock', async () => {
    const urls = Array.from({ length: 500 }, nextUrl);
    const orders = [urls, urls.toReversed(), urls, urls.toReversed()];
    const created = await Promise.all(orders.map((order) => createScannedLinks(db, owner, order)));
    expect(created.flat()).toHaveLength(2_000);
    const { rows } = await db.query<{ count: number }>(
      'select count(*) as count from threat_verdicts where url = any($1)',
      [urls],
    );
    expect(rows[0]!.count).toBe(500);
  });

  test('two destinations with one URL in one call have one verdict', async () => {
    const url = nextUrl();
    const links = await insertLinks(db, owner, [url, url]);
    const wanted = links.map((link) => ({ id: link.destinationId, url }));
    const verdicts = await db.transaction((tx) => requestVerdicts(tx, withLanes(owner.organizationId, wanted)));
    expect([...verdicts]).toEqual([[hex(url), { threatTypes: null, fresh: false }]]);
  });

  test('no destinations need no statement', async () => {
    expect(await requestVerdicts(db, [])).toEqual(new Map());
  });
});

describe('storeVerdicts', () => {
  test('announces what was stored to every listener', { tags: 'slow' }, async () => {
    const heard = new Map<string, ThreatType[] | null>();
    const all = Promise.withResolvers<void>();
    const urls = Array.from({ length: 200 }, nextUrl);
    const listener = createListener({
      url: db.url,
      channels: [channels.verdicts],
      onNotification: (_channel, payload) => {
        for (const [hash, types] of Object.entries(JSON.parse(payload) as Record<string, ThreatType[]>))
          heard.set(hash, types);
        if (heard.size === urls.length) all.resolve();
      },
      onGap: () => {},
      log: silent,
    });
    await listener.start();
    await createScannedLinks(db, owner, urls);
    await storeVerdicts(
      emOf(db),
      urls.map((url) => ({ urlHash: hex(url), threatTypes: ['SOCIAL_ENGINEERING'], expiresAt: inAnHour() })),
      site,
    );
    await all.promise;
    await listener.close();
    expect(heard.get(hex(urls[0]!))).toEqual(['SOCIAL_ENGINEERING']);
    const { rows } = await db.query('select threat_types from threat_verdicts where url_hash = $1 and due_at is null', [
      hashOfUrl(urls[7]!),
    ]);
    expect(rows).toEqual([{ threat_types: ['SOCIAL_ENGINEERING'] }]);
  });
});

test('any number of verdicts is announced in notifications that PostgreSQL accepts', () => {
  const types: ThreatType[] = [
    'MALWARE',
    'SOCIAL_ENGINEERING',
    'UNWANTED_SOFTWARE',
    'SOCIAL_ENGINEERING_EXTENDED_COVERAGE',
  ];
  const payloads = announcements(
    Array.from({ length: 500 }, (_, index) => ({ urlHash: hex(String(index)), threatTypes: types })),
  );
  const members = payloads.flatMap((payload) => Object.entries(JSON.parse(payload) as object));
  expect(members).toHaveLength(500);
  expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8_000);
  expect(announcements([])).toEqual([]);
});
