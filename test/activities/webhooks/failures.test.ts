// @module-tag slow

import type { ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createAuthority } from '#test/support/certificates.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { createFixture, failure, gapMs } from './attempt-fixture.ts';

const { dns, receivers, receiver, attempt } = createFixture();
const deadlineMs = 300;

const answer =
  (status: number, headers: Record<string, string | string[]> = {}, body = 'no') =>
  (_request: unknown, response: ServerResponse): void =>
    void response.writeHead(status, headers).end(body);

describe('an answer that is a failure', () => {
  test.each([[400], [404], [429], [500], [503]])('status %d is recorded and tried again', async (status) => {
    const recorded = await attempt(await receiver(answer(status)));
    expect(recorded).toEqual(failure({ code: status }));
    expect(recorded.body).toBe('no');
  });

  test.each([[301], [302], [307], [308]])('the redirect %d is a failure and is not followed', async (status) => {
    const urls: (string | undefined)[] = [];
    const second = await receivers.https((request, response) => {
      urls.push(request.url);
      response.end();
    });
    const first = await receiver(answer(status, { location: `https://hooks.test:${second}/elsewhere` }));
    expect(await attempt(first)).toEqual(failure({ code: status }));
    expect(urls).toEqual([]);
  });

  test('status 410 turns the webhook off at once', async () => {
    const recorded = await attempt(await receiver(answer(410)));
    expect(recorded).toMatchObject({
      status: 'held',
      attempts: 1,
      code: 410,
      inMs: null,
      isActive: false,
      reason: 'gone',
      failures: 1,
    });
  });
});

describe('a connection that fails', () => {
  test('a connection that is refused is a failure', async () => {
    const [port] = await freePorts(1);
    expect(await attempt(`https://127.0.0.1:${port}/`)).toEqual(failure({ error: /refused/ }));
  });

  test.each([
    ['is reset as soon as it is open', (socket: Socket) => void socket.resetAndDestroy()],
    ['is reset instead of an answer', (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy())],
    ['is closed instead of an answer', (socket: Socket) => void socket.once('data', () => socket.destroy())],
  ])('a connection that %s is a failure', async (_what, act) => {
    const port = await receivers.listen(createTcpServer(act));
    expect(await attempt(`https://127.0.0.1:${port}/`)).toEqual(failure({ error: /connection was (reset|closed)/ }));
  });

  test('a connection that is closed during the answer is a failure', async () => {
    const url = await receiver((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => response.socket?.destroy());
    });
    expect(await attempt(url)).toEqual(failure({ error: /closed before the answer was complete/ }));
  });

  test.each([
    ['of an unknown root', () => createAuthority('unknown').issue(['hooks.test'])],
    ['of another host', () => receivers.authority.issue(['other.test'])],
    ['that has expired', () => receivers.authority.issue(['hooks.test'], { expired: true })],
  ])('a certificate %s is a failure, and no request is sent', async (_what, issue) => {
    let requests = 0;
    const url = await receiver((_request, response) => {
      requests += 1;
      response.end();
    }, issue());
    expect(await attempt(url)).toEqual(failure({ error: /^TLS failed/ }));
    expect(requests).toBe(0);
  });

  test.each([
    ['does not exist', undefined],
    ['makes the name server fail', 'servfail' as const],
    ['has no address', { TXT: ['nothing'] }],
  ])('a name that %s is a failure', async (_what, found) => {
    dns.set('hooks.test', found);
    expect(await attempt('https://hooks.test/')).toEqual(failure({ error: /^The name of the host has no address/ }));
  });

  test.each([
    ['https://127.0.0.1/'],
    ['https://0x7f.1/'],
    ['https://2130706433/'],
    ['https://[::ffff:10.0.0.1]/'],
    ['https://169.254.169.254/latest/meta-data'],
    ['https://inner.test/'],
    ['https://both.test/'],
  ])('the address %s, which is not public, is a failure', async (url) => {
    dns.set('inner.test', { A: ['10.1.2.3'] });
    dns.set('both.test', { A: ['93.184.215.14', '192.168.1.1'] });
    expect(await attempt(url, { allowedCidrs: [] })).toEqual(
      failure({ error: /^The host is not at a public address\.$/ }),
    );
  });
});

describe('an answer that takes too long', () => {
  const drip = (response: ServerResponse): void => {
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  };
  const silent = (): undefined => undefined;

  test.each([
    ['silence before TLS', async () => `https://127.0.0.1:${await receivers.listen(createTcpServer())}/`],
    ['silence before the answer', () => receiver(silent)],
    [
      'a body that comes byte by byte',
      () =>
        receiver((_request, response) => {
          response.writeHead(200);
          drip(response);
        }),
    ],
    [
      'headers that come byte by byte',
      () =>
        receiver((request, response) => {
          const timer = setInterval(() => request.socket.write('H'), 100);
          response.on('close', () => clearInterval(timer));
          request.socket.write('HTTP/1.1 200 OK\r\nx: ');
        }),
    ],
  ])('%s is a failure after the deadline', async (_what, start) => {
    const recorded = await attempt(await start(), { timeoutMs: deadlineMs });
    expect(recorded).toEqual(failure({ error: /^There was no complete answer within 0\.3 s\.$/ }));
    expect(recorded.durationMs).toBeGreaterThanOrEqual(deadlineMs - 20);
    expect(recorded.durationMs).toBeLessThan(10 * deadlineMs);
  });

  test('silence of a name server is a failure after the deadline', async () => {
    dns.set('silent.test', 'silent');
    expect(await attempt('https://silent.test/', { timeoutMs: deadlineMs })).toEqual(
      failure({
        error: /^There was no complete answer within 0\.3 s\.$/,
      }),
    );
  });
});

describe('the stored answer', () => {
  test.each([
    [200, 'delivered'],
    [500, 'pending'],
  ])(
    'an endless body is read up to 64 KiB and stored up to 4 KiB, and its status %d counts',
    async (status, expected) => {
      const closed = Promise.withResolvers<void>();
      let written = 0;
      const url = await receiver((_request, response) => {
        response.on('close', closed.resolve).on('error', () => undefined);
        response.writeHead(status);
        const more = (): void => {
          for (;;) {
            written += 10_000;
            if (!response.write('x'.repeat(10_000))) return;
          }
        };
        response.on('drain', more);
        more();
      });
      const recorded = await attempt(url);
      await closed.promise;
      expect(recorded).toMatchObject({ status: expected, code: status, error: null });
      expect(recorded.body).toBe('x'.repeat(4_096));
      // What the sockets between them hold was written and not read.
      expect(written).toBeLessThan(50_000_000);
    },
  );

  test('characters that PostgreSQL refuses, or that were cut in two, are replaced', async () => {
    const body = Buffer.concat([Buffer.from('a\0b'), Buffer.of(0xff), Buffer.from('é'.repeat(4_000))]);
    const url = await receiver((_request, response) => void response.writeHead(500).end(body));
    const { body: kept } = await attempt(url);
    expect(kept).toMatch(/^a\u{fffd}b\u{fffd}é+\u{fffd}?$/u);
    expect(kept!.length).toBeLessThan(4_096);
  });

  test('an empty body is stored as an empty text', async () => {
    const recorded = await attempt(await receiver(answer(204, {}, '')));
    expect(recorded).toMatchObject({ status: 'delivered', code: 204, body: '', error: null, failures: 0, inMs: null });
  });
});

describe('the header Retry-After', () => {
  const dayMs = 24 * 60 * 60 * 1_000;

  test.each([
    ['in seconds lengthens the gap', '120', 120_000],
    ['as a date lengthens it', () => new Date(Date.now() + 600_000).toUTCString(), 600_000],
    ['lengthens it to a day at most', '999999', dayMs],
    ['never shortens it', '0', gapMs],
    ['without a time changes nothing', 'soon', gapMs],
    ['sent twice counts once', ['120', '300'], 120_000],
  ])('%s', async (_what, value: string | string[] | (() => string), expectedMs) => {
    const retryAfter = typeof value === 'function' ? value() : value;
    const recorded = await attempt(await receiver(answer(503, { 'retry-after': retryAfter })));
    expect(recorded).toMatchObject({ status: 'pending', code: 503 });
    expect(recorded.inMs).toBeLessThanOrEqual(expectedMs);
    expect(recorded.inMs).toBeGreaterThan(expectedMs - 10_000);
    if (expectedMs === gapMs) expect(recorded.inMs).toBeGreaterThan(0);
  });
});
