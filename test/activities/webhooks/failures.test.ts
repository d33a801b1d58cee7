// @module-tag slow

import type { ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createSender } from '#activities/webhooks/send.ts';
import type { GuardedHttpOptions } from '#adapters/http/guarded-http.ts';
import { createFixture, loopback } from '#test/adapters/http/fixture.ts';
import { createDelivery, createTestWebhook } from '#test/support/deliveries.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { pumpDue } from '#test/support/pumps.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();
const { receivers, client, receiver } = createFixture();
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const gapsMs = [60_000];

/** An attempt with its delivery and its webhook, as the database holds them. */
interface Recorded {
  status: string;
  attempts: number;
  responseCode: number | null;
  /** Until the next attempt, rounded. */
  dueInMinutes: number | null;
  code: number | null;
  durationMs: number;
  body: string | null;
  error: string | null;
  errorCode: string | null;
  failures: number;
  isActive: boolean;
  reason: string | null;
}

/** Sends one delivery to `url` as the pump does. @returns its rows after that. */
async function attempt(url: string, options: GuardedHttpOptions = {}): Promise<Recorded> {
  const http = client({ allowedCidrs: loopback, timeoutMs: 10_000, ...options });
  const webhookId = await createTestWebhook(db);
  const { id } = await createDelivery(db, webhookId);
  await pumpDue({
    sql: db,
    webhookId,
    send: createSender({ http, signatureHeader: 'X-Service-Signature' }),
    open: () => ({ url, secrets: { current: secret, previous: undefined }, headers: [] }),
    gapsMs,
  });
  const { rows } = await db.query<Recorded>(
    `select d.status, d.attempts, d.response_code as "responseCode",
       round(extract(epoch from d.due_at - now()) / 60)::int as "dueInMinutes",
       a.code, a.duration_ms as "durationMs", a.body, a.error, a.error_code as "errorCode",
       w.consecutive_failures as failures, w.is_active as "isActive", w.disabled_reason as reason
     from deliveries d join delivery_attempts a on a.delivery_id = d.id join webhooks w on w.id = d.webhook_id
     where d.id = $1`,
    [id],
  );
  expect(rows).toHaveLength(1);
  return rows[0]!;
}

const answer =
  (status: number, headers: Record<string, string | string[]> = {}, body: Buffer | string = 'no') =>
  (_request: unknown, response: ServerResponse): void =>
    void response.writeHead(status, headers).end(body);

const retried = { status: 'pending', attempts: 1, dueInMinutes: 1, failures: 1, isActive: true, reason: null };

test.each([[307], [404], [500]])('an answer with status %d is recorded and tried again', async (status) => {
  const recorded = await attempt(await receiver(answer(status, { location: 'https://hooks.test/elsewhere' })));
  expect(recorded).toMatchObject({
    ...retried,
    code: status,
    responseCode: status,
    body: 'no',
    error: null,
    errorCode: null,
  });
});

test('a compressed answer is recorded as its text', async () => {
  const compressed = answer(500, { 'content-encoding': 'gzip' }, gzipSync('{"error":"no such field"}'));
  expect(await attempt(await receiver(compressed))).toMatchObject({ ...retried, body: '{"error":"no such field"}' });
});

test('status 410 turns the webhook off at once', async () => {
  const off = { status: 'held', dueInMinutes: null, isActive: false, reason: 'gone' };
  expect(await attempt(await receiver(answer(410)))).toMatchObject({ ...retried, ...off, code: 410 });
});

const timeoutMs = 300;
test.each<[kind: string, error: RegExp, start: () => string | Promise<string>, options?: GuardedHttpOptions]>([
  ['refused-address', /^The host is not at a public address\.$/, () => 'https://127.0.0.1/', { allowedCidrs: [] }],
  ['dns', /^The name of the host has no address/, () => 'https://unknown.test/'],
  ['connect', /refused/, async () => `https://127.0.0.1:${(await freePorts(1))[0]}/`],
  [
    'connect during the answer',
    /closed before the answer was complete/,
    () =>
      receiver((_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half', () => response.socket?.destroy());
      }),
  ],
  ['tls', /^TLS failed/, () => receiver(answer(200), receivers.authority.issue(['other.test']))],
  ['timeout', /^There was no complete answer within 0\.3 s\.$/, () => receiver(() => undefined), { timeoutMs }],
  [
    'protocol',
    /^The answer is not valid HTTP/,
    async () => {
      const port = await receivers.listen(createTcpServer((socket) => void socket.write('SSH-2.0-OpenSSH\r\n\r\n')));
      return `http://127.0.0.1:${port}/`;
    },
    { allowHttp: true },
  ],
])('a request that fails by %s is tried again, and its error is a sentence', async (kind, error, start, options) => {
  const recorded = await attempt(await start(), options);
  expect(recorded).toMatchObject({ ...retried, code: null, responseCode: null, body: null });
  expect(recorded.error).toMatch(error);
  expect(recorded.errorCode).toBe(kind.split(' ')[0]);
  expect(recorded.error).toMatch(/^[A-Z].*\.$/);
  // It shows nothing of the worker's network.
  expect(recorded.error).not.toMatch(/\d+\.\d+\.\d+\.\d+|::|localhost|:\d{2,5}/);
  if (options?.timeoutMs !== undefined) expect(recorded.durationMs).toBeGreaterThanOrEqual(timeoutMs - 20);
});

test('the first 4 KiB of an answer that is longer than what is read are stored, and its status counts', async () => {
  const recorded = await attempt(await receiver(answer(200, {}, 'x'.repeat(100_000))));
  expect(recorded).toMatchObject({ status: 'delivered', code: 200, error: null, body: 'x'.repeat(4_096) });
});

test('characters that PostgreSQL refuses, or that were cut in two, are replaced', async () => {
  const body = Buffer.concat([Buffer.from('a\0b'), Buffer.of(0xff), Buffer.from('é'.repeat(4_000))]);
  const { body: kept } = await attempt(await receiver(answer(500, {}, body)));
  expect(kept).toMatch(/^a\u{fffd}b\u{fffd}é+\u{fffd}?$/u);
  expect(kept!.length).toBeLessThan(4_096);
});

test.each([['120'], [['120', '300']]])('Retry-After %j lengthens the gap to its first value', async (retryAfter) => {
  const recorded = await attempt(await receiver(answer(503, { 'retry-after': retryAfter })));
  expect(recorded).toMatchObject({ ...retried, code: 503, dueInMinutes: 2 });
});
