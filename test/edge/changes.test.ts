// @module-tag slow

import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { createLookup } from '#edge/lookup/lookup.ts';
import { createReader } from '#edge/lookup/reader.ts';
import { createDomain } from '#test/support/factories.ts';
import { deleteLink, redirectLink, tellChange } from '#test/support/edge-factories.ts';
import { createTestEdge, silentLog, type TestEdge, type TestEdgeOptions } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { createTcpProxy, type TcpProxy } from '#test/support/tcp-proxy.ts';
import { insertRow } from '#test/support/rows.ts';
import { byDay } from '#test/support/night.ts';

const hourMs = 3_600_000;

const disposables: AsyncDisposable[] = [];
afterEach(async () => {
  for (const disposable of disposables.splice(0).toReversed()) await disposable[Symbol.asyncDispose]();
});

async function open(): Promise<TestEdge> {
  const edge = await createTestEdge();
  disposables.push(edge);
  return edge;
}

/** An edge whose pool and listener reach the database through proxies of their own. */
async function openBehindProxies(
  options: TestEdgeOptions = {},
): Promise<{ edge: TestEdge; pool: TcpProxy; listener: TcpProxy }> {
  const proxies: TcpProxy[] = [];
  const edge = await createTestEdge({
    ...options,
    async way(url) {
      proxies.push(await createTcpProxy(url), await createTcpProxy(url));
      return { pool: proxies[0]!.url, listener: proxies[1]!.url };
    },
  });
  // The edge is closed first: undone in reverse.
  disposables.push(...proxies, edge);
  return { edge, pool: proxies[0]!, listener: proxies[1]! };
}

const where = async (edge: TestEdge, slug: string): Promise<string | undefined> =>
  (await edge.visit(`/${slug}`)).headers.location;

/** Waits until a link leads to `location`, and says where it leads. */
async function arrival(edge: TestEdge, slug: string, location: string): Promise<string | undefined> {
  return eventually(
    () => where(edge, slug),
    (current) => current === location,
  );
}

// Within a second: bench row R7.
describe('changes are in force (4.13)', () => {
  test('of a changed link, a deleted one, and a slug that is used again', async () => {
    const edge = await open();
    const link = await edge.link();
    expect(await where(edge, link.slug)).toBe(`https://example.com/${link.slug}`);
    await redirectLink(edge.db, link.id, 'https://example.com/new');
    expect(await arrival(edge, link.slug, 'https://example.com/new')).toBe('https://example.com/new');
    await deleteLink(edge.db, link.id);
    await eventually(
      () => edge.visit(`/${link.slug}`),
      ({ status }) => status === 404,
    );
    await edge.link({ slug: link.slug, destination: { value: 'https://example.com/again' } });
    expect(await arrival(edge, link.slug, 'https://example.com/again')).toBe('https://example.com/again');
  });

  test('of a domain: its fallback and all its links', async () => {
    const edge = await open();
    const link = await edge.link();
    await edge.visit(`/${link.slug}`);
    await edge.db.query(`update domains set fallback_url = 'https://fallback.example/' where id = $1`, [
      edge.domain.id,
    ]);
    await edge.db.query('update short_links set is_active = false where domain_id = $1', [edge.domain.id]);
    await tellChange(edge.db, { domainId: edge.domain.id });
    expect(await arrival(edge, link.slug, 'https://fallback.example/')).toBe('https://fallback.example/');
  });

  test('a notification that cannot be parsed invalidates everything', async () => {
    const edge = await open();
    const link = await edge.link();
    await edge.visit(`/${link.slug}`);
    await edge.db.query(`update destinations set value = 'https://example.com/other' where link_id = $1`, [link.id]);
    await edge.db.query(`select pg_notify('waymark_links', 'nonsense')`);
    expect(await arrival(edge, link.slug, 'https://example.com/other')).toBe('https://example.com/other');
  });

  test('even when the listener’s connection is silently dead', async () => {
    const { edge, listener } = await openBehindProxies();
    const link = await edge.link();
    await edge.visit(`/${link.slug}`);
    listener.freeze();
    await redirectLink(edge.db, link.id, 'https://example.com/new');
    expect(await arrival(edge, link.slug, 'https://example.com/new')).toBe('https://example.com/new');
    expect(edge.edge.degraded()).toEqual(['database']);
    listener.restore();
    await eventually(
      () => edge.edge.degraded(),
      ({ length }) => length === 0,
    );
  });

  test('even when notifications were lost while the listener reconnected', { tags: 'nightly' }, async () => {
    const { edge, listener } = await openBehindProxies();
    const link = await edge.link();
    await edge.visit(`/${link.slug}`);
    listener.cut();
    await redirectLink(edge.db, link.id, 'https://example.com/new');
    listener.restore();
    expect(await arrival(edge, link.slug, 'https://example.com/new')).toBe('https://example.com/new');
  });
});

describe('without a database (4.13)', () => {
  test.each(byDay(['cut', 'freeze'] as const, 1))(
    '%s: cached links redirect, all others get 503, and clicks are kept',
    async (how) => {
      let aheadMs = 0;
      const { edge, pool, listener } = await openBehindProxies({
        now: () => Date.now() + aheadMs,
        lookupTimeoutMs: 1_000,
      });
      const cached = await edge.link();
      const other = await edge.link();
      const expiring = await edge.link({ expiresAt: new Date(Date.now() + hourMs) });
      await edge.visit(`/${cached.slug}`);
      await edge.visit(`/${expiring.slug}`);
      await eventually(
        () => edge.clicks(),
        ({ length }) => length === 2,
      );
      pool[how]();
      listener[how]();
      const unavailable = await edge.visit(`/${other.slug}`);
      expect(unavailable.status).toBe(503);
      expect(Number(unavailable.headers['retry-after'])).toBeGreaterThan(0);
      expect((await edge.visit('/unknown')).status).toBe(503);
      expect((await edge.visit(`/${cached.slug}`, { host: 'unknown.example' })).status).toBe(503);
      await eventually(
        () => edge.edge.degraded(),
        (names) => names.includes('database'),
      );
      // Long enough for every age to pass that is watched while all is well.
      for (let round = 0; round < 8; round += 1) {
        expect((await edge.visit(`/${cached.slug}`)).status).toBe(302);
        await setTimeout(200);
      }
      aheadMs = hourMs;
      expect((await edge.visit(`/${expiring.slug}`)).status).toBe(410);
      aheadMs = 0;
      const ready = await edge.visit('/.well-known/waymark/readyz', { host: 'any' });
      expect(ready.status).toBe(200);
      expect(JSON.parse(ready.body)).toMatchObject({ status: 'degraded' });
      expect(await edge.clicks()).toHaveLength(2);
      pool.restore();
      listener.restore();
      await eventually(
        () => edge.visit(`/${other.slug}`),
        ({ status }) => status === 302,
      );
      await eventually(
        () => edge.clicks(),
        ({ length }) => length === 11,
      );
      await eventually(
        () => edge.edge.degraded(),
        ({ length }) => length === 0,
      );
    },
  );

  test('starts without a database, and serves once it is reachable', async () => {
    const way: { proxy?: TcpProxy } = {};
    const edge = await createTestEdge({
      async way(url) {
        way.proxy = await createTcpProxy(url);
        way.proxy.cut();
        return { pool: way.proxy.url, listener: way.proxy.url };
      },
    });
    disposables.push(way.proxy!, edge);
    const { slug } = await edge.link();
    expect((await edge.visit(`/${slug}`)).status).toBe(503);
    expect((await edge.visit('/.well-known/waymark/healthz')).status).toBe(200);
    way.proxy!.restore();
    await eventually(
      () => edge.visit(`/${slug}`),
      ({ status }) => status === 302,
    );
    await eventually(
      () => edge.clicks(),
      ({ length }) => length === 1,
    );
  });
});

describe('reads', () => {
  test('500 visitors of a cold link cause one query, a flood of unknown slugs a few', async () => {
    const edge = await open();
    const database = createDatabase({ url: edge.databaseUrl });
    const reader = createReader({ database, log: silentLog });
    let queries = 0;
    const query: typeof reader.query = (...parameters) => {
      queries += 1;
      return reader.query(...parameters);
    };
    const lookup = createLookup({ reader: { ...reader, query }, isStale: () => false, now: Date.now });
    const link = await edge.link({
      rules: [{ priority: 1, osTypes: ['ios'], destination: { value: 'https://example.com/ios' } }],
    });
    const domain = await lookup.domain(edge.domain.domain);
    expect(queries).toBe(1);
    const found = await Promise.all(Array.from({ length: 500 }, async () => lookup.link(domain!, link.slug)));
    expect(new Set(found).size).toBe(1);
    expect(found[0]).toMatchObject({ id: link.id, rules: [{ osTypes: ['ios'], languages: null }] });
    expect(queries).toBe(2);
    await Promise.all(Array.from({ length: 1_000 }, async (_, index) => lookup.link(domain!, `unknown-${index}`)));
    // Batches of 64, each with a look at the names that staff took down.
    expect(queries).toBe(2 + 2 * Math.ceil(1_000 / 64));
    await database.close();
  });

  test('compiled links hold every field that later steps need', async () => {
    const edge = await open();
    const database = createDatabase({ url: edge.databaseUrl });
    const lookup = createLookup({
      reader: createReader({ database, log: silentLog }),
      isStale: () => false,
      now: Date.now,
    });
    const host = await createDomain(edge.db, edge.organization.id, { fallbackUrl: 'https://ü.example/' });
    const link = await edge.link({
      domainId: host.id,
      maxClicks: 5,
      passwordHash: 'hash',
      expiresAt: new Date(1_900_000_000_000),
      expiredUrl: 'https://over.example/',
      utm: { source: 'a' },
      rules: [
        { priority: 7, countries: ['DE'], destination: { type: 'phone', value: '+4930123' } },
        { priority: 7, languages: ['de'], destination: { value: 'https://example.com/second' } },
        { priority: 0.5, osTypes: ['ios'], destination: { type: 'mail', value: 'a@example.com' } },
      ],
    });
    await edge.db.query(
      `update destinations set enable_deep_linking = true, ios_deep_link = 'app://x', android_deep_link = 'intent://x' where link_id = $1 and rule_id is null`,
      [link.id],
    );
    await insertRow(edge.db, 'meta_tags', { link_id: link.id, title: 'T', description: 'D' });
    const domain = await lookup.domain(host.domain);
    expect(domain).toMatchObject({ id: host.id, fallbackLocation: 'https://xn--tda.example/' });
    const compiled = await lookup.link(domain!, link.slug);
    expect(compiled).toMatchObject({
      organizationId: edge.organization.id,
      folderId: edge.organization.folderId,
      tagIds: [],
      maxClicks: 5,
      passwordHash: 'hash',
      expiresAtMs: 1_900_000_000_000,
      expiredLocation: 'https://over.example/',
      metaTags: { title: 'T', description: 'D', imageKey: null },
      destination: {
        url: `https://example.com/${link.slug}`,
        location: `https://example.com/${link.slug}?utm_source=a`,
        enableDeepLinking: true,
        iosDeepLink: 'app://x',
        androidDeepLink: 'intent://x',
      },
    });
    expect(compiled!.rules.map((rule) => rule.destination.location)).toEqual([
      'mailto:a@example.com',
      'tel:+4930123',
      'https://example.com/second?utm_source=a',
    ]);
    await database.close();
  });
});
