import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, useOwnTestApi } from '#test/support/api.ts';
import { captureLog } from '#test/support/captured-log.ts';
import { eventually } from '#test/support/eventually.ts';
import { openRaw } from '#test/support/raw-http.ts';

const captured = captureLog('api');
let secrets: string[];
let count = 0;

/** A word that must not be found in the log. */
function secret(): string {
  const word = `hush${(count += 1)}hush`;
  secrets.push(word);
  return word;
}

const api = useOwnTestApi({ logger: captured.log, trustedProxies: ['127.0.0.1'] });
beforeAll(async () => {
  secrets = [api.organization.key];
});

const headers = (): Record<string, string> => ({
  authorization: `Bearer ${secret()}`,
  cookie: `session=${secret()}`,
  'idempotency-key': secret(),
  referer: `https://example.com/${secret()}`,
  'user-agent': secret(),
  'x-forwarded-for': '203.0.113.77',
});

const link = (more: object = {}): object => ({
  destination: { type: 'link', value: `https://example.com/${secret()}?q=${secret()}` },
  slug: secret(),
  title: secret(),
  password: secret(),
  utmSource: secret(),
  ...more,
});

describe('the log (12.3)', () => {
  it('the log holds nothing that callers send, whatever becomes of it', async () => {
    const statuses = [
      await api.call('POST', '/short-link', link(), { headers: headers() }),
      await api.call('POST', '/short-link', link({ [secret()]: 1, slug: `/${secret()}` }), { headers: headers() }),
      await api.call('POST', '/short-link', `{"password": "${secret()}"`, {
        headers: { ...headers(), 'content-type': 'application/json' },
      }),
      await api.call('GET', `/short-link/list?search=${secret()}`, undefined, { headers: headers() }),
      await api.call('GET', `/short-link/${secret()}`, undefined, { headers: headers() }),
      await api.call('GET', `/${secret()}/%zz?${secret()}=${secret()}`, undefined, { headers: headers() }),
      await api.call('GET', '/short-link/list', undefined, { headers: { 'x-api-key': `wm_live_${secret()}` } }),
      await api.call('POST', '/auth/login', { email: `${secret()}@example.com`, password: secret() }),
    ].map((answer) => answer.status);
    expect(statuses.slice(0, 5)).toEqual([201, 400, 400, 200, 400]);
    for (const word of [...secrets, '203.0.113.77']) expect(captured.text()).not.toContain(word);
  });

  it('the log holds no values of a statement that the database refused', async () => {
    const title = secret();
    const wrong = secret();
    await api.db.query(`alter table short_links add constraint no_hush check (title is distinct from '${title}')`);
    await api.db.query(`
      create function refuse() returns trigger language plpgsql as $$ begin
        raise exception using errcode = '22P02', message = 'invalid input syntax for type uuid: "' || new.title || '"';
      end $$`);
    await api.db.query(
      `create trigger refuse before insert on short_links for each row when (new.title = '${wrong}') execute function refuse()`,
    );
    for (const bad of [title, wrong]) {
      expect(await api.call('POST', '/short-link', link({ title: bad }))).toMatchObject({ status: 500 });
    }
    const failures = captured.entries().filter(({ msg }) => msg === 'the request failed');
    expect(failures.map(({ err }) => err.code)).toEqual(['23514', '22P02']);
    expect(failures[0].err).toMatchObject({ table: 'short_links', constraint: 'no_hush' });
    expect(failures[1].err.message).toBe('invalid input syntax for type uuid: "…"');
    expect(failures[0].err.stack).toContain('.ts:');
    for (const word of secrets) expect(captured.text()).not.toContain(word);
  });

  it('the log holds nothing of bytes that are no HTTP', async () => {
    const { port } = new URL(await api.app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect({ host: '127.0.0.1', port: Number(port) });
    socket.end(`GET /${secret()} HTTP/1.1\r\nx-api-key: ${secret()}\r\nbad header ${secret()}\r\n\r\n`);
    socket.resume();
    await once(socket, 'close');
    expect(captured.text()).toContain('what came was no HTTP');
    for (const word of secrets) expect(captured.text()).not.toContain(word);
  });

  it('each request has one line in the log: at debug, and at info where the API failed', async () => {
    const before = captured.entries().length;
    const { headers: sent } = await api.call('GET', `/short-link/${api.organization.id}?x=1`);
    const lines = captured.entries().slice(before);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 20,
      process: 'api',
      requestId: sent['x-request-id'],
      method: 'GET',
      route: '/short-link/:id',
      status: 400,
      ms: expect.any(Number),
    });
    const answered = captured.entries().filter(({ msg }) => msg === 'answered');
    expect(answered.filter(({ level }) => level === 30).map(({ status }) => status)).toEqual([500, 500]);
  });

  it('the log shows a placeholder for values that must not be logged', () => {
    const [key, body, url] = [secret(), secret(), secret()];
    captured.log.info({ key, request: { body, url: `/${url}`, method: 'GET' } }, 'careless');
    captured.log.warn({ reason: `cannot fetch https://example.com/${url}` }, 'careless too');
    const [first, second] = captured.entries().slice(-2);
    expect(first).toMatchObject({ key: '[redacted]', request: { body: '[redacted]', method: 'GET' } });
    expect(second.reason).toBe('cannot fetch [url]');
  });

  it('the log names a proxy that TRUSTED_PROXIES does not, once, and not its client', async () => {
    const own = captureLog('api');
    await using other = await createTestApi({ logger: own.log, trustedProxies: ['192.0.2.1'] });
    await other.call('GET', '/healthz');
    expect(own.text()).not.toContain('X-Forwarded-For');
    for (let times = 0; times < 2; times += 1)
      await other.call('GET', '/healthz', undefined, { headers: { 'x-forwarded-for': '203.0.113.77' } });
    const warnings = own.entries().filter(({ msg }) => String(msg).startsWith('X-Forwarded-For'));
    expect(warnings).toMatchObject([{ level: 40, peer: '127.0.0.1' }]);
    expect(own.text()).not.toContain('203.0.113.77');
  });
});

describe('a client that leaves in the middle of its body', () => {
  it.each(['/short-link', '/auth/login', '/oauth/register', '/mcp'])('is no failure of POST %s', async (path) => {
    const log = captureLog('api');
    await using left = await createTestApi({ besides: api, logger: log.log });
    const { socket } = await openRaw(await left.app.listen({ host: '127.0.0.1', port: 0 }));
    const begun = once(left.app.server, 'request') as Promise<[IncomingMessage]>;
    // Calls by key under /auth/ are refused before their bodies are read.
    const key = path.startsWith('/auth/') ? '' : `x-api-key: ${api.organization.key}\r\n`;
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\n${key}content-type: application/json\r\ncontent-length: 500\r\n`;
    socket.write(`${head}\r\n{"`);
    const [request] = await begun;
    await eventually(() => request.listenerCount('data') > 0);
    socket.destroy();
    expect(await eventually(() => log.entries().find(({ msg }) => msg === 'answered'))).toMatchObject({ status: 400 });
    expect(log.entries().filter(({ level }) => level >= 40)).toEqual([]);
  });
});

describe('X-Forwarded-For', () => {
  const warnings = (log: ReturnType<typeof captureLog>): unknown[] =>
    log.entries().filter(({ msg }) => String(msg).startsWith('X-Forwarded-For'));

  it('is warned about once an hour where its peer is not in TRUSTED_PROXIES, and not where it is', async () => {
    for (const [trustedProxies, expected] of [
      [[], 1],
      [['127.0.0.1'], 0],
    ] as const) {
      const log = captureLog('api');
      await using asked = await createTestApi({ logger: log.log, trustedProxies });
      for (let calls = 0; calls < 3; calls += 1)
        await asked.app.inject({ url: '/healthz', headers: { 'x-forwarded-for': '203.0.113.9' } });
      expect(warnings(log)).toHaveLength(expected);
    }
  });
});
