// @module-tag slow

import { request } from 'node:http';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOwnedOrganization, createSignedIn, createUserKey } from '#test/support/people.ts';
import { writeMultipart } from '#test/support/upload.ts';

const api = useOwnTestApi({ logsRequests: true });
const limited = useOwnTestApi({ logsRequests: true, limits: { perSecond: 1_000, perMinute: 2 } });

interface Call {
  id: string;
  at: string;
  method: string;
  route: string | null;
  path: string;
  query: string | null;
  status: number;
  code: string | null;
  latencyMs: number;
  by: { type: string; userId: string; keyId: string | null; name: string | null };
}

/** An organization whose owner has a key, and what it reads of its log. */
async function createOwned() {
  const organization = await createOwnedOrganization(api.db);
  const key = await createUserKey(api.db, organization.id, organization.owner.id);
  const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: unknown, headers: object = {}) =>
    api.call(method, url, body, { headers: { 'x-api-key': key, ...headers } });
  const list = async (query = ''): Promise<Call[]> => {
    await api.requestLog.flush();
    const { status, body } = await call('GET', `/request-log${query}`);
    expect(status).toBe(200);
    return body.data;
  };
  const get = async (id: string) => {
    await api.requestLog.flush();
    return call('GET', `/request-log/${id}`);
  };
  return { organization, key, call, list, get };
}

const seen = (calls: Call[]): unknown[] => calls.map(({ method, path, status }) => `${method} ${path} ${status}`);

describe('GET /request-log', () => {
  it('200: has the calls whose clients left before their answers', async () => {
    const { key, list } = await createOwned();
    const { port } = new URL(await api.app.listen({ host: '127.0.0.1', port: 0 }));
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const client = request({ host: '127.0.0.1', port, method: 'POST', path: '/folder', headers });
    client.on('error', () => undefined);
    api.app.server.once('request', (incoming) => incoming.once('end', () => client.destroy()));
    client.end(JSON.stringify({ name: 'Left' }));
    const calls = await eventually(list, ({ length }) => length > 0);
    expect(calls).toMatchObject([{ method: 'POST', path: '/folder', status: 201 }]);
  });

  it('200: lists all since a moment before 1970', async () => {
    const { call, list } = await createOwned();
    await call('GET', '/folder/list');
    expect(await list('?since=1900-01-01T00:00:00Z')).toHaveLength(1);
    expect(await list('?until=1900-01-01T00:00:00Z')).toEqual([]);
  });

  it('200: lists calls by key and by session, refused ones too, the most recent first, but not its own reads', async () => {
    const { organization, key, call, list } = await createOwned();
    const folder = await call('POST', '/folder', { name: 'Logged' });
    await call('GET', '/folder/list?search=x&limit=1');
    await call('POST', '/folder', { name: '' });
    await call('GET', `/folder/${uuidv7()}`);
    await call('GET', '/no/such/path');
    const { headers } = await createSignedIn(api.db, organization.id, 'member');
    await api.call('GET', '/api-key/list', undefined, { headers: { ...headers, 'x-api-key': undefined } });
    await list();
    const calls = await list();
    expect(seen(calls)).toEqual([
      'GET /api-key/list 403',
      'GET /no/such/path 404',
      expect.stringMatching(/^GET \/folder\/[-0-9a-f]{36} 404$/),
      'POST /folder 400',
      'GET /folder/list 200',
      'POST /folder 201',
    ]);
    expect(calls.map(({ route }) => route)).toEqual([
      '/api-key/list',
      null,
      '/folder/{id}',
      '/folder',
      '/folder/list',
      '/folder',
    ]);
    expect(calls.map(({ code }) => code)).toEqual([
      'ACTION_NOT_ALLOWED',
      'NOT_FOUND',
      'NOT_FOUND',
      'VALIDATION_ERROR',
      null,
      null,
    ]);
    const made = calls.at(-1)!;
    expect(made.id).toBe(folder.headers['x-request-id']);
    expect(made.by).toEqual({
      type: 'key',
      userId: organization.owner.id,
      keyId: expect.any(String),
      name: 'User key',
    });
    expect(Math.abs(Date.parse(made.at) - Date.now())).toBeLessThan(60_000);
    expect(made.latencyMs).toBeGreaterThan(0);
    expect(calls[0]!.by).toMatchObject({ type: 'member', keyId: null, name: 'Ada' });
    expect(calls.at(-2)!.query).toBe('search=x&limit=1');
    expect(JSON.stringify(calls)).not.toContain(key);
  });

  it('200: filters by status, class, method, route, path, caller, request and time', async () => {
    const { organization, call, list } = await createOwned();
    const made = await call('POST', '/tag', { name: 'one' });
    await call('GET', `/tag/${made.body.id}`);
    await call('GET', `/tag/${uuidv7()}`);
    await call('DELETE', `/tag/${made.body.id}`);
    const [gone] = await list('?method=DELETE');
    const keyId = gone!.by.keyId!;
    expect(seen(await list('?status=4xx'))).toEqual([expect.stringMatching(/404$/)]);
    expect(seen(await list('?status=201'))).toEqual(['POST /tag 201']);
    expect(seen(await list('?status=500'))).toEqual([]);
    expect(await list('?route=/tag/{id}')).toHaveLength(3);
    expect(await list(`?search=${made.body.id.slice(-12)}`)).toHaveLength(2);
    expect(await list('?by=key')).toHaveLength(4);
    expect(await list('?by=member')).toEqual([]);
    expect(await list(`?keyId=${keyId}`)).toHaveLength(4);
    expect(await list(`?keyId=${uuidv7()}`)).toEqual([]);
    expect(await list(`?userId=${organization.owner.id}`)).toHaveLength(4);
    expect(await list(`?requestId=${gone!.id}`)).toEqual([gone]);
    const moment = encodeURIComponent(gone!.at);
    expect(await list(`?since=${moment}&status=200&method=DELETE`)).toEqual([gone]);
    expect(await list(`?until=${moment}&method=DELETE`)).toEqual([]);
  });

  it('200: continues by a cursor, and 400 for a status that is none', async () => {
    const { call, list } = await createOwned();
    for (const name of ['a', 'b', 'c']) await call('POST', '/tag', { name });
    const all = await list();
    await api.requestLog.flush();
    const first = await call('GET', '/request-log?limit=2');
    expect(first.body.data).toEqual(all.slice(0, 2));
    const next = await call('GET', `/request-log?limit=2&cursor=${first.body.nextCursor}`);
    expect(next.body).toEqual({ data: all.slice(2), nextCursor: null });
    const wrong = await call('GET', '/request-log?status=4x&since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z');
    expect(wrong.body.issues.map(({ path }: { path: string }) => path)).toEqual(['status', 'since']);
  });
});

describe('GET /request-log/{id}', () => {
  it('200: an error leads to its call by requestId, with body and answer', async () => {
    const { call, get } = await createOwned();
    const { body: error } = await call('POST', '/folder', { name: '', color: '#123456' });
    const { status, body } = await get(error.requestId);
    expect(status).toBe(200);
    expect(body).toMatchObject({ method: 'POST', route: '/folder', status: 400, code: 'VALIDATION_ERROR' });
    expect(body.request).toEqual({
      type: 'application/json',
      bytes: 29,
      body: '{"name":"","color":"#123456"}',
      isTruncated: false,
    });
    expect(JSON.parse(body.answer.body)).toEqual(error);
    expect(body.answer).toMatchObject({ type: 'application/json', bytes: body.answer.body.length, isTruncated: false });
  });

  it('200: shows the beginning of large bodies, and of files type and size alone', async () => {
    const { key, call, get } = await createOwned();
    const links = Array.from({ length: 100 }, (_none, index) => ({
      destination: { type: 'link', value: `https://example.com/${'x'.repeat(200)}${index}` },
      title: 'Frühling 🌸',
    }));
    const bulk = await call('POST', '/short-link/bulk', { links });
    expect(bulk.status).toBe(201);
    const { body } = await get(bulk.headers['x-request-id'] as string);
    for (const part of [body.request, body.answer]) {
      expect(part.isTruncated).toBe(true);
      expect(part.body.length).toBeLessThanOrEqual(8_192);
      expect(part.bytes).toBeGreaterThan(10_000);
    }
    const { payload, headers } = writeMultipart([{ content: 'keyword,url\nsecret-word,https://example.com/\n' }]);
    const upload = await call('POST', '/short-link/import', payload, headers);
    const { body: file } = await get(upload.headers['x-request-id'] as string);
    expect(file.request).toMatchObject({ type: 'multipart/form-data', body: null, isTruncated: false });
    const picture = await api.app.inject({
      url: `/short-link/${bulk.body.results[0].data.id}/qr-code?format=png`,
      headers: { 'x-api-key': key },
    });
    const { body: drawn } = await get(picture.headers['x-request-id'] as string);
    expect(drawn.answer).toEqual({
      type: 'image/png',
      bytes: picture.rawPayload.length,
      body: null,
      isTruncated: false,
    });
  });

  it('404: for a call of another organization, and one that there is not', async () => {
    const { call } = await createOwned();
    const { get } = await createOwned();
    const { headers } = await call('GET', '/tag/list');
    expect((await get(headers['x-request-id'] as string)).status).toBe(404);
    expect((await get(uuidv7())).status).toBe(404);
    expect((await get('nonsense')).status).toBe(400);
  });
});

describe('calls that are not logged', () => {
  it('calls without a key, public ones, and bodies under /auth/', async () => {
    const { organization, list, get } = await createOwned();
    const { headers } = await createSignedIn(api.db, organization.id, 'owner');
    await api.call('GET', '/healthz');
    await api.call('POST', '/auth/login', { email: 'a@b.example', password: 'wrong-password' });
    const changed = await api.call(
      'POST',
      '/auth/password',
      { current: 'not-the-password', next: 'another-password' },
      { headers: { ...headers, 'x-api-key': undefined } },
    );
    expect(seen(await list())).toEqual([`POST /auth/password ${changed.status}`]);
    const { body } = await get(changed.headers['x-request-id'] as string);
    expect([body.request.body, body.answer.body]).toEqual([null, null]);
    const { rows } = await api.db.query('select to_jsonb(r)::text as text from request_log r');
    expect(JSON.stringify(rows)).not.toMatch(/not-the-password|another-password|wrong-password/);
  });
});

it('calls that a rate limit refuses are logged', async () => {
  const statuses = [];
  for (let time = 0; time < 3; time += 1) statuses.push((await limited.call('GET', '/tag/list')).status);
  expect(statuses).toEqual([200, 200, 429]);
  await limited.requestLog.flush();
  const { rows } = await limited.db.query(
    'select status, code, key_id is not null as "isByKey" from request_log order by id',
  );
  expect(rows).toEqual([
    { status: 200, code: null, isByKey: true },
    { status: 200, code: null, isByKey: true },
    { status: 429, code: 'RATE_LIMIT_EXCEEDED', isByKey: true },
  ]);
});
