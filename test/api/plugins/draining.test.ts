import { setTimeout } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { draining, type DrainingOptions } from '#api/plugins/draining.ts';
import { eventually } from '#test/support/eventually.ts';

// An app that is closed ends its requests first, whether or not anybody waits for them any more.

let app: FastifyInstance | undefined;
let url: string;
let gate: PromiseWithResolvers<void>;
let seen: { began: number; ended: number };

beforeEach(() => {
  gate = Promise.withResolvers();
  seen = { began: 0, ended: 0 };
});
afterEach(() => app?.close());

async function open(options: DrainingOptions = {}): Promise<FastifyInstance> {
  const fresh = Fastify();
  await fresh.register(draining, options);
  fresh.get('/', async () => {
    seen.began += 1;
    await gate.promise;
    seen.ended += 1;
    return { done: true };
  });
  fresh.post(
    '/',
    {
      onRequest: async () => {
        seen.began += 1;
        await gate.promise;
      },
    },
    async () => ({ done: true }),
  );
  fresh.get('/handed-over', async (_request, reply) => {
    reply.hijack();
    reply.raw.end('done');
  });
  url = await fresh.listen({ host: '127.0.0.1', port: 0 });
  return (app = fresh);
}

/** Begins a request whose client leaves while it is under way. */
async function beginAndLeave(request: RequestInit = {}): Promise<void> {
  const client = new AbortController();
  const call = fetch(url, { ...request, signal: client.signal }).catch((error: Error) => error.name);
  await eventually(
    () => seen.began,
    (began) => began === 1,
  );
  client.abort();
  expect(await call).toBe('AbortError');
}

const refused = () =>
  eventually(
    () =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    (isRefused) => isRefused,
  );

test('a request whose client has left ends before the app has closed', async () => {
  const api = await open();
  await beginAndLeave();
  let isClosed = false;
  const closed = api.close().then(() => (isClosed = true));
  await refused();
  expect([isClosed, seen.ended]).toEqual([false, 0]);
  gate.resolve();
  await closed;
  expect(seen.ended).toBe(1);
});

test('one that does not end is waited for so long and no longer', async () => {
  const api = await open({ deadlineMs: 100 });
  await beginAndLeave();
  await api.close();
  expect(seen.ended).toBe(0);
});

test('one whose body was lost with its connection is not waited for', async () => {
  const api = await open({ deadlineMs: 60_000 });
  await beginAndLeave({ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  const closed = api.close().then(() => 'closed');
  gate.resolve();
  expect(await Promise.race([closed, setTimeout(5_000, 'open', { ref: false })])).toBe('closed');
});

test('a request whose client waits is answered, and its connection does not keep the app open', async () => {
  const api = await open();
  const call = fetch(url);
  await eventually(
    () => seen.began,
    (began) => began === 1,
  );
  const closed = api.close().then(() => 'closed');
  await refused();
  gate.resolve();
  const answer = await call;
  expect(answer.headers.get('connection')).toBe('close');
  expect(await answer.json()).toEqual({ done: true });
  expect(await Promise.race([closed, setTimeout(5_000, 'open', { ref: false })])).toBe('closed');
});

test('one that was answered by a library is not waited for', async () => {
  const api = await open({ deadlineMs: 60_000 });
  expect(await (await fetch(`${url}/handed-over`)).text()).toBe('done');
  const closed = api.close().then(() => 'closed');
  expect(await Promise.race([closed, setTimeout(5_000, 'open', { ref: false })])).toBe('closed');
});
