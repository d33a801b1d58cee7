import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase } from '../../db/database.ts';
import { createEdge } from '../../edge/server.ts';
import { tellChange } from '../support/edge-factories.ts';
import { createTestEdge, silentLog, visitEdge } from '../support/edge.ts';
import { eventually } from '../support/eventually.ts';
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

test('1,000 visitors at once, of two processes’ worth of edges, get exactly the cap (4.4)', async () => {
  await using edge = await createTestEdge();
  const dataDir = mkdtempSync(join(tmpdir(), 'waymark-edge-'));
  const database = createDatabase({ url: edge.databaseUrl });
  const second = createEdge({
    database,
    databaseUrl: edge.databaseUrl,
    dataDir,
    secretKeys: ['another secret of the tests, long enough'],
    trustedProxies: [],
    fsync: false,
    isHttps: false,
    fileUrl: (key) => `https://files.example/files/${key}`,
    notFoundPerMinute: 1_000_000,
    log: silentLog,
  });
  const addresses = [edge.address, await second.listen({ host: '127.0.0.1', port: 0 })];
  const link = await edge.link({ maxClicks: 100 });
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) =>
      visitEdge(addresses[index % 2]!, `/${link.slug}`, { host: edge.domain.domain }),
    ),
  );
  expect(answers.filter(({ status }) => status === 302)).toHaveLength(100);
  expect(answers.filter(({ status }) => status === 410)).toHaveLength(900);
  expect(
    await eventually(
      () => edge.clicks(link.id),
      ({ length }) => length >= 100,
    ),
  ).toHaveLength(100);
  await second.close();
  await database.close();
  rmSync(dataDir, { recursive: true, force: true });
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
    1_000,
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
