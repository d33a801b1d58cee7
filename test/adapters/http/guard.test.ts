import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createAddressPolicy } from '#adapters/http/address.ts';
import { createConnector } from '#adapters/http/connect.ts';
import type { GuardedHttpError } from '#adapters/http/guarded-http.ts';
import { createFixture, failure, kindOf, loopback, post } from './fixture.ts';

const { dns, receivers, client, receiver } = createFixture();

describe('an address that a customer gives', () => {
  test.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://%31%32%37.0.0.1/',
    'https://１２７.０.０.１/',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fe80::1%25eth0]/',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/',
    'https://ｌocalhost/',
    'https://hooks.localhost/',
    'https://user:password@8.8.8.8/',
    'http://8.8.8.8/',
    'file:///etc/passwd',
    'no address',
  ])('%s is refused, when it is given and when it is called', async (url) => {
    const http = client();
    expect(await kindOf(http.checkUrl(url))).toBe('refused-address');
    expect(await kindOf(post(http, url))).toBe('refused-address');
  });

  test('a name is refused where one of its addresses is not public', async () => {
    const http = client();
    const refusal = async (name: string): Promise<string> =>
      http.checkUrl(`https://${name}/hook`).then(
        () => 'passes',
        (error: unknown) => (error as GuardedHttpError).kind,
      );
    dns.set('public.test', { A: ['8.8.8.8', '1.1.1.1'], AAAA: ['2606:4700::1111'] });
    dns.set('private.test', { A: ['10.0.0.1'] });
    dns.set('mixed.test', { A: ['8.8.8.8', '127.0.0.1', '1.1.1.1'] });
    dns.set('mixed-family.test', { A: ['8.8.8.8'], AAAA: ['::1'] });
    dns.set('mapped.test', { AAAA: ['::ffff:10.0.0.1'] });
    dns.set('alias.test', { CNAME: 'private.test' });
    dns.set('truncated.test', { A: ['10.0.0.1'], truncated: true });
    expect(await refusal('public.test')).toBe('passes');
    expect(await refusal('public.test.')).toBe('passes');
    for (const name of ['private', 'mixed', 'mixed-family', 'mapped', 'alias', 'truncated', 'PRIVATE']) {
      expect([name, await refusal(`${name}.test`)]).toEqual([name, 'refused-address']);
    }
    expect(dns.questions.some(({ name, transport }) => name === 'truncated.test' && transport === 'tcp')).toBe(true);
  });

  test('a name that does not resolve passes the check', async () => {
    const http = client();
    dns.set('broken.test', 'servfail');
    dns.set('empty.test', {});
    for (const url of ['https://unknown.test/', 'https://broken.test/', 'https://empty.test/']) {
      await http.checkUrl(url);
      expect(await kindOf(post(http, url))).toBe('dns');
    }
  });

  test('a silent name server delays the check of its names and of no other', { tags: 'slow' }, async () => {
    const http = client();
    dns.set('silent.test', 'silent');
    dns.set('public.test', { A: ['8.8.8.8'] });
    let isOver = false;
    const silent = Promise.all(Array.from({ length: 20 }, () => http.checkUrl('https://silent.test/')));
    void silent.then(() => (isOver = true));
    await http.checkUrl('https://public.test/');
    expect(isOver).toBe(false);
    await silent;
  });
});

describe('at each connection', () => {
  test('a name whose answer has changed to a private address is not connected to', async () => {
    let connections = 0;
    const port = await receivers.listen(createTcpServer(() => (connections += 1)));
    const http = client();
    dns.set('rebinding.test', { A: ['8.8.8.8'] });
    await http.checkUrl(`https://rebinding.test:${port}/`);
    dns.set('rebinding.test', { A: ['127.0.0.1'] });
    const error = await failure(post(http, `https://rebinding.test:${port}/`));
    expect(error.kind).toBe('refused-address');
    expect(error.message).not.toContain('127.0.0.1');
    expect(connections).toBe(0);
  });

  test('one DNS answer serves both the check and the connection', async () => {
    let asked = 0;
    const origin = await receiver((_request, response) => response.end());
    // The first answer is an allowed address, every later one a refused address.
    dns.set('hooks.test', ({ type }) => (type === 'A' ? { A: [(asked += 1) === 1 ? '127.0.0.1' : '10.0.0.1'] } : {}));
    const http = client({ allowedCidrs: loopback });
    expect((await post(http, origin)).status).toBe(200);
    expect(asked).toBe(1);
    await setImmediate();
    // A kept-alive connection stays with the checked peer; a new connection is checked again.
    expect((await post(http, origin)).status).toBe(200);
    expect(asked).toBe(1);
    expect(await kindOf(post(client({ allowedCidrs: loopback }), origin))).toBe('refused-address');
  });

  test('the address of the connected peer is checked, whatever the DNS answer was', async () => {
    let answered = 0;
    const port = await receivers.listen(createHttpServer((_request, response) => void response.end((answered += 1))));
    const connector = createConnector({
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      allows: createAddressPolicy([]),
      timeoutMs: 5_000,
    });
    const error = await new Promise((resolve) => {
      connector({ hostname: 'liar.test', protocol: 'http:', port: String(port) }, (...[refusal]) => resolve(refusal));
    });
    expect((error as GuardedHttpError).kind).toBe('refused-address');
    expect(answered).toBe(0);
  });

  test('localhost is called only where loopback is allowed', async () => {
    const port = await receivers.listen(createHttpServer((_request, response) => void response.end('here')));
    const http = client({ allowedCidrs: loopback, allowHttp: true });
    expect((await http.request({ url: `http://localhost:${port}/`, method: 'GET' })).body.toString()).toBe('here');
    expect((await http.request({ url: `http://2130706433:${port}/`, method: 'GET' })).status).toBe(200);
    const closed = client({ allowHttp: true });
    expect(await kindOf(closed.request({ url: `http://localhost:${port}/`, method: 'GET' }))).toBe('refused-address');
  });
});
