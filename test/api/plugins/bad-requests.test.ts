import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { readHead, sendRaw } from '#test/support/raw-http.ts';

let address: string;
const api = useTestApi();
beforeAll(async () => {
  address = await api.app.listen({ host: '127.0.0.1', port: 0 });
});

/** Sends bytes and reads until the server ends the connection. */
async function raw(text: string): Promise<{ status: number; requestId: string | undefined; body: unknown }> {
  const answer = await sendRaw(address, text);
  const { status, headers } = readHead(answer);
  return { status, requestId: headers['x-request-id'], body: JSON.parse(answer.split('\r\n\r\n')[1]!) as unknown };
}

const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`;
const paths = ({ status, body }: Answer): unknown => [status, body.issues?.map(({ path }: { path: string }) => path)];

describe('what never comes to a route', () => {
  it.each([
    ['no HTTP', 'HELLO\r\n\r\n'],
    ['an unknown method', get('/tag/list').replace('GET', 'FOO')],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['headers that are too large', get('/tag/list', `x: ${'a'.repeat(80_000)}\r\n`)],
    ['a length that is none', get('/tag/list', 'content-length: x\r\n')],
    ['a path that is no UTF-8', get('/tag/%E0%A4%A')],
    ['a path with a stray %', get('/tag/%zz')],
    ['an id that is far too long', get(`/tag/${'a'.repeat(3_000)}`)],
    ['a call without Host', get('/tag/list').replace('host: x\r\n', '')],
  ])('%s is answered 400 in the shape of every error', async (_what, text) => {
    const { status, requestId, body } = await raw(text);
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        code: 'VALIDATION_ERROR',
        message: expect.any(String),
        issues: [{ path: '', message: expect.any(String) }],
        requestId,
      },
    });
    expect(requestId).toEqual(expect.any(String));
  });
});

describe('what a client expects that is not known', () => {
  it('an unknown expectation of a client is ignored', async () => {
    const { status, requestId } = await raw(get('/healthz', 'expect: something\r\n'));
    expect([status, requestId]).toEqual([200, expect.any(String)]);
  });
});

describe('what is right in form and cannot be kept', () => {
  it('a moment after the year 9999 is refused', async () => {
    const destination = { type: 'link', value: 'https://example.com' };
    const expiresAt = '9999-12-31T23:59:59.999-00:01';
    expect(paths(await api.call('POST', '/short-link', { destination, expiresAt }))).toEqual([400, ['expiresAt']]);
  });

  it('a compressed body is refused unread', async () => {
    const payload = gzipSync(JSON.stringify({ destination: { type: 'link', value: 'https://example.com/' } }));
    const headers = {
      'x-api-key': api.organization.key,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    };
    const answer = await api.app.inject({ method: 'POST', url: '/short-link', headers, payload });
    expect([answer.statusCode, answer.json().issues[0].message]).toEqual([
      400,
      'The body is compressed (Content-Encoding), which this API does not read: send it as it is.',
    ]);
  });

  it('a body nested deeper than can be compared is refused', async () => {
    const payload = `{"name":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'deep' };
    expect(paths(await api.call('POST', '/tag', undefined, { payload, headers }))).toEqual([400, ['']]);
  });
});

describe('unknown fields', () => {
  it('unknown fields of a query are refused by name, dangerous names too', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype', 'surplus'])
      for (const key of [name, `${name}[]`])
        expect(paths(await api.call('GET', `/tag/list?${encodeURIComponent(key)}=1`))).toEqual([400, [key]]);
    // Only lists of ids may be written so.
    for (const key of ['limit[]', 'search[]'])
      expect(paths(await api.call('GET', `/tag/list?${key}=1`))).toEqual([400, [key]]);
  });

  it('a body is refused where none is taken', async () => {
    const { body: tag } = await api.call('POST', '/tag', { name: 'Kept' });
    expect(paths(await api.call('DELETE', `/tag/${tag.id}`, { surplus: 1 }))).toEqual([400, ['surplus']]);
    expect((await api.call('GET', `/tag/${tag.id}`)).status).toBe(200);
    expect((await api.call('DELETE', `/tag/${tag.id}`, {})).status).toBe(200);
  });

  it('unknown fields are all named, wherever they are', async () => {
    const answer = await api.call('PATCH', '/tag/nonsense?surplus=1', { name: '', other: 1 });
    expect(paths(answer)).toEqual([400, ['id', 'name', 'other', 'surplus']]);
    expect(paths(await api.call('POST', '/tag?surplus=1'))).toEqual([400, ['', 'surplus']]);
    expect(paths(await api.call('GET', '/doc?surplus=1'))).toEqual([400, ['surplus']]);
  });
});
