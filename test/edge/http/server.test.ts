// @module-tag slow

import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Handler } from '#edge/http/exchange.ts';
import { createHttpServer, type HttpServer } from '#edge/http/server.ts';
import { createVisitCounts } from '#edge/metrics.ts';
import { silentLog } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { useFixture } from '#test/support/fixture.ts';
import { isNight } from '#test/support/night.ts';

const deadlines = { headersMs: 300, requestMs: 600, idleMs: 500, unreadMs: 1_000 };
const get = (path: string, ...lines: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: go.example', ...lines, '', ''].join('\r\n');
const close = 'Connection: close';

/** Answers at once, with `/later…` at the end of the tick, and `/throws` not at all. */
const echo: Handler = (request, reply) => {
  const { method, url, headers, socket } = request;
  if (url === '/throws') throw new Error('on purpose');
  const text = [method, url, headers['user-agent'] ?? '-', socket.remoteAddress].join(' ');
  const answer = (): void =>
    reply.send(200, ['x-path', url!, 'content-length', String(text.length)], Buffer.from(text));
  if (url!.startsWith('/later')) setImmediate(answer);
  else answer();
};

async function startServer(handler: Handler): Promise<{ server: HttpServer; port: number } & AsyncDisposable> {
  const counts = createVisitCounts();
  const server = createHttpServer({ handler, counts, deadlines, isHttps: true, log: silentLog });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  return { server, port: Number(new URL(address).port), [Symbol.asyncDispose]: () => server.close() };
}
const running = useFixture(() => startServer(echo));

/** Sends each part after the answers to the parts before. @returns everything that the server sends until it closes. */
function converse(parts: readonly string[], { port } = running): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const waiting = [...parts];
    let answer = '';
    const next = (): void => void (waiting.length > 0 && socket.write(waiting.shift()!, 'latin1'));
    socket.setEncoding('latin1').on('data', (text: unknown) => {
      answer += text as string;
      next();
    });
    socket.on('error', reject).on('close', () => resolve(answer));
    next();
  });
}

/** Sends pieces without waiting for answers. @param isSlow whether the server gets each one by itself. */
async function send(pieces: readonly string[], isSlow: boolean): Promise<string> {
  const socket = connect(running.port, '127.0.0.1').setNoDelay(true);
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: unknown) => (answer += text as string));
  const closed = new Promise((resolve, reject) => socket.once('close', resolve).once('error', reject));
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, 'latin1', resolve));
    if (isSlow) await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  return answer;
}

const bodies = (answer: string): string[] => answer.match(/^(?:GET|HEAD|POST) .*?(?=HTTP|$)/gm) ?? [];
const statuses = (answer: string): number[] =>
  Array.from(answer.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status));

describe('a connection', () => {
  test('serves one plain GET after the other, and closes after the one that asks for it', async () => {
    const answer = await converse([get('/a', 'User-Agent: ua'), get('/later'), get('/b', close)]);
    expect(bodies(answer)).toEqual(['GET /a ua 127.0.0.1', 'GET /later - 127.0.0.1', 'GET /b - 127.0.0.1']);
    expect(answer.match(/^connection: .*$/gim)).toEqual([
      'Connection: keep-alive',
      'Connection: keep-alive',
      'Connection: close',
    ]);
    expect(answer.match(/^strict-transport-security: /gim)).toHaveLength(3);
    expect(answer.match(/^date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r$/gim)).toHaveLength(3);
  });

  test.each([
    ['two requests at once', [get('/a') + get('/later', close)], ['GET /a', 'GET /later']],
    [
      'two while the first is answered',
      [get('/later/1') + get('/later/2'), get('/b', close)],
      ['GET /later/1', 'GET /later/2', 'GET /b'],
    ],
    [
      'another method in between',
      [get('/a'), `POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`, get('/c', close)],
      ['GET /a', 'POST /b', 'GET /c'],
    ],
    [
      'a body where none is expected',
      [`GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc`, get('/b', close)],
      ['GET /a', 'GET /b'],
    ],
    ['bytes beyond ASCII in a header', [get('/a', 'X: \u00e9'), get('/b', close)], ['GET /a', 'GET /b']],
  ])('with %s gets every answer in order', async (_what, parts, expected) => {
    const answer = await converse(parts);
    expect(bodies(answer).map((body) => body.split(' ').slice(0, 2).join(' '))).toEqual(expected);
    expect(statuses(answer)).toEqual(expected.map(() => 200));
  });

  test('gets every answer in order, however its requests are cut into pieces', async () => {
    const kinds = ['/a', '/later', 'HEAD', 'POST', '/odd'] as const;
    const textOf = (kind: (typeof kinds)[number], path: string): string => {
      if (kind === 'HEAD') return `HEAD ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
      if (kind === 'POST') return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody`;
      return kind === '/odd' ? get(path, 'X: \u00e9') : get(path);
    };
    const requests = fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(requests, fc.array(fc.nat(), { maxLength: 8 }), fc.boolean(), async (sent, cuts, isSlow) => {
        const paths = sent.map((kind, index) => `${kind.startsWith('/') ? kind : '/later'}/${index}`);
        const whole = sent.map((kind, index) => textOf(kind, paths[index]!)).join('') + get('/last', close);
        const ends = [...cuts.map((cut) => cut % whole.length), whole.length].toSorted((a, b) => a - b);
        const pieces = ends.map((end, index) => whole.slice(ends[index - 1] ?? 0, end)).filter(Boolean);
        const answer = await send(pieces, isSlow);
        const answered = Array.from(answer.matchAll(/^x-path: (.*)\r$/gm), ([, path]) => path);
        expect(answered).toEqual([...paths, '/last']);
        expect(statuses(answer)).toEqual([...paths, '/last'].map(() => 200));
      }),
      { numRuns: isNight ? 150 : 30 },
    );
  });

  test('with nonsense after a good request gets 400 and ends', async () => {
    expect(statuses(await converse([get('/a'), 'nonsense\r\n\r\n']))).toEqual([200, 400]);
    expect(statuses(await converse(['GET /a\r\n\r\n']))).toEqual([400]);
  });

  test('that is silent gets 408 at the deadline, and one that is idle ends', async () => {
    expect(statuses(await converse([]))).toEqual([408]);
    expect(statuses(await converse([get('/a')]))).toEqual([200]);
    expect(statuses(await converse(['GET /a HTTP/1.1\r\n']))).toEqual([408]);
  });

  test('that the client ends after its request gets the answer', async () => {
    const socket = connect(running.port, '127.0.0.1', () => socket.end(get('/later')));
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: unknown) => (answer += text as string));
    await new Promise((resolve) => socket.once('close', resolve));
    expect(statuses(answer)).toEqual([200]);
  });
});

test('a client that does not read its answers gets no more of them, and all once it reads', async () => {
  const count = 3_000;
  const body = Buffer.alloc(16_384, 'x');
  let answered = 0;
  const generous: Handler = (_request, reply) => {
    answered += 1;
    reply.send(200, ['content-length', String(body.length)], body);
  };
  await using server = await startServer(generous);
  const socket = connect(server.port, '127.0.0.1').pause();
  for (let index = 0; index < count; index += 1) {
    socket.write(get('/a', ...(index === count - 1 ? [close] : [])));
    // Each request comes by itself.
    await new Promise((resolve) => setImmediate(resolve));
  }
  let before = 0;
  await eventually(() => {
    const isStill = answered === before;
    before = answered;
    return isStill;
  }, Boolean);
  expect(answered).toBeLessThan(count);
  let received = 0;
  socket.on('data', (bytes) => (received += bytes.length)).resume();
  await new Promise((resolve) => socket.once('close', resolve));
  expect(answered).toBe(count);
  expect(received).toBeGreaterThan(count * body.length);
});

test('a handler that throws is answered 500, and the connection goes on', async () => {
  expect(statuses(await converse([get('/throws'), get('/a', close)]))).toEqual([500, 200]);
  expect(statuses(await converse([`HEAD /throws HTTP/1.1\r\nHost: x\r\n\r\n`, get('/a', close)]))).toEqual([500, 200]);
});

test('a header that would end its line is not sent', async () => {
  const reckless: Handler = ({ url }, reply) => reply.send(302, ['location', decodeURIComponent(url!)], '');
  await using server = await startServer(reckless);
  for (const path of ['/a%0d%0aSet-Cookie:%20x=y', '/%00', '/%e2%82%ac']) {
    const answer = await converse([get(path, close)], server);
    expect([statuses(answer), /set-cookie/i.test(answer)]).toEqual([[500], false]);
  }
});

test('a server that closes answers the requests under way, and ends idle connections', async () => {
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const patient: Handler = (_request, reply) => {
    begun.resolve();
    void held.promise.then(() => reply.send(200, ['content-length', '0'], ''));
  };
  const { server, port } = await startServer(patient);
  const idle = connect(port, '127.0.0.1');
  const idleEnd = new Promise((resolve) => idle.once('close', resolve));
  const busy = converse([get('/a')], { server, port } as typeof running);
  await begun.promise;
  const closed = server.close();
  await idleEnd;
  held.resolve();
  expect(await busy).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
  await closed;
});

test('64 requests sent at once, the first of them alone, are answered in order, one at a time', async () => {
  let unanswered = 0;
  let most = 0;
  await using server = await startServer((request, reply) => {
    unanswered += 1;
    most = Math.max(most, unanswered);
    setImmediate(() => {
      unanswered -= 1;
      reply.send(200, ['content-length', '0', 'x-path', request.url!], '');
    });
  });
  const paths = Array.from({ length: 64 }, (_, index) => `/${index}`);
  const answer = await converse([get('/first'), paths.map((path) => get(path)).join('') + get('/last', close)], server);
  expect([...answer.matchAll(/x-path: (\S+)/g)].map(([, path]) => path)).toEqual(['/first', ...paths, '/last']);
  expect(most).toBe(1);
});

test('a client that takes no byte of a plain answer is cut', { tags: 'nightly' }, async () => {
  const large = Buffer.alloc(16 * 1_024 * 1_024);
  await using server = await startServer((_request, reply) => {
    reply.send(200, ['content-length', String(large.length)], large);
  });
  const read = async (...lines: string[]): Promise<number> => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    socket.write(get('/', ...lines));
    socket.once('readable', () => undefined);
    await setTimeout(4 * deadlines.unreadMs);
    let bytes = 0;
    for await (const part of socket) bytes += (part as Buffer).length;
    return bytes;
  };
  for (const bytes of await Promise.all([read(), read(close)])) expect(bytes).toBeLessThan(large.length);
});
