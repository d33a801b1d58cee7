// @module-tag slow

import { beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, useOwnTestApi } from '#test/support/api.ts';
import { createSignedIn } from '#test/support/people.ts';
import { createPictures } from '#test/support/pictures.ts';
import { rawRequest, readHead, sendRaw } from '#test/support/raw-http.ts';
import { upload } from '#test/support/upload.ts';

let address: string;
let linkId: string;
let fileUrl: string;
let cookie: string;
const api = useOwnTestApi({ baseUrl: 'https://api.waymark.example', corsOrigins: ['https://app.example'] });
beforeAll(async () => {
  address = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const link = await api.call('POST', '/short-link', { destination: { type: 'link', value: 'https://example.com' } });
  linkId = link.body.id;
  const { png } = await createPictures();
  fileUrl = new URL((await upload(api, 'meta-tag', [{ content: png }])).body.url).pathname;
  const admin = await createSignedIn(api.db, api.organization.id, 'admin');
  await api.db.query('update users set is_staff = true where id = $1', [admin.id]);
  cookie = admin.headers.cookie.replace('waymark=', '__Host-waymark=');
});

const request = (method: string, path: string, headers: Record<string, string> = {}, body = ''): string =>
  rawRequest(method, path, { host: 'api.waymark.example', ...headers }, { body });
const withKey = (): Record<string, string> => ({ 'x-api-key': api.organization.key });

const private_ = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
const page = {
  'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'"),
  'cross-origin-resource-policy': 'same-origin',
};
const document = { ...private_, 'cache-control': 'no-cache' };

describe('headers of every kind of answer', () => {
  it.each<[what: string, status: number, ask: () => string, expected: Record<string, unknown>]>([
    ['a resource', 200, () => request('GET', `/short-link/${linkId}`, withKey()), private_],
    ['a list', 200, () => request('GET', '/short-link/list', withKey()), private_],
    ['HEAD', 200, () => request('HEAD', '/short-link/list', withKey()), private_],
    ['a create', 201, () => request('POST', '/tag', withKey(), '{"name":"headers"}'), private_],
    ['an export', 200, () => request('GET', '/short-link/export', withKey()), private_],
    ['a failed validation', 400, () => request('GET', '/short-link/list?limit=x', withKey()), private_],
    ['no key', 401, () => request('GET', '/short-link/list'), private_],
    ['a key under /auth/', 403, () => request('GET', '/auth/session', withKey()), private_],
    ['an unknown path', 404, () => request('GET', '/nothing', withKey()), private_],
    [
      'a sign-in that fails',
      401,
      () => request('POST', '/auth/login', {}, '{"email":"a@b.co","password":"wrong one"}'),
      private_,
    ],
    ['a session', 200, () => request('GET', '/auth/session', { cookie }), private_],
    ['internal tools', 200, () => request('GET', '/trpc/system.health', { cookie }), private_],
    ['internal tools that refuse', 401, () => request('GET', '/trpc/system.health'), private_],
    ['health', 200, () => request('GET', '/healthz'), private_],
    ['readiness', 200, () => request('GET', '/readyz'), private_],
    [
      'a preflight',
      200,
      () => request('OPTIONS', '/tag', { origin: 'https://app.example', 'access-control-request-method': 'POST' }),
      private_,
    ],
    ['a path that is no UTF-8', 400, () => request('GET', '/tag/%E0%A4%A'), private_],
    ['no HTTP', 400, () => 'HELLO\r\n\r\n', private_],
    [
      'security.txt',
      200,
      () => request('GET', '/.well-known/security.txt'),
      { 'cache-control': 'public, max-age=86400' },
    ],
    ['/doc', 200, () => request('GET', '/doc'), document],
    ['/ui', 200, () => request('GET', '/ui/'), page],
    ['a script of /ui', 200, () => request('GET', '/ui/start.js'), page],
    ['the program of /ui', 200, () => request('GET', '/ui/scalar.js'), page],
    ['the description in YAML', 200, () => request('GET', '/ui/yaml'), { 'cache-control': 'no-cache' }],
    [
      'an uploaded file',
      200,
      () => request('GET', fileUrl),
      {
        'content-security-policy': expect.stringContaining('sandbox'),
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
      },
    ],
    ['an unknown file', 404, () => request('GET', `/files/public/${'0'.repeat(32)}`), { 'cache-control': 'no-store' }],
    ['a QR code', 200, () => request('GET', `/short-link/${linkId}/qr-code?format=svg`, withKey()), {}],
  ])('%s is %i', async (_what, status, ask, expected) => {
    const answer = readHead(await sendRaw(address, ask()));
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': 'max-age=31536000',
      'cache-control': expect.any(String),
      'x-request-id': expect.any(String),
      ...expected,
    });
    for (const name of ['server', 'x-powered-by', 'via']) expect(answer.headers).not.toHaveProperty(name);
  });

  it('strict-transport-security is sent only where the API is reached by https', async () => {
    await using plain = await createTestApi({ besides: api });
    expect((await plain.call('GET', '/healthz')).headers).not.toHaveProperty('strict-transport-security');
  });
});

describe('GET /.well-known/security.txt', () => {
  it('names contacts and a day within a year, in the future', async () => {
    await using other = await createTestApi({
      besides: api,
      securityContacts: ['mailto:security@example.com', 'https://example.com/report'],
      clock: () => new Date('2026-05-04T12:34:56.789Z'),
    });
    const { body, headers } = await other.app.inject('/.well-known/security.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body).toBe(
      'Contact: mailto:security@example.com\nContact: https://example.com/report\nExpires: 2026-10-31T00:00:00.000Z\n',
    );
  });
});
