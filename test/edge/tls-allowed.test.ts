import { expect, test } from 'vitest';
import { createDomain } from '#test/support/factories.ts';
import { tellChange } from '#test/support/edge-factories.ts';
import { createTestEdge, type EdgeAnswer } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { createTcpProxy, type TcpProxy } from '#test/support/tcp-proxy.ts';

test('certificates are for hosts that links are served under (7.5)', async () => {
  let proxy: TcpProxy | undefined;
  await using edge = await createTestEdge({
    notFoundPerMinute: 3,
    async way(url) {
      proxy = await createTcpProxy(url);
      return { pool: proxy.url, listener: url };
    },
  });
  const ask = (domain: string): Promise<EdgeAnswer> =>
    edge.visit(`/.well-known/waymark/tls-allowed?domain=${domain}`, { host: 'any.example' });
  const platform = await createDomain(edge.db, null, { isVerified: false });
  const unverified = await createDomain(edge.db, edge.organization.id, { isVerified: false });
  const { domain: umlaut } = await createDomain(edge.db, edge.organization.id, { domain: 'xn--mnchen-3ya.example' });
  const own = edge.domain.domain;
  const served = [own, own.toUpperCase(), `${own}.`, platform.domain, umlaut, 'm%C3%BCnchen.example'];
  for (const domain of served) expect((await ask(domain)).status).toBe(200);
  const others = [
    unverified.domain,
    'other.example',
    `${edge.domain.domain}:443`,
    '',
    '%',
    '127.0.0.1',
    'a'.repeat(9_000),
  ];
  // No number of questions is too many: the proxy in front asks for all visitors.
  for (const domain of others) expect((await ask(domain)).status).toBe(404);
  expect((await edge.visit('/.well-known/waymark/tls-allowed')).status).toBe(404);
  await edge.db.query('update domains set is_active = false where id = $1', [edge.domain.id]);
  await tellChange(edge.db, { domainId: edge.domain.id });
  await eventually(
    () => ask(edge.domain.domain),
    ({ status }) => status === 404,
  );
  proxy!.cut();
  expect((await ask('never-asked.example')).status).toBe(503);
  proxy!.restore();
  await proxy![Symbol.asyncDispose]();
});
