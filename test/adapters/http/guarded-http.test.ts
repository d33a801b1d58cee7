// @module-tag slow

import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gzip } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import type { GuardedHttp } from '#adapters/http/guarded-http.ts';
import { createAuthority } from '#test/support/certificates.ts';
import { freePorts } from '#test/support/free-ports.ts';
import type { Handler } from '#test/support/receivers.ts';
import { createFixture, failure, kindOf, loopback, post } from './fixture.ts';

const { dns, receivers, client, receiver } = createFixture();

describe('a request', () => {
  test('a request is sent as given, and its answer is returned unchanged', async () => {
    let seen: { method?: string; url?: string; header: unknown; body: string } | undefined;
    const origin = await receiver((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        seen = { method: request.method, url: request.url, header: request.headers['webhook-id'], body };
        response.writeHead(418, { 'retry-after': '7', 'content-type': 'text/plain' }).end('short and stout');
      });
    });
    const http = client({ allowedCidrs: loopback });
    const response = await post(http, `${origin}/path?q=1#fragment`, { headers: { 'webhook-id': 'evt' }, body: 'ä' });
    expect(seen).toEqual({ method: 'POST', url: '/path?q=1', header: 'evt', body: 'ä' });
    expect(response).toMatchObject({ status: 418, isTruncated: false, headers: { 'retry-after': '7' } });
    expect(response.body.toString()).toBe('short and stout');
    expect(response.durationMs).toBeGreaterThan(0);
  });

  test('an answer behind interim ones is read, cut anywhere, and its connection is reused', async () => {
    const http = client({ allowedCidrs: loopback, allowHttp: true });
    const connections = new Set<Socket>();
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n';
    const body = 'HTTP/1.1 100 Continue\r\n\r\n';
    const text = `${interim}HTTP/1.1 201 Created\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    let cut = 0;
    const server = createTcpServer((socket) => {
      connections.add(socket.setNoDelay());
      socket.on('data', () => {
        socket.write(text.slice(0, cut));
        setTimeout(() => socket.write(text.slice(cut)), 5);
      });
    });
    const url = `http://127.0.0.1:${await receivers.listen(server)}/`;
    for (cut = 0; cut < text.length; cut += 7)
      expect(await http.request({ url, method: 'GET' })).toMatchObject({ status: 201, body: Buffer.from(body) });
    expect(connections.size).toBe(1);
  });

  test('a receiver of endless interim answers is left', async () => {
    const http = client({ allowedCidrs: loopback, allowHttp: true });
    for (const interim of ['HTTP/1.1 100 Continue\r\n\r\n'.repeat(21), `HTTP/1.1 103 x\r\na: ${'x'.repeat(17_000)}`]) {
      const server = createTcpServer((socket) => socket.on('data', () => socket.write(interim)));
      const url = `http://127.0.0.1:${await receivers.listen(server)}/`;
      expect(await kindOf(http.request({ url, method: 'GET' }))).toBe('protocol');
    }
  });

  test('the client follows no redirect', async () => {
    const urls: (string | undefined)[] = [];
    const origin = await receiver((request, response) => {
      urls.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    const response = await post(client({ allowedCidrs: loopback }), `${origin}/`);
    expect(response).toMatchObject({ status: 307, headers: { location: '/elsewhere' } });
    expect(urls).toEqual(['/']);
  });

  test('the client reads 64 KiB of an endless answer and closes the connection', async () => {
    const closed = Promise.withResolvers<void>();
    const origin = await receiver((_request, response) => {
      response.on('close', closed.resolve).on('error', () => undefined);
      const more = (): void => {
        while (response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    const response = await post(client({ allowedCidrs: loopback }), origin);
    expect([response.status, response.body.length, response.isTruncated]).toEqual([200, 65_536, true]);
    await closed.promise;
  });

  test('an answer of exactly 64 KiB is whole, and its connection is reused', async () => {
    const peers = new Set<number | undefined>();
    const origin = await receiver((request, response) => {
      peers.add(request.socket.remotePort);
      response.end('x'.repeat(65_536));
    });
    const http = client({ allowedCidrs: loopback });
    for (let round = 0; round < 3; round += 1) {
      expect(await post(http, origin)).toMatchObject({ isTruncated: false });
      await setImmediate();
    }
    expect(peers.size).toBe(1);
  });

  test('requests that follow one another at once use one connection', async () => {
    const ports = new Set<number | undefined>();
    const origin = await receiver((request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    });
    const http = client({ allowedCidrs: loopback });
    expect(await sendInTurn(http, origin, 20)).toEqual(Array(20).fill(200));
    expect(ports.size).toBe(1);
  });

  test('an idle connection is closed before a receiver that announces no time closes it after two seconds', async () => {
    const ended = Promise.withResolvers<string>();
    const server = createTcpServer((socket) => {
      socket.once('end', () => ended.resolve('by the client'));
      socket.on('data', () => {
        socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        setTimeout(() => ended.resolve('by the receiver'), 2_000);
      });
    });
    const url = `http://127.0.0.1:${await receivers.listen(server)}/`;
    await client({ allowedCidrs: loopback, allowHttp: true }).request({ url, method: 'GET' });
    expect(await ended.promise).toBe('by the client');
  });

  test('a receiver that closes each connection after its answer without saying so gets every request', async () => {
    const port = await receivers.listen(
      createTcpServer((socket) => {
        socket.on('data', (part) => {
          if (part.toString().includes('{}')) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        });
      }),
    );
    const http = client({ allowedCidrs: loopback, allowHttp: true });
    const chains = Array.from({ length: 10 }, () => sendInTurn(http, `http://127.0.0.1:${port}/`, 5));
    expect((await Promise.all(chains)).flat()).toEqual(Array(50).fill(200));
  });

  test('the client decompresses no answer', async () => {
    const packed = await promisify(gzip)(Buffer.alloc(50_000_000));
    const origin = await receiver((request, response) => {
      expect(request.headers['accept-encoding']).toBeUndefined();
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    });
    const response = await post(client({ allowedCidrs: loopback }), origin);
    expect(response.body.equals(packed.subarray(0, 65_536))).toBe(true);
  });

  test('one host takes any number of requests at once', { tags: 'nightly' }, async () => {
    let open = 0;
    const all = Promise.withResolvers<void>();
    const origin = await receiver((_request, response) => {
      if ((open += 1) === 50) all.resolve();
      void all.promise.then(() => response.end());
    });
    const http = client({ allowedCidrs: loopback });
    const responses = await Promise.all(Array.from({ length: 50 }, () => post(http, origin)));
    expect(responses.every(({ status }) => status === 200)).toBe(true);
  });
});

/** Sends requests, each as soon as the one before was answered. @returns their statuses, or errors. */
async function sendInTurn(http: GuardedHttp, url: string, count: number): Promise<unknown[]> {
  const results: unknown[] = [];
  while (results.length < count) {
    results.push(await http.request({ url, method: 'POST', body: '{}' }).then(({ status }) => status, String));
  }
  return results;
}

describe('the deadline', () => {
  let http: GuardedHttp;
  beforeEach(() => void (http = client({ allowedCidrs: loopback })));
  const outcome = async (url: string): Promise<string> => {
    const startedAt = performance.now();
    const kind = await kindOf(post(http, url, { timeoutMs: 300 }));
    expect(performance.now() - startedAt).toBeGreaterThan(290);
    return kind;
  };

  test('the deadline covers name resolution', async () => {
    dns.set('silent.test', 'silent');
    expect(await outcome('https://silent.test/')).toBe('timeout');
  });

  test('the deadline covers the TLS handshake', async () => {
    expect(await outcome(`https://127.0.0.1:${await receivers.listen(createTcpServer())}/`)).toBe('timeout');
  });

  test('the deadline covers the headers', async () => {
    expect(await outcome(await receiver(() => undefined))).toBe('timeout');
  });

  test('the deadline covers headers that arrive byte by byte', async () => {
    const origin = await receiver(({ socket }) => {
      const timer = setInterval(() => socket.write('H'), 20);
      socket.on('close', () => clearInterval(timer));
      socket.write('HTTP/1.1 200 OK\r\nx: ');
    });
    expect(await outcome(origin)).toBe('timeout');
  });

  test('the deadline covers a body that arrives byte by byte', async () => {
    const origin = await receiver((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    });
    expect(await outcome(origin)).toBe('timeout');
  });

  test('one deadline covers all steps together', async () => {
    const slow = (work: () => void): unknown => setTimeout(work, 200);
    const origin = await receiver((_request, response) => {
      slow(() => {
        response.writeHead(200).flushHeaders();
        slow(() => response.end());
      });
    });
    expect(await outcome(origin)).toBe('timeout');
  });
});

test(
  'an answer that came in time is read although the process was suspended past the deadline',
  { tags: 'slow' },
  async () => {
    const program = `
      const { parentPort } = require('node:worker_threads');
      const server = require('node:http').createServer((_request, response) => {
        parentPort.postMessage('asked');
        setTimeout(() => response.end('fine'), 100);
      });
      server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;
    await using server = new Worker(program, { eval: true });
    const [port] = (await once(server, 'message')) as [number];
    const answer = post(client({ allowedCidrs: loopback, allowHttp: true }), `http://127.0.0.1:${port}/`, {
      timeoutMs: 2_000,
    });
    await once(server, 'message');
    // Blocks the thread, as a suspension does.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500);
    expect((await answer).body.toString()).toBe('fine');
  },
);

test(
  'a request that is aborted while it connects is not sent once the connection stands',
  { tags: 'slow' },
  async () => {
    const http = client({ allowedCidrs: loopback });
    const urls: (string | undefined)[] = [];
    const server = createHttpsServer(receivers.authority.issue(['late.test']), (request, response) => {
      urls.push(request.url);
      response.end();
    });
    const ended = new Promise((resolve) => {
      server.once('connection', (socket: Socket) => socket.once('close', resolve));
    });
    const url = `https://late.test:${await receivers.listen(server)}`;
    dns.set('late.test', 'silent');
    expect(await kindOf(post(http, `${url}/early`, { timeoutMs: 100 }))).toBe('timeout');
    // The resolver repeats its query after its timeout, and then the connection is made.
    dns.set('late.test', { A: ['127.0.0.1'] });
    await ended;
    expect((await post(http, `${url}/later`)).status).toBe(200);
    expect(urls).toEqual(['/later']);
  },
);

describe('kinds of failure', () => {
  let http: GuardedHttp;
  beforeEach(() => void (http = client({ allowedCidrs: loopback })));

  test('a port without a listener refuses the connection', async () => {
    const [port] = await freePorts(1);
    expect(await failure(post(http, `https://127.0.0.1:${port}/`))).toMatchObject({
      kind: 'connect',
      message: 'The connection was refused (ECONNREFUSED).',
      code: 'ECONNREFUSED',
    });
  });

  test('several addresses without a listener refuse the connection', async () => {
    const [port] = await freePorts(1);
    dns.set('several.test', { A: ['127.0.0.1', '127.0.0.2'] });
    expect(await kindOf(post(http, `https://several.test:${port}/`))).toBe('connect');
  });

  test('a request succeeds when one of several addresses answers', async () => {
    const origin = await receiver((_request, response) => response.end());
    dns.set('hooks.test', { A: ['127.0.0.2', '127.0.0.1'] });
    expect((await post(http, origin)).status).toBe(200);
  });

  test.each([
    ['resets', (socket: Socket) => void socket.resetAndDestroy()],
    ['hangs up', (socket: Socket) => void socket.destroy()],
  ])('the receiver %s at once', async (_what, act) => {
    const port = await receivers.listen(createTcpServer(act));
    expect(await kindOf(post(http, `https://127.0.0.1:${port}/`))).toBe('connect');
  });

  test.each([
    ['instead of answering', (response: ServerResponse) => void response.socket?.destroy()],
    [
      'half-way through its answer',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '100' }).write('half', () => response.socket?.destroy());
      },
    ],
  ])('the receiver hangs up %s', async (_when, act) => {
    expect(await kindOf(post(http, await receiver((_request, response) => act(response))))).toBe('connect');
  });

  test('a receiver that resets the connection instead of answering is a connect failure', async () => {
    const port = await receivers.listen(
      createTcpServer((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    );
    const plain = client({ allowedCidrs: loopback, allowHttp: true });
    expect(await failure(post(plain, `http://127.0.0.1:${port}/`))).toMatchObject({
      kind: 'connect',
      message: 'The connection was reset (ECONNRESET).',
    });
  });

  test('a certificate that is unsigned by the root, of another host, or expired is a TLS failure', async () => {
    let requests = 0;
    const answer: Handler = (_request, response) => void response.end(String((requests += 1)));
    const stranger = await receiver(answer, createAuthority('somebody').issue(['hooks.test']));
    expect(await failure(post(http, stranger))).toMatchObject({ kind: 'tls' });
    const other = await receiver(answer, receivers.authority.issue(['other.test']));
    expect(await failure(post(http, other))).toMatchObject({ kind: 'tls', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    const expired = await receiver(answer, receivers.authority.issue(['hooks.test'], { expired: true }));
    expect(await failure(post(http, expired))).toMatchObject({ kind: 'tls', code: 'CERT_HAS_EXPIRED' });
    const untrusting = client({ allowedCidrs: loopback, caFile: undefined });
    expect(await kindOf(post(untrusting, await receiver(answer)))).toBe('tls');
    expect(requests).toBe(0);
  });

  test('a receiver without TLS is a TLS failure', async () => {
    const port = await receivers.listen(createHttpServer((_request, response) => void response.end()));
    const found = await failure(post(http, `https://127.0.0.1:${port}/`));
    expect(found).toMatchObject({
      kind: 'tls',
      message: expect.stringMatching(/^The server speaks no TLS \(ERR_SSL_/),
    });
  });

  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['headers beyond measure', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`],
  ])('an answer with %s', async (_what, bytes) => {
    const port = await receivers.listen(
      createTcpServer((socket) => void socket.once('data', () => socket.write(bytes))),
    );
    const plain = client({ allowedCidrs: loopback, allowHttp: true });
    expect(await kindOf(post(plain, `http://127.0.0.1:${port}/`))).toBe('protocol');
  });

  test('the caller aborts before the request, while it runs, and by closing the client', async () => {
    const origin = await receiver(() => undefined);
    expect(await kindOf(post(http, origin, { signal: AbortSignal.abort() }))).toBe('aborted');
    const controller = new AbortController();
    const running = kindOf(post(http, origin, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 50);
    expect(await running).toBe('aborted');
    const closing = kindOf(post(http, origin));
    setTimeout(() => void http.close(), 50);
    expect(await closing).toBe('aborted');
  });

  test('a receiver that was unreachable is reached again once it is back', async () => {
    const [port] = await freePorts(1);
    const url = `https://hooks.test:${port}/`;
    dns.set('hooks.test', { A: ['127.0.0.1'] });
    expect(await kindOf(post(http, url))).toBe('connect');
    await using server = createHttpsServer(
      receivers.authority.issue(['hooks.test']),
      (_request, response) => void response.end(),
    );
    await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
    expect((await post(http, url)).status).toBe(200);
    server.closeAllConnections();
  });
});
