// @module-tag slow

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClientLimit } from '#core/limits/client-limit.ts';
import { type EdgeAnswer, useTestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { createDomain } from '#test/support/factories.ts';
import { openRaw, type RawConnection, sendRaw } from '#test/support/raw-http.ts';

let slug: string;

const edge = useTestEdge({
  trustedProxies: ['127.0.0.1'],
  notFoundPerMinute: 20,
  deadlines: { headersMs: 1_000, requestMs: 1_500, idleMs: 60_000 },
});
beforeAll(async () => {
  ({ slug } = await edge.link());
  await edge.visit(`/${slug}`);
});

const open = (): Promise<RawConnection> => openRaw(edge.address);
const raw = (text: string): Promise<string> => sendRaw(edge.address, text);
const others = async (): Promise<void> => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => edge.visit(`/${slug}`)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 302));
};
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const statusOf = (answer: string): number => Number(/^HTTP\/1\.[01] (\d{3}) /.exec(answer)?.[1]);

describe('hosts', () => {
  test('two Host headers are refused, the same twice too', async () => {
    const host = edge.domain.domain;
    for (const second of ['other.example', host]) {
      const answer = await raw(
        `GET /${slug} HTTP/1.1\r\nHost: ${host}\r\nhOsT: ${second}\r\nConnection: close\r\n\r\n`,
      );
      expect(statusOf(answer)).toBe(400);
    }
  });

  test.each([':0', ':99999', '.', '.:80'])('with %s behind the name it is the same host', async (end) => {
    expect((await edge.visit(`/${slug}`, { host: edge.domain.domain + end })).status).toBe(302);
  });

  test.each([':', ':x', ':123456', ':80:80', `:${'8'.repeat(12_000)}`])(
    'with %j behind it there is no port: 400 (4.1)',
    async (end) => {
      expect((await edge.visit(`/${slug}`, { host: edge.domain.domain + end })).status).toBe(400);
    },
  );

  test.each(['..', '@', '/x', '?', '#', '%2e', ' ', ',go.example', '\\'])('with %j it is none', async (end) => {
    const answer = await raw(
      `GET /${slug} HTTP/1.1\r\nHost: ${edge.domain.domain}${end}a\r\nConnection: close\r\nX-Forwarded-For: 203.0.113.${end.length}\r\n\r\n`,
    );
    expect([400, 404]).toContain(statusOf(answer));
  });
});

describe('requests made to be misread', () => {
  const host = (): string => `Host: ${edge.domain.domain}\r\n`;

  test('Content-Length beside Transfer-Encoding, two lengths, broken chunks', async () => {
    for (const rest of [
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n',
      'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n',
      'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
      'Content-Length: -1\r\n\r\n',
      'Transfer-Encoding: xchunked\r\n\r\n',
      'Transfer-Encoding: chunked, identity\r\n\r\n',
      ' folded: x\r\n\r\n',
      'na me: x\r\n\r\n',
      'name : x\r\n\r\n',
      'name: a\u0000b\r\n\r\n',
      'name: a\nb\r\n\r\n',
    ]) {
      const answer = await raw(`POST /${slug} HTTP/1.1\r\n${host()}${rest}`);
      // Where headers are in order up to their end, the method may be refused before the rest is seen to be wrong.
      expect([400, 405]).toContain(statusOf(answer));
      expect(answer.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
    }
  });

  test('CR and LF in a path, a query and a header end up in no header of ours', async () => {
    const forwarding = await edge.link({ forwardQuery: true });
    for (const path of [`/${forwarding.slug}?a=%0d%0aSet-Cookie:%20x=y`, `/%0d%0aSet-Cookie:%20x=y`]) {
      const answer = await edge.visit(path, from('203.0.113.50'));
      expect(answer.headers).not.toHaveProperty('set-cookie');
      expect([302, 404]).toContain(answer.status);
    }
    expect(statusOf(await raw(`GET /${slug}\r\nSet-Cookie: x HTTP/1.1\r\n${host()}\r\n`))).toBe(400);
  });

  test('headers that are nothing to the edge, and CONNECT, are no failures', async () => {
    const answer = (method: string, header: string): Promise<string> =>
      raw(`${method} /${slug} HTTP/1.1\r\nHost: ${edge.domain.domain}\r\n${header}\r\nConnection: close\r\n\r\n`);
    for (const header of ['Content-Type: ;;;', 'Content-Type:', 'Expect: something'])
      for (const [method, status] of [
        ['GET', 302],
        ['POST', 405],
        ['PUT', 405],
        ['QUERY', 405],
      ] as const)
        expect(statusOf(await answer(method, header))).toBe(status);
    expect(statusOf(await answer('QUERY', 'X: y'))).toBe(405);
    expect(statusOf(await raw(`CONNECT go.example:443 HTTP/1.1\r\nHost: go.example:443\r\n\r\n`))).toBe(405);
  });

  test('overlong paths and headers', async () => {
    expect(statusOf(await raw(`GET /${'x'.repeat(15_000)} HTTP/1.1\r\n${host()}Connection: close\r\n\r\n`))).toBe(404);
    expect(statusOf(await raw(`GET /${'x'.repeat(40_000)} HTTP/1.1\r\n${host()}\r\n`))).toBe(431);
    expect(statusOf(await raw(`GET /${slug} HTTP/1.1\r\n${host()}Cookie: ${'x'.repeat(40_000)}\r\n\r\n`))).toBe(431);
    const many = Array.from({ length: 3_000 }, (_, index) => `x${index}: y\r\n`).join('');
    expect([302, 431]).toContain(
      statusOf(await raw(`GET /${slug} HTTP/1.1\r\n${host()}${many}Connection: close\r\n\r\n`)),
    );
  });

  test('an unexpected body is not waited for', async () => {
    const { socket, answer, closed } = await open();
    socket.write(`POST /${slug} HTTP/1.1\r\n${host()}Content-Length: 1000000000\r\n\r\nx`);
    await eventually(answer, (text) => statusOf(text) === 405);
    expect(statusOf(await closed)).toBe(405);
  });
});

describe('clients that hold on', () => {
  test('slow headers and silence are ended at the deadline', async () => {
    const silent = await open();
    const slow = await open();
    slow.socket.write(`GET /${slug} HTTP/1.1\r\n`);
    const drip = setInterval(() => slow.socket.writable && slow.socket.write('x: y\r\n'), 100);
    slow.socket.on('error', () => undefined);
    await others();
    expect(statusOf(await slow.closed)).toBe(408);
    clearInterval(drip);
    await silent.closed;
  });
});

describe('floods of what does not exist (4.15)', () => {
  test('past the limit a client gets 429, others and links that exist are served', async () => {
    const client = '198.51.100.7';
    for (let index = 0; index < 20; index += 1) {
      expect((await edge.visit(`/missing-${index}`, from(client))).status).toBe(404);
    }
    for (const [path, host] of [
      ['/missing', edge.domain.domain],
      ['/x', 'other.example'],
      ['/.well-known/x', edge.domain.domain],
    ] as const) {
      const answer = await edge.visit(path, { host, ...from(client) });
      expect(answer.status).toBe(429);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
    }
    expect((await edge.visit(`/${slug}`, from(client))).status).toBe(302);
    expect((await edge.visit('/missing', from('198.51.100.8'))).status).toBe(404);
    expect((await edge.visit('/', from(client))).status).toBe(200);
  });

  test('a client past the limit causes no queries, and links in memory are answered (13.2)', async () => {
    const client = '198.51.100.99';
    const fresh = await edge.link();
    for (let index = 0; index < 20; index += 1) await edge.visit(`/missing-${index}`, from(client));
    const misses = (): number => edge.edge.lookupCounts().links.misses;
    const before = misses();
    for (let index = 0; index < 10; index += 1) {
      const answer = await edge.visit(`/unknown-${index}`, from(client));
      expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([429, true]);
    }
    expect((await edge.visit('/x', { host: 'never-seen.example', ...from(client) })).status).toBe(429);
    expect((await edge.visit(`/${fresh.slug}`, from(client))).status).toBe(429);
    expect(misses()).toBe(before);
    expect((await edge.visit(`/${slug}`, from(client))).status).toBe(302);
    expect((await edge.visit(`/${fresh.slug}`)).status).toBe(302);
    expect((await edge.visit(`/${fresh.slug}`, from(client))).status).toBe(302);
  });

  test('a slug that does not exist counts also where the answer is the fallback or 405', async () => {
    const { domain: host } = await createDomain(edge.db, edge.organization.id, {
      fallbackUrl: 'https://fallback.example/',
    });
    for (const [client, method, status] of [
      ['198.51.100.20', 'GET', 302],
      ['198.51.100.21', 'POST', 405],
    ] as const) {
      const ask = (path: string): Promise<EdgeAnswer> => edge.visit(path, { host, method, ...from(client) });
      for (let index = 0; index < 20; index += 1) expect((await ask(`/missing-${index}`)).status).toBe(status);
      const before = edge.edge.lookupCounts().links.misses;
      for (const path of ['/missing-0', '/unknown']) expect((await ask(path)).status).toBe(429);
      expect(edge.edge.lookupCounts().links.misses).toBe(before);
      // The domain itself exists.
      expect((await ask('/')).status).toBe(status);
    }
  });

  test('links that are switched off do not count', async () => {
    const client = '198.51.100.22';
    const off = await edge.link({ isActive: false });
    const fresh = await edge.link();
    for (let index = 0; index < 30; index += 1)
      expect((await edge.visit(`/${off.slug}`, from(client))).status).toBe(404);
    expect((await edge.visit(`/${fresh.slug}`, from(client))).status).toBe(302);
  });

  test('of many clients at once: others are served meanwhile', { tags: 'nightly' }, async () => {
    const flood = Array.from({ length: 2_000 }, (_, index) =>
      edge.visit(`/flood-${index}`, from(`10.1.${index >> 8}.${index & 255}`)),
    );
    await sleep(5);
    await others();
    const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
    expect([...statuses]).toEqual([404]);
  });

  test('a minute later a client may ask again; memory is bounded', () => {
    let nowMs = 1_000_000;
    const misses = createClientLimit({ perWindow: 2, windowMs: 60_000, now: () => nowMs });
    expect([misses.take('a'), misses.take('a'), misses.take('a'), misses.take('b')]).toEqual([
      undefined,
      undefined,
      60,
      undefined,
    ]);
    nowMs += 59_500;
    expect(misses.take('a')).toBe(1);
    nowMs += 500;
    expect(misses.take('a')).toBeUndefined();
    const before = liveBytes();
    for (let index = 0; index < 500_000; index += 1) misses.take(`client ${index}`);
    expect(liveBytes() - before).toBeLessThan(100 * 1_024 * 1_024);
    // Used once more, so that the limit itself is not collected before.
    expect(misses.wait('client 499999')).toBeUndefined();
  });
});

/** Bytes of live objects, after a collection: any amount of garbage may be on the heap before. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
