import { describe, expect, it, vi } from 'vitest';
import {
  ConnectionError,
  RateLimitError,
  ServiceUnavailableError,
  TimeoutError,
  WaymarkError,
} from '#sdk/typescript/src/errors.ts';
import { send } from '#sdk/typescript/src/send.ts';
import { answer, type ScriptedAnswer, startScriptedServer } from '#test/support/scripted-server.ts';

const address = 'https://api.waymark.example/short-link';
const refused = (code: string, status: number, retryAfter = '0'): Response =>
  Response.json(
    { code, message: 'Later.', requestId: 'request-1' },
    { status, headers: { 'retry-after': retryAfter } },
  );

/** Answers calls by the list, the last one again and again, and keeps what was sent. */
function answering(...answers: [() => Response, ...(() => Response)[]]) {
  const last = answers.at(-1) ?? answers[0];
  const sent: { key: string | null; body: string }[] = [];
  const fetch: typeof globalThis.fetch = async (request) => {
    const { headers } = request as Request;
    sent.push({ key: headers.get('idempotency-key'), body: await (request as Request).text() });
    return (answers[sent.length - 1] ?? last)();
  };
  return { sent, options: { fetch, timeoutMs: 60_000, maxRetries: 2 } };
}
const broken = (): Response => {
  throw new TypeError('fetch failed');
};
const ok = (): Response => Response.json({ id: 'a' });
const post = (headers: Record<string, string> = {}): Request =>
  new Request(address, { method: 'POST', body: '{"slug":"a"}', headers });

describe('a request that the API refuses for a while', () => {
  it('is sent again with the same key and body, after the seconds of Retry-After', async () => {
    const { sent, options } = answering(() => refused('RATE_LIMIT_EXCEEDED', 429, '1'), ok);
    const startedAt = performance.now();
    const response = await send(post({ 'idempotency-key': 'key-1' }), options);
    expect(response.status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    expect(sent).toEqual([
      { key: 'key-1', body: '{"slug":"a"}' },
      { key: 'key-1', body: '{"slug":"a"}' },
    ]);
  });

  it('fails with the class of its code and the id of the request once its attempts are used up', async () => {
    const { sent, options } = answering(() => refused('SERVICE_UNAVAILABLE', 503));
    const error = await send(post(), options).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect(error).toMatchObject({ name: 'ServiceUnavailableError', status: 503, requestId: 'request-1' });
    expect(sent).toHaveLength(3);
  });

  it('waits for a limit of calls for a minute without using up attempts, then as often as it may', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { sent, options } = answering(() => refused('RATE_LIMIT_EXCEEDED', 429, '10'));
      const failed = send(post(), options).catch((caught: unknown) => caught);
      await vi.advanceTimersByTimeAsync(200_000);
      expect(await failed).toBeInstanceOf(RateLimitError);
      // Waits of ten seconds and some: five or six in the minute, and two of the retries.
      expect(sent.length).toBeGreaterThanOrEqual(7);
      expect(sent.length).toBeLessThanOrEqual(9);
    } finally {
      vi.useRealTimers();
    }
    const { sent, options } = answering(() => refused('RATE_LIMIT_EXCEEDED', 429));
    await expect(send(post(), { ...options, maxRetries: 0 })).rejects.toBeInstanceOf(RateLimitError);
    expect(sent).toHaveLength(1);
  });

  it('is sent again while the first call with its key still runs', async () => {
    const { sent, options } = answering(() => refused('ALREADY_EXIST', 409), ok);
    expect((await send(post({ 'idempotency-key': 'key-1' }), options)).status).toBe(200);
    expect(sent).toHaveLength(2);
  });

  it('is not sent again where the API asks for more than a minute', async () => {
    const { sent, options } = answering(() => refused('SERVICE_UNAVAILABLE', 503, '61'));
    await expect(send(post(), options)).rejects.toMatchObject({ retryAfterSeconds: 61 });
    expect(sent).toHaveLength(1);
  });
});

describe('a request without an answer', () => {
  it('is sent again where a second call does no harm', async () => {
    const get = answering(broken, ok);
    expect((await send(new Request(address), get.options)).status).toBe(200);
    const withKey = answering(broken, ok);
    expect((await send(post({ 'idempotency-key': 'key-1' }), withKey.options)).status).toBe(200);
  });

  it('is not sent again where the second call could do it twice, or would not find what the first deleted', async () => {
    for (const request of [post(), new Request(address, { method: 'DELETE' })]) {
      const { sent, options } = answering(broken, ok);
      await expect(send(request, options)).rejects.toBeInstanceOf(ConnectionError);
      expect(sent).toHaveLength(1);
    }
  });

  it('fails with the address and what Node says in the innermost cause', async () => {
    const refusal = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const { options } = answering(() => {
      throw new TypeError('fetch failed', { cause: refusal });
    });
    await expect(send(post(), options)).rejects.toThrow(
      'No answer came from https://api.waymark.example: ECONNREFUSED',
    );
  });

  it('fails when its time is up, and at once when its signal ends it', async () => {
    const hanging: typeof globalThis.fetch = (_request, init) =>
      new Promise((_resolve, reject) => {
        init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason as Error));
      });
    const late = send(new Request(address), { fetch: hanging, timeoutMs: 1, maxRetries: 0 });
    await expect(late).rejects.toBeInstanceOf(TimeoutError);
    const controller = new AbortController();
    const ended = send(new Request(address, { signal: controller.signal }), {
      fetch: hanging,
      timeoutMs: 60_000,
      maxRetries: 2,
    });
    controller.abort(new Error('No longer wanted.'));
    await expect(ended).rejects.toThrow('No longer wanted.');
  });

  it('waits for its next attempt no longer than its signal allows', async () => {
    const controller = new AbortController();
    const { options } = answering(() => {
      setImmediate(() => controller.abort(new Error('No longer wanted.')));
      return refused('SERVICE_UNAVAILABLE', 503, '60');
    });
    const waiting = send(new Request(address, { signal: controller.signal }), options);
    await expect(waiting).rejects.toThrow('No longer wanted.');
  });
});

describe('a body', () => {
  const half: ScriptedAnswer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' }).write('{"id":');
  };
  const cutOff: ScriptedAnswer = (response) => {
    half(response);
    setTimeout(() => response.destroy(), 20);
  };
  const options = { fetch: globalThis.fetch, timeoutMs: 5_000, maxRetries: 2 };

  it('that breaks off or stands still is no answer, and is asked for again', async () => {
    await using server = await startScriptedServer(cutOff, half, answer({ id: 'a' }));
    const response = await send(new Request(server.address), { ...options, timeoutMs: 500 });
    expect(await response.json()).toEqual({ id: 'a' });
    expect(server.sent).toHaveLength(3);
    await using broken = await startScriptedServer(cutOff);
    const failed = send(new Request(broken.address, { method: 'DELETE' }), options);
    await expect(failed).rejects.toMatchObject({ name: 'ConnectionError' });
    await using still = await startScriptedServer(half);
    const late = send(new Request(still.address), { ...options, timeoutMs: 50, maxRetries: 0 });
    await expect(late).rejects.toBeInstanceOf(TimeoutError);
  });

  it('may take longer than an attempt, as long as parts of it come', async () => {
    await using server = await startScriptedServer((response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      let rows = 0;
      const timer = setInterval(() => {
        rows += 1;
        if (rows < 8) return response.write('row\n');
        clearInterval(timer);
        return response.end();
      }, 100);
    });
    const response = await send(new Request(server.address), { ...options, timeoutMs: 500, maxRetries: 0 });
    expect(await response.text()).toBe('row\n'.repeat(7));
  });
});

it('a redirect is an error that names its address, and no other host gets the key', async () => {
  await using other = await startScriptedServer(answer({ id: 'a' }));
  for (const status of [301, 302, 303, 307, 308]) {
    const redirect: ScriptedAnswer = (response) => response.writeHead(status, { location: other.address }).end();
    await using server = await startScriptedServer(redirect);
    const request = new Request(server.address, { headers: { 'x-api-key': 'key' } });
    const failed = send(request, { fetch: globalThis.fetch, timeoutMs: 5_000, maxRetries: 2 });
    await expect(failed).rejects.toMatchObject({
      name: 'ApiError',
      status,
      message: expect.stringContaining(other.address),
    });
    expect(server.sent).toHaveLength(1);
  }
  expect(other.sent).toEqual([]);
});

it('the end of a sign-in by OIDC answers where it leads', async () => {
  const { options } = answering(
    () => new Response(null, { status: 302, headers: { location: 'https://app.example.com/' } }),
  );
  const response = await send(new Request('https://api.waymark.example/auth/oidc/callback?code=a'), options);
  expect([response.status, await response.text()]).toEqual([200, 'https://app.example.com/']);
});

it.each([
  ['a page', '<h1>Welcome</h1>', 'text/html'],
  ['plain text', 'ok', 'text/plain'],
  ['nothing', '', 'application/json'],
])('a success of %s is no answer of Waymark', async (_what, body, type) => {
  const { sent, options } = answering(() => new Response(body, { headers: { 'content-type': type } }));
  const error = await send(new Request(address), options).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(WaymarkError);
  expect(error).toMatchObject({ message: expect.stringContaining('No answer of Waymark') });
  expect(sent).toHaveLength(1);
});

it('a proxy’s answer without a code is an error with its status', async () => {
  const { options } = answering(() => new Response('<h1>Bad gateway</h1>', { status: 502 }));
  const failed = send(new Request(address), { ...options, maxRetries: 0 });
  await expect(failed).rejects.toMatchObject({ name: 'ApiError', status: 502, code: undefined });
});
