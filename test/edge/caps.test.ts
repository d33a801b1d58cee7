// @module-tag slow

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { ShortLink } from '#db/entities/links/links.ts';
import { notifyLinks } from '#db/notifications/notify.ts';
import { createEdge } from '#edge/server.ts';
import { tellChange } from '#test/support/edge-factories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createTestEdge, silentLog, type TestEdge, visitEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { createTcpProxy, type TcpProxy } from '#test/support/tcp-proxy.ts';
import { insertRow } from '#test/support/rows.ts';
import { site } from '#test/support/site.ts';
import { patientMs } from '#test/support/stack.ts';

/** Starts another edge over the same database. */
async function startSecond(edge: TestEdge): Promise<{ address: string } & AsyncDisposable> {
  const dataDir = mkdtempSync(join(tmpdir(), 'waymark-edge-'));
  const database = createDatabase({ url: edge.databaseUrl });
  const second = createEdge({
    site,
    database,
    databaseUrl: edge.databaseUrl,
    dataDir,
    secretKeys: ['another secret of the tests, long enough'],
    trustedProxies: [],
    fsync: false,
    isHttps: false,
    fileUrl: (key) => `https://files.example/files/${key}`,
    securityContacts: ['mailto:security@waymark.example'],
    notFoundPerMinute: 1_000_000,
    lookupTimeoutMs: patientMs,
    log: silentLog,
  });
  return {
    address: await second.listen({ host: '127.0.0.1', port: 0 }),
    async [Symbol.asyncDispose]() {
      await second.close();
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

test('1,000 visitors at once, of two processes’ worth of edges, get exactly the cap (4.4)', async () => {
  await using edge = await createTestEdge();
  await using second = await startSecond(edge);
  const addresses = [edge.address, second.address];
  const link = await edge.link({ maxClicks: 100 });
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) =>
      visitEdge(addresses[index % 2]!, `/${link.slug}`, { host: edge.domain.domain }),
    ),
  );
  expect(answers.filter(({ status }) => status === 302)).toHaveLength(100);
  // 503 where a busy machine decides too late: never a redirect past the cap.
  expect(answers.filter(({ status }) => status === 410 || status === 503)).toHaveLength(900);
  expect(
    await eventually(
      () => edge.clicks(link.id),
      ({ length }) => length >= 100,
    ),
  ).toHaveLength(100);
});

test('a cap counts the clicks that two edges have just had of the link (3.9)', async () => {
  await using edge = await createTestEdge();
  await using second = await startSecond(edge);
  const visit = (slug: string, index: number, method = 'GET') =>
    visitEdge([edge.address, second.address][index % 2]!, `/${slug}`, { host: edge.domain.domain, method });
  for (let round = 0; round < 5; round += 1) {
    const link = await edge.link();
    const before = await Promise.all(Array.from({ length: 12 }, (_, index) => visit(link.slug, index)));
    expect(before.every(({ status }) => status === 302)).toBe(true);
    await emOf(edge.db).transactional(async (em) => {
      await em.query('update short_links set max_clicks = 15 where id = $1', [link.id]);
      await em.query(`update destinations set value = 'https://capped.example/' where link_id = $1`, [link.id]);
      await em.getRepository(ShortLink).openCap(link.id);
      await notifyLinks(em, [{ domainId: edge.domain.id, slug: link.slug }]);
    });
    // Until both have heard of it; a HEAD is no click.
    await eventually(
      () => Promise.all([0, 1].map((index) => visit(link.slug, index, 'HEAD'))),
      (answers) => answers.every(({ headers }) => headers.location === 'https://capped.example/'),
    );
    const after = await Promise.all(Array.from({ length: 10 }, (_, index) => visit(link.slug, index)));
    expect(after.filter(({ status }) => status === 302)).toHaveLength(3);
    expect(after.filter(({ status }) => status === 410)).toHaveLength(7);
  }
});

test('a cap that is set while no edge can count clicks holds after two seconds all the same', async () => {
  await using edge = await createTestEdge();
  const link = await edge.link({ maxClicks: 2 });
  // No edge is notified, as with a stale listener.
  await insertRow(edge.db, 'link_caps', { link_id: link.id, set_at: new Date() });
  const answers = await Promise.all(Array.from({ length: 5 }, () => edge.visit(`/${link.slug}`)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([302, 302, 410, 410, 410]);
});

test('bots use nothing up, but are told when nothing is left (4.10)', async () => {
  await using edge = await createTestEdge();
  const link = await edge.link({ maxClicks: 2, expiredUrl: 'https://over.example/' });
  const bot = { headers: { 'user-agent': 'Googlebot/2.1' } };
  const path = `/${link.slug}`;
  for (let round = 0; round < 3; round += 1) {
    expect((await edge.visit(path, bot)).headers.location).toBe(`https://example.com/${link.slug}`);
    expect((await edge.visit(path, { method: 'HEAD' })).headers.location).toBe(`https://example.com/${link.slug}`);
  }
  expect((await edge.visit(path)).headers.location).toBe(`https://example.com/${link.slug}`);
  expect((await edge.visit(path)).headers.location).toBe(`https://example.com/${link.slug}`);
  expect((await edge.visit(path)).headers.location).toBe('https://over.example/');
  expect((await edge.visit(path, bot)).headers.location).toBe('https://over.example/');
  await edge.db.query('update short_links set max_clicks = 3 where id = $1', [link.id]);
  await tellChange(edge.db, { domainId: edge.domain.id, slugs: [link.slug] });
  await eventually(
    () => edge.visit(path, bot),
    ({ headers }) => headers.location !== 'https://over.example/',
  );
  expect((await edge.visit(path)).headers.location).toBe(`https://example.com/${link.slug}`);
  expect((await edge.visit(path)).headers.location).toBe('https://over.example/');
});

test('without a database a capped link is not served (4.13)', async () => {
  let proxy: TcpProxy | undefined;
  await using edge = await createTestEdge({
    async way(url) {
      proxy = await createTcpProxy(url);
      return { pool: proxy.url, listener: url };
    },
  });
  const link = await edge.link({ maxClicks: 100 });
  expect((await edge.visit(`/${link.slug}`)).status).toBe(302);
  proxy!.cut();
  const answer = await edge.visit(`/${link.slug}`);
  expect(answer.status).toBe(503);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  proxy!.restore();
  await eventually(
    () => edge.visit(`/${link.slug}`),
    ({ status }) => status === 302,
  );
  await proxy![Symbol.asyncDispose]();
});
