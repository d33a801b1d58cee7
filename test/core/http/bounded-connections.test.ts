import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { boundConnections } from '#core/http/bounded-connections.ts';

const deadlineMs = 200;

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  unreadMs = deadlineMs,
): Promise<{ server: Server; open(): Socket } & AsyncDisposable> {
  const server = createServer(answer);
  boundConnections(server, unreadMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    server,
    open: () => connect(port, '127.0.0.1'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test.each([
  { deep: 64, body: '' },
  { deep: 2_000, body: '' },
  // Ends of heads inside bodies.
  { deep: 64, body: '\r\n\r\n'.repeat(500) },
])('a client that sends $deep requests at once gets all answers in order, one at a time', async ({ deep, body }) => {
  let most = 0;
  let unanswered = 0;
  await using running = await serve((request, response) => {
    unanswered += 1;
    most = Math.max(most, unanswered);
    response.once('close', () => (unanswered -= 1));
    let bytes = 0;
    request.on('data', (part: Buffer) => (bytes += part.length));
    request.on('end', () => void setImmediate().then(() => response.end(`number ${request.url}: ${bytes}.`)));
  });
  const socket = running.open();
  socket.write(
    Array.from(
      { length: deep },
      (_, index) => `POST /${index} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ).join(''),
  );
  socket.write('GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const text = (await socket.setEncoding('latin1').toArray()).join('');
  const answered = [...text.matchAll(/number \/(\w+: \d+)\./g)].map(([, name]) => name);
  expect(answered).toEqual([...Array.from({ length: deep }, (_, index) => `${index}: ${body.length}`), 'last: 0']);
  // The last bytes of a body may come with the next head.
  expect(most).toBe(body === '' ? 1 : 2);
});

test('a client that reads no answer is cut', async () => {
  await using running = await serve((_request, response) => response.end(Buffer.alloc(16 * 1_024 * 1_024)));
  const socket = running.open();
  const [accepted] = (await once(running.server, 'connection')) as [Socket];
  socket.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100));
  await once(accepted, 'close');
  expect(accepted.writableFinished).toBe(false);
  socket.destroy();
});

test(
  'a client that reads slowly, and one that waits for a slow answer, are served past the deadline',
  { tags: 'slow' },
  async () => {
    // A client of a busy machine may stop for as long as most of it.
    const longMs = 2_000;
    await using running = await serve((request, response) => {
      if (request.url === '/large') response.end(Buffer.alloc(16 * 1_024 * 1_024));
      else void setTimeout(2 * longMs).then(() => response.end('done'));
    }, longMs);
    const slow = running.open();
    slow.write('GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const large = running.open();
    large.write('GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    let bytes = 0;
    for await (const part of large) {
      bytes += (part as Buffer).length;
      // More than 3 s in all.
      await setTimeout(12);
    }
    expect(bytes).toBeGreaterThan(16 * 1_024 * 1_024);
    expect((await slow.setEncoding('latin1').toArray()).join('')).toContain('done');
  },
);
