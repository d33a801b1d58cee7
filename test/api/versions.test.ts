import { describe, expect, test } from 'vitest';
import { type Answer, useOwnTestApi } from '#test/support/api.ts';
import { createFile } from '#test/support/factories.ts';

const api = useOwnTestApi({ corsOrigins: ['https://app.example'] });

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';
const call = (method: Method, url: string, body?: object, ifMatch?: string): Promise<Answer> =>
  api.call(method, url, body, { headers: { 'if-match': ifMatch } });
const link = (value = 'https://example.com/') => ({ type: 'link', value });
const conflict = { status: 409, body: { code: 'CONFLICT' } };
let counter = 0;

const kinds = [
  ['short-link', () => ({ destination: link() }), (n: number) => ({ title: `Title ${n}` })],
  [
    'domain',
    () => ({ domain: `v${(counter += 1)}.customer.example` }),
    (n: number) => ({ fallbackUrl: `https://example.com/${n}` }),
  ],
  [
    'webhook',
    () => ({ url: `https://127.0.0.1:1/${(counter += 1)}`, events: ['link.created'] }),
    (n: number) => ({ name: `Name ${n}` }),
  ],
] as const;

describe.each(kinds)('the version of a %s', (kind, body, change) => {
  const make = async () => {
    const made = await call('POST', `/${kind}`, body());
    expect(made).toMatchObject({ status: 201, headers: { etag: expect.stringMatching(/^"[\w-]+"$/) } });
    return { path: `/${kind}/${made.body.id}`, etag: made.headers.etag as string };
  };

  test('answers carry the version, and each change makes another one', async () => {
    const { path, etag } = await make();
    expect((await call('GET', path)).headers).toMatchObject({
      etag,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const seen = new Set([etag]);
    for (const n of [1, 2, 3]) {
      const changed = await call('PATCH', path, change(n));
      expect(changed.status).toBe(200);
      seen.add(changed.headers.etag as string);
      expect((await call('GET', path)).headers.etag).toBe(changed.headers.etag);
    }
    expect(seen.size).toBe(4);
  });

  test('If-Match demands the version', async () => {
    const { path, etag } = await make();
    const changed = await call('PATCH', path, change(1), etag);
    expect(changed.status).toBe(200);
    expect(await call('PATCH', path, change(2), etag)).toMatchObject(conflict);
    expect(await call('PATCH', path, change(1), etag)).toMatchObject(conflict);
    expect(await call('PATCH', path, change(2), `W/${String(changed.headers.etag)}`)).toMatchObject(conflict);
    expect((await call('GET', path)).body).toMatchObject(change(1));
    expect(await call('DELETE', path, undefined, etag)).toMatchObject(conflict);
    for (const method of ['PATCH', 'DELETE'] as const) {
      const refused = await call(method, path, method === 'PATCH' ? change(3) : undefined, 'unquoted');
      expect(refused).toMatchObject({ status: 400, body: { issues: [{ path: 'If-Match' }] } });
    }
    expect((await call('PATCH', path, change(4), '*')).status).toBe(200);
    const { headers } = await call(
      'PATCH',
      path,
      change(5),
      `"other", ${String((await call('GET', path)).headers.etag)}`,
    );
    expect((await call('DELETE', path, undefined, headers.etag as string)).status).toBe(200);
    expect((await call('PATCH', path, change(6), '*')).status).toBe(404);
  });

  test('of many changes at once with the same version one goes through', async () => {
    const { path, etag } = await make();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        call(n === 9 ? 'DELETE' : 'PATCH', path, n === 9 ? undefined : change(n), etag),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    for (const status of statuses) expect([200, 404, 409]).toContain(status);
  });

  test('a PATCH that changes nothing keeps the version', async () => {
    const { path, etag } = await make();
    const { body: shown } = await call('GET', path);
    for (const sent of [{}, shown]) {
      const again = await call('PATCH', path, sent);
      expect(again).toMatchObject({ status: 200, headers: { etag }, body: { updatedAt: shown.updatedAt } });
    }
    const { headers } = await call('PATCH', path, change(1));
    expect((await call('PATCH', path, change(1))).headers.etag).toBe(headers.etag);
  });
});

test('a replayed answer bears the version that it showed, and pages of other origins may read it', async () => {
  const headers = { 'idempotency-key': 'versions', origin: 'https://app.example' };
  const make = () => api.call('POST', '/short-link', { destination: link() }, { headers });
  const first = await make();
  expect(first.headers['access-control-expose-headers']).toContain('etag');
  const again = await make();
  expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true', etag: first.headers.etag });
});

describe('a PATCH of a short link', () => {
  const events = async (id: string): Promise<{ link: object; previous?: object }[]> => {
    const { rows } = await api.db.query<{ body: string }>(
      `select body from events where link_id = $1 and type = 'link.updated' order by created_at, id`,
      [id],
    );
    return rows.map(({ body }) => JSON.parse(body).data);
  };

  test('a PATCH of unchanged values sends no event', async () => {
    const imageId = await createFile(api.db, api.organization.id, 'qr-code');
    const { body } = await call('POST', '/short-link', {
      destination: { ...link(), enableDeepLinking: true, iosDeepLink: 'app://x' },
      rules: [{ priority: 1, osTypes: ['ios'], languages: ['de'], destination: link('https://example.com/de') }],
      tags: ['b', 'a'],
      qrCode: { options: { width: 300, margin: 2 }, imageId },
      metaTags: { title: 'A' },
      expiresAt: '2099-01-01T00:00:00Z',
      expiredUrl: 'https://example.org/',
      password: 'secret',
      utmSource: 'x',
      maxClicks: 3,
      title: 'T',
      externalId: 'noop',
    });
    const rules = [{ priority: 1, osTypes: ['ios'], languages: ['de'], destination: link('https://example.com/de') }];
    const sent = [
      { title: 'T', tags: ['b', 'a'], rules, expiresAt: '2099-01-01T01:00:00+01:00' },
      { slug: body.slug, domain: 'localhost', folderId: body.folderId, isActive: true },
      body,
    ];
    for (const patch of sent) expect((await call('PATCH', `/short-link/${body.id}`, patch)).body).toEqual(body);
    const upsert = { externalId: 'noop', destination: body.destination };
    expect((await call('PUT', '/short-link/upsert', upsert)).body).toEqual(body);
    const bulk = await call('PATCH', '/short-link/bulk', { links: [{ id: body.id, title: 'T' }] });
    expect(bulk.body.results[0].data).toEqual(body);
    expect(await events(body.id)).toEqual([]);
  });

  test('a PATCH sends the changed fields with their earlier values, and never a password', async () => {
    const { body } = await call('POST', '/short-link', { destination: link(), slug: 'before', tags: ['a'] });
    const path = `/short-link/${body.id}`;
    const { body: changed } = await call('PATCH', path, {
      slug: 'after',
      title: 'New',
      isActive: true,
      tags: ['a', 'b'],
      destination: link('https://example.com/new'),
    });
    await call('PATCH', path, { password: 'first secret' });
    await call('PATCH', path, { password: 'second secret', expiresAt: '2099-01-01T00:00:00Z' });
    await call('PATCH', path, { password: null, rules: [{ priority: 0, countries: ['DE'], destination: link() }] });
    await call('PATCH', path, { rules: null });
    const sent = await events(body.id);
    expect(sent.map(({ previous }) => previous)).toEqual([
      {
        shortUrl: 'http://localhost:3001/before',
        slug: 'before',
        title: null,
        tags: ['a'],
        destination: { ...link(), enableDeepLinking: false, iosDeepLink: null, androidDeepLink: null },
      },
      { hasPassword: false },
      { hasPassword: true, expiresAt: null },
      { hasPassword: true, rules: [] },
      { rules: [expect.objectContaining({ priority: 0, countries: ['DE'], languages: null })] },
    ]);
    expect(sent[0]!.link).toEqual({
      id: body.id,
      slug: 'after',
      shortUrl: 'http://localhost:3001/after',
      destination: link('https://example.com/new'),
      updatedAt: changed.updatedAt,
    });
    expect(JSON.stringify(sent)).not.toContain('secret');
  });

  test('an upsert with If-Match changes a link only while the version holds, and makes none', async () => {
    const body = { externalId: 'versioned', destination: link() };
    expect(await call('PUT', '/short-link/upsert', body, '*')).toMatchObject(conflict);
    const { headers } = await call('PUT', '/short-link/upsert', body);
    const etag = headers.etag as string;
    expect((await call('PUT', '/short-link/upsert', { ...body, title: 'A' }, etag)).status).toBe(200);
    expect(await call('PUT', '/short-link/upsert', { ...body, title: 'B' }, etag)).toMatchObject(conflict);
  });
});
