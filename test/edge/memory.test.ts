// @module-tag process

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { useTestEdge } from '#test/support/edge.ts';

const mebibyte = 1_024 * 1_024;
const timeoutMs = 120_000;
const padding = 'x'.repeat(15_000);
// Requests of a kind: kept whole, those of one kind alone would take 30 MB.
const each = 2_000;

const edge = useTestEdge();

/** An edge in a process of its own, whose heap can be measured. */
interface MeasuredEdge extends AsyncDisposable {
  /** Sends one request after the other on a few connections; how often each status was answered. */
  send(count: number, of: (index: number) => Sent): Promise<Record<number, number>>;
  heapBytes(): Promise<number>;
  /** In the heap, and in buffers beside it. */
  bytes(): Promise<number>;
  open(): Socket;
}

interface Sent {
  path?: string;
  host?: string;
  headers?: Record<string, string>;
}

async function startEdge(env: Record<string, string> = {}): Promise<MeasuredEdge> {
  const child: ChildProcess = fork('test/support/edge-process.ts', {
    env: { ...process.env, DATABASE_URL: edge.databaseUrl, WAYMARK_DATA_DIR: edge.dataDir, ...env },
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [address] = (await once(createInterface(child.stdout!), 'line')) as [string];
  const { hostname, port } = new URL(address);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });

  const sendOne = ({ path = '/', host = edge.domain.domain, headers = {} }: Sent): Promise<number> =>
    new Promise((resolve, reject) => {
      const outgoing = request({ agent, hostname, port, path, headers: { host, ...headers } }, (response) => {
        response.on('end', () => resolve(response.statusCode!)).resume();
      });
      outgoing.on('error', reject).end();
    });

  const ask = async (what: string): Promise<number> => {
    child.send(what);
    const [bytes] = (await once(child, 'message')) as [number];
    return bytes;
  };

  return {
    async send(count, of) {
      const statuses: Record<number, number> = {};
      let next = 0;
      await Promise.all(
        Array.from({ length: 32 }, async () => {
          while (next < count) {
            const status = await sendOne(of(next++));
            statuses[status] = (statuses[status] ?? 0) + 1;
          }
        }),
      );
      return statuses;
    },
    heapBytes: () => ask('heap'),
    bytes: () => ask('bytes'),
    open: () => connect(Number(port), hostname).on('error', () => undefined),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** A name of a length at which V8 cuts it out of the request by reference. */
const named = (index: number): string => `name-of-number-${String(index).padStart(6, '0')}`;
const addressOf = (index: number): string => `198.${100 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;

describe('data of requests stays in memory only as long as the requests', () => {
  test(
    '8,000 requests of 15 KB with names of their own take less than 20 MB',
    { tags: 'nightly', timeout: timeoutMs },
    async () => {
      const { slug } = await edge.link();
      await using measured = await startEdge({ NOT_FOUND_PER_MINUTE: '120' });
      await measured.send(500, () => ({ path: `/${slug}` }));
      const before = await measured.heapBytes();
      const slugs = await measured.send(each, (index) => ({ path: `/${named(index)}?${padding}` }));
      expect(slugs[404]).toBeLessThanOrEqual(120);
      await measured.send(each, (index) => ({ host: `${named(index)}.example:${padding}` }));
      await measured.send(each, (index) => ({ host: `${named(index)}.${padding}` }));
      const agents = await measured.send(each, (index) => ({
        path: `/${slug}`,
        headers: { 'user-agent': `Mozilla/5.0 (${named(index)}) ${padding}` },
      }));
      expect(agents).toEqual({ 302: each });
      expect((await measured.heapBytes()) - before).toBeLessThan(20 * mebibyte);
    },
  );

  test(
    '8,000 requests from as many addresses, below every limit, take less than 20 MB',
    { tags: 'nightly', timeout: timeoutMs },
    async () => {
      const { slug } = await edge.link();
      await using measured = await startEdge();
      await measured.send(500, () => ({ path: `/${slug}` }));
      const before = await measured.heapBytes();
      const from = (index: number): string => `${padding.slice(0, 14_000)}, ${addressOf(index)}`;
      await measured.send(each, (index) => ({
        path: `/${named(index)}`,
        headers: { 'x-forwarded-for': from(index), 'accept-language': `de-${named(index)}` },
      }));
      await measured.send(each, (index) => ({ path: `/${named(index)}`, host: `[${padding}${index}]` }));
      await measured.send(each, (index) => ({ path: `/${String(index)}${padding}` }));
      await measured.send(each, (index) => ({
        path: `/${slug}`,
        headers: {
          'accept-language': `de;q=0.${index}, ${padding}`,
          referer: `https://${named(index)}.example/${padding}`,
        },
      }));
      expect((await measured.heapBytes()) - before).toBeLessThan(20 * mebibyte);
    },
  );
});

test('600 links of the largest size take less than 100 MB', { tags: 'nightly', timeout: timeoutMs }, async () => {
  const rules = Array.from({ length: 15 }, (_, index) => ({
    countries: ['DE'],
    destination: { value: `https://example.com/${index}/${'x'.repeat(8_000)}` },
  }));
  const links = await Promise.all(Array.from({ length: 600 }, () => edge.link({ rules, utm: { source: 'mail' } })));
  await using measured = await startEdge();
  await measured.send(100, () => ({ path: '/' }));
  const before = await measured.heapBytes();
  expect(await measured.send(1_200, (index) => ({ path: `/${links[index % 600]!.slug}` }))).toEqual({ 302: 1_200 });
  expect((await measured.heapBytes()) - before).toBeLessThan(100 * mebibyte);
});

test(
  '400 clients that pipeline and do not read take less than 60 MB, and others are served',
  { tags: 'nightly', timeout: timeoutMs },
  async () => {
    const { slug } = await edge.link();
    await using measured = await startEdge();
    await measured.send(500, () => ({ path: `/${slug}` }));
    const before = await measured.bytes();
    const one = `GET /${slug} HTTP/1.1\r\nHost: ${edge.domain.domain}\r\n\r\n`;
    const flood = one.repeat(Math.ceil((64 * 1_024) / one.length));
    const sockets = Array.from({ length: 400 }, () => measured.open().pause());
    for (const socket of sockets) socket.write(flood);
    let most = 0;
    for (let turn = 0; turn < 10; turn += 1) {
      // The sockets take more as their buffers empty.
      for (const socket of sockets) if (socket.writableLength === 0) socket.write(flood);
      most = Math.max(most, await measured.bytes());
    }
    expect(await measured.send(100, () => ({ path: `/${slug}` }))).toEqual({ 302: 100 });
    for (const socket of sockets) socket.destroy();
    expect(most - before).toBeLessThan(60 * mebibyte);
  },
);
