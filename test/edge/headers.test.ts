import { hash } from '@node-rs/argon2';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDomain } from '#test/support/factories.ts';
import { browser, createTestEdge, useTestEdge } from '#test/support/edge.ts';
import { rawRequest, readHead, sendRaw } from '#test/support/raw-http.ts';

const day = Date.UTC(2026, 4, 4, 12);
const password = 'open sesame';
let platform: { domain: string };
let fallingBack: { domain: string };
let slugs: Record<'plain' | 'guarded' | 'expired' | 'cloaked' | 'app' | 'told', string>;
const edge = useTestEdge({
  isHttps: true,
  now: () => day,
  securityContacts: ['mailto:security@example.com', 'https://example.com/report'],
});
beforeAll(async () => {
  platform = await createDomain(edge.db, null);
  fallingBack = await createDomain(edge.db, edge.organization.id, { fallbackUrl: 'https://fallback.example/' });
  await edge.db.query(`update domains set apple_app_site_association = '{"applinks":{}}' where id = $1`, [
    edge.domain.id,
  ]);
  const passwordHash = await hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 });
  const made = {
    plain: await edge.link(),
    guarded: await edge.link({ passwordHash }),
    expired: await edge.link({ expiresAt: new Date(0) }),
    cloaked: await edge.link({ cloaking: true }),
    app: await edge.link({ destination: { value: 'https://example.com', iosDeepLink: 'app://x' } }),
    told: await edge.link({ metaTags: { title: 'T' } }),
  };
  slugs = Object.fromEntries(Object.entries(made).map(([name, { slug }]) => [name, slug])) as typeof slugs;
});

const request = (
  path: string,
  { method = 'GET', agent = browser, host = edge.domain.domain, body = '', headers = {} } = {},
): string => {
  const type = 'application/x-www-form-urlencoded';
  return rawRequest(method, path, { host, 'user-agent': agent, ...headers }, { body, type });
};

const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Safari/604.1';
const kept = { 'x-content-type-options': 'nosniff' };
const redirect = { 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' };
const open = { ...redirect, 'access-control-allow-origin': '*' };
const page = {
  ...redirect,
  ...kept,
  'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/),
  'referrer-policy': 'no-referrer',
};
const leading = { ...page, 'referrer-policy': 'strict-origin-when-cross-origin' };

describe('headers of every kind of answer', () => {
  test.each<[what: string, status: number, ask: () => string, expected: Record<string, unknown>]>([
    ['a redirect', 302, () => request(`/${slugs.plain}`), open],
    ['a redirect for HEAD', 302, () => request(`/${slugs.plain}`, { method: 'HEAD' }), open],
    ['a redirect elsewhere', 302, () => request('/unknown', { host: fallingBack.domain }), open],
    [
      'a preflight',
      204,
      () => request(`/${slugs.plain}`, { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } }),
      {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': '*, authorization',
      },
    ],
    ['OPTIONS that is no preflight', 405, () => request(`/${slugs.plain}`, { method: 'OPTIONS' }), page],
    ['a prefetch', 503, () => request(`/${slugs.plain}`, { headers: { 'sec-purpose': 'prefetch' } }), page],
    ['the bare domain', 200, () => request('/'), page],
    ['an unknown link', 404, () => request('/unknown'), page],
    ['an unknown host', 404, () => request('/', { host: 'other.example' }), page],
    ['a link that has expired', 410, () => request(`/${slugs.expired}`), page],
    ['a question for a password', 200, () => request(`/${slugs.guarded}`), page],
    ['a wrong password', 401, () => request(`/${slugs.guarded}`, { method: 'POST', body: 'password=x' }), page],
    [
      'a right password',
      303,
      () => request(`/${slugs.guarded}`, { method: 'POST', body: `password=${encodeURIComponent(password)}` }),
      { ...redirect, ...kept, 'set-cookie': expect.stringMatching(/; HttpOnly; SameSite=Lax; Secure$/) },
    ],
    ['a cloaked link', 200, () => request(`/${slugs.cloaked}`), leading],
    ['a deep link', 200, () => request(`/${slugs.app}`, { agent: iphone }), leading],
    ['a preview', 200, () => request(`/${slugs.told}`, { agent: 'WhatsApp/2.23.20.0 A' }), page],
    ['another method', 405, () => request(`/${slugs.plain}`, { method: 'DELETE' }), page],
    ['a tunnel', 405, () => request('other.example:443', { method: 'CONNECT' }), page],
    ['no HTTP', 400, () => 'HELLO\r\n\r\n', page],
    ['headers that are too large', 431, () => request('/', { agent: 'a'.repeat(20_000) }), page],
    [
      'a document for apps',
      200,
      () => request('/.well-known/apple-app-site-association'),
      { ...kept, 'cache-control': 'no-cache' },
    ],
    ['robots.txt', 200, () => request('/robots.txt'), kept],
    ['the icon', 200, () => request('/favicon.ico'), kept],
    [
      'security.txt',
      200,
      () => request('/.well-known/security.txt'),
      { ...kept, 'cache-control': 'public, max-age=86400' },
    ],
    ['health', 200, () => request('/.well-known/waymark/healthz'), { ...kept, 'cache-control': 'no-store' }],
    ['readiness', 200, () => request('/.well-known/waymark/readyz'), { ...kept, 'cache-control': 'no-store' }],
    [
      'a question for a certificate',
      404,
      () => request('/.well-known/waymark/tls-allowed?domain=other.example'),
      { ...kept, 'cache-control': 'no-store' },
    ],
  ])('%s is %i', async (_what, status, ask, expected) => {
    const answer = readHead(await sendRaw(edge.address, ask()));
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({ 'strict-transport-security': 'max-age=31536000', ...expected });
    for (const name of ['server', 'x-powered-by', 'via']) expect(answer.headers).not.toHaveProperty(name);
  });

  test('speak of https only where visitors come by it', async () => {
    await using plain = await createTestEdge();
    const { slug } = await plain.link();
    for (const path of [`/${slug}`, '/unknown', '/robots.txt', '/.well-known/waymark/healthz'])
      expect((await plain.visit(path)).headers).not.toHaveProperty('strict-transport-security');
  });
});

describe('security.txt (RFC 9116)', () => {
  test('is there on every host that is served, on no other, and not at the root', async () => {
    for (const host of [edge.domain.domain, platform.domain]) {
      const answer = await edge.visit('/.well-known/security.txt', { host });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(answer.body).toBe(
        'Contact: mailto:security@example.com\nContact: https://example.com/report\nExpires: 2026-10-31T00:00:00.000Z\n',
      );
    }
    const ask = (path: string, visit = {}) => edge.visit(path, visit).then(({ status }) => status);
    expect(await ask('/.well-known/security.txt', { method: 'HEAD' })).toBe(200);
    expect(await ask('/.well-known/security.txt', { method: 'POST' })).toBe(405);
    expect(await ask('/.well-known/security.txt', { host: 'other.example' })).toBe(404);
    expect(await ask('/security.txt')).toBe(404);
  });
});
