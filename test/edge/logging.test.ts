import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { captureLog } from '#test/support/captured-log.ts';
import { browser, createTestEdge, useTestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';

const captured = captureLog('edge');

const edge = useTestEdge({ log: captured.log, trustedProxies: ['127.0.0.1'] });

test('the log holds nothing of what visitors send or links hold, whatever becomes of it (12.3)', async () => {
  const { slug } = await edge.link({ slug: 'hush1hush', destination: { value: 'https://example.com/hush2hush' } });
  const headers = {
    cookie: 'a=hush3hush',
    referer: 'https://hush4hush.example/',
    'user-agent': `${browser} hush5hush`,
    'x-api-key': 'hush6hush',
    'x-forwarded-for': '203.0.113.77',
  };
  const visit = async (path: string): Promise<number> => (await edge.visit(path, { headers })).status;
  expect(await visit(`/${slug}?utm_source=hush7hush`)).toBe(302);
  expect(await visit('/hush8hush')).toBe(404);
  expect(await visit('/%zzhush8hush')).toBe(404);
  await eventually(
    () => edge.clicks(),
    ({ length }) => length === 1,
  );

  const { hostname, port } = new URL(edge.address);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.end('GET /hush9hush HTTP/1.1\r\nbad header hush9hush\r\n\r\n').resume();
  await once(socket, 'close');

  // A database that refuses the statement: neither the visitor's word nor the statement's parameters are told.
  await edge.db.query('alter table destinations rename to elsewhere');
  expect(await visit('/hush8hush-again')).toBe(503);
  await edge.db.query('alter table elsewhere rename to destinations');

  const failure = captured.entries().find(({ msg }) => msg === 'a visit could not be answered');
  expect(failure).toMatchObject({ level: 50, process: 'edge', err: { code: '42P01' } });
  expect(captured.text()).not.toMatch(/hush\dhush|203\.0\.113\.77/);
});

test('the log names a proxy that TRUSTED_PROXIES does not, once, and not its client', async () => {
  const own = captureLog('edge');
  await using other = await createTestEdge({ log: own.log, trustedProxies: ['192.0.2.1'] });
  const { slug } = await other.link();
  expect((await other.visit(`/${slug}`)).status).toBe(302);
  expect(own.text()).not.toContain('X-Forwarded-For');
  for (let times = 0; times < 2; times += 1)
    await other.visit(`/${slug}`, { headers: { 'x-forwarded-for': '203.0.113.77' } });
  const warnings = own.entries().filter(({ msg }) => String(msg).startsWith('X-Forwarded-For'));
  expect(warnings).toMatchObject([{ level: 40, peer: '127.0.0.1' }]);
  expect(own.text()).not.toContain('203.0.113.77');
});
