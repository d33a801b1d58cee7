// @module-tag slow

import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { describeApi } from '#scripts/openapi.ts';
import { createTestApi, useOwnTestApi } from '#test/support/api.ts';

const api = useOwnTestApi();

describe('GET /doc', () => {
  it('is OpenAPI 3.0.3 that a validator accepts, without a key', async () => {
    const { status, body } = await api.call('GET', '/doc', undefined, { headers: { 'x-api-key': undefined } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: '3.0.3', info: { version: '0.0.3' } });
    const result = await new Validator().validate(body);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
  });

  it('is what npm run openapi prints, but for the address', async () => {
    const { servers, ...document } = (await api.call('GET', '/doc')).body;
    expect(servers).toEqual([{ url: 'http://localhost:3000' }]);
    expect(JSON.parse(JSON.stringify(await describeApi()))).toMatchObject(document);
  });

  it.each(['/doc', '/ui/json', '/ui/yaml', '/ui/', '/ui/start.js', '/ui/scalar.js'])(
    '%s is written once, has a tag, and is 304 for who has it',
    async (url) => {
      const first = await api.app.inject({ url });
      const { etag } = first.headers;
      expect(etag).toMatch(/^"[\w-]{27}"$/);
      for (const name of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await api.app.inject({ url, headers: { 'if-none-match': name } });
        expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
      }
      const other = await api.app.inject({ url, headers: { 'if-none-match': '"other"' } });
      expect([other.statusCode, other.body]).toEqual([200, first.body]);
    },
  );

  it('names only schemas that it uses, and allows null only where a type is named', async () => {
    const { body } = await api.call('GET', '/doc');
    const text = JSON.stringify(body);
    const unused = Object.keys(body.components.schemas).filter(
      (name) => !text.includes(`"#/components/schemas/${name}"`),
    );
    expect(unused).toEqual([]);
    expect(text).not.toContain('Default Response');
    JSON.parse(text, (_key, value: unknown) => {
      if ((value as { nullable?: unknown } | null)?.nullable === true) expect(value).toHaveProperty('type');
      return value;
    });
  });

  it('names every operation as client libraries will, and puts each under a known tag', async () => {
    const { body } = await api.call('GET', '/doc');
    const operations = Object.values<Record<string, { operationId?: string; tags?: string[] }>>(body.paths).flatMap(
      (methods) => Object.values(methods),
    );
    const names = operations.map(({ operationId = 'none' }) => operationId);
    expect(names.filter((name) => !/^[a-z]+(?:[A-Z][a-z]+)*$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['createShortLink', 'listShortLinks', 'redeliverWebhookDelivery']));
    const known = body.tags.map(({ name }: { name: string }) => name);
    for (const { tags } of operations) expect(known).toEqual(expect.arrayContaining(tags!));
  });

  it('begins with what people come for: create, list and read a short link; health comes last', async () => {
    const { body } = await api.call('GET', '/doc');
    const paths = Object.keys(body.paths);
    expect(paths.slice(0, 3)).toEqual(['/short-link', '/short-link/list', '/short-link/{id}']);
    expect(paths.slice(-3)).toEqual(['/healthz', '/readyz', '/.well-known/security.txt']);
  });

  it('names schemas by what they describe, and each once', async () => {
    const { body } = await api.call('GET', '/doc');
    const names = Object.keys(body.components.schemas);
    const wanted = ['CreateShortLink', 'UpdateShortLink', 'QrOptions', 'Gradient', 'TagRef', 'Permissions', 'ApiError'];
    expect(names).toEqual(expect.arrayContaining([...wanted, 'ShortLinkPage', 'StoredFile']));
    expect(names.filter((name) => /Input$|^(?:Error|File)$/.test(name))).toEqual([]);
  });

  it('describes the headers of calls and answers', async () => {
    const { body } = await api.call('GET', '/doc');
    const create = body.paths['/short-link'].post;
    expect(Object.keys(create.responses[201].headers)).toEqual(
      expect.arrayContaining(['ETag', 'X-Request-Id', 'X-RateLimit-Remaining', 'Idempotency-Replayed']),
    );
    expect(Object.keys(create.responses[429].headers)).toContain('Retry-After');
    expect(create.parameters).toContainEqual({ $ref: '#/components/parameters/IdempotencyKey' });
    expect(JSON.stringify(body.paths['/short-link/{id}'].patch.parameters)).toContain('If-Match');
    expect(body.paths['/healthz'].get.responses[200].headers).not.toHaveProperty('X-RateLimit-Limit');
    const { parameters } = body.paths['/short-link/list'].get;
    expect(parameters.find(({ name }: { name: string }) => name === 'withQrCodeTemplate').schema.type).toBe('boolean');
  });

  it('describes 409 where it takes an Idempotency-Key, which another body may have used', async () => {
    const { body } = await api.call('GET', '/doc');
    const operations = Object.values<object>(body.paths).flatMap((methods) => Object.values(methods));
    const repeatable = operations.filter(({ parameters }) => JSON.stringify(parameters)?.includes('IdempotencyKey'));
    expect(repeatable.length).toBeGreaterThan(15);
    expect(repeatable.filter(({ responses }) => !('409' in responses))).toEqual([]);
  });

  it('describes every route with every status it can answer', async () => {
    const { body } = await api.call('GET', '/doc');
    const described = Object.entries<Record<string, { responses: object }>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => [
        `${method.toUpperCase()} ${path}`,
        Object.keys(responses).join(' '),
      ]),
    );
    expect(Object.fromEntries(described)).toEqual({
      'GET /healthz': '200 400 500',
      'GET /readyz': '200 400 429 500 503',
      'GET /.well-known/security.txt': '200 400 500',
      'DELETE /short-link/bulk': '200 400 401 403 429 500 503',
      'DELETE /short-link/{id}': '200 400 401 403 404 409 429 500 503',
      'GET /short-link/list': '200 400 401 403 429 500 503',
      'GET /short-link/count': '200 400 401 403 429 500 503',
      'GET /short-link/counts': '200 400 401 403 429 500 503',
      'GET /short-link/lookup': '200 400 401 403 404 429 500 503',
      'PATCH /short-link/bulk': '200 400 401 403 429 500 503',
      'PATCH /short-link/{id}': '200 400 401 403 404 409 429 500 503',
      'POST /short-link/bulk': '201 400 401 403 409 429 500 503',
      'PUT /short-link/upsert': '200 201 400 401 403 404 409 429 500 503',
      'POST /short-link/check': '200 400 401 403 409 429 500 503',
      'GET /activity': '200 400 401 403 429 500 503',
      'GET /organization/oidc': '200 400 401 403 429 500 503',
      'PUT /organization/oidc': '200 400 401 403 409 429 500 503',
      'DELETE /organization/oidc': '200 400 401 403 404 429 500 503',
      'GET /auth/oidc': '200 400 401 403 429 500 503',
      'POST /auth/oidc/start': '200 400 401 403 404 429 500 503',
      'GET /auth/oidc/callback': '302 400 401 403 429 500 503',
      'GET /auth/oidc/callback/{id}': '302 400 401 403 429 500 503',
      'POST /organization/invitations': '201 400 401 403 409 429 500 503',
      'GET /organization/invitations': '200 400 401 403 429 500 503',
      'POST /organization/invitations/{id}/resend': '200 400 401 403 404 409 429 500 503',
      'DELETE /organization/invitations/{id}': '200 400 401 403 404 409 429 500 503',
      'POST /auth/organization/leave': '200 400 401 403 409 429 500 503',
      'POST /auth/invitation': '200 400 401 403 429 500 503',
      'POST /auth/invitation/accept': '200 400 401 403 409 429 500 503',
      'POST /auth/invitation/join': '200 400 401 403 429 500 503',
      'GET /auth/apps': '200 400 401 403 429 500 503',
      'DELETE /auth/apps/{id}': '200 400 401 403 404 429 500 503',
      'GET /auth/second-factors': '200 400 401 403 429 500 503',
      'POST /auth/second-factors/totp': '200 400 401 403 409 429 500 503',
      'POST /auth/second-factors/totp/confirm': '200 400 401 403 409 429 500 503',
      'DELETE /auth/second-factors/totp': '200 400 401 403 404 429 500 503',
      'POST /auth/second-factors/passkeys/options': '200 400 401 403 429 500 503',
      'POST /auth/second-factors/passkeys': '201 400 401 403 409 429 500 503',
      'PATCH /auth/second-factors/passkeys/{id}': '200 400 401 403 404 429 500 503',
      'DELETE /auth/second-factors/passkeys/{id}': '200 400 401 403 404 429 500 503',
      'POST /auth/second-factors/recovery-codes': '200 400 401 403 409 429 500 503',
      'POST /auth/confirm/passkey-options': '200 400 401 403 404 429 500 503',
      'POST /auth/confirm': '200 400 401 403 429 500 503',
      'POST /auth/login/second-factor': '200 400 401 403 429 500 503',
      'POST /auth/login/passkey-options': '200 400 401 403 429 500 503',
      'POST /auth/login/passkey': '200 400 401 403 429 500 503',
      'GET /request-log': '200 400 401 403 429 500 503',
      'GET /request-log/{id}': '200 400 401 403 404 429 500 503',
      'GET /organization/audit': '200 400 401 403 429 500 503',
      'GET /organization/audit/export': '200 400 401 403 429 500 503',
      'GET /process': '200 400 401 403 404 429 500 503',
      'GET /process/list': '200 400 401 403 429 500 503',
      'GET /link-preview': '200 400 401 403 429 500 503',
      'GET /link-preview/icon': '200 204 304 400 401 403 429 500 503',
      'POST /short-link': '201 400 401 403 404 409 429 500 503',
      'GET /short-link/{id}': '200 400 401 403 404 429 500 503',
      'GET /short-link/{id}/history': '200 400 401 403 404 429 500 503',
      'POST /short-link/{id}/duplicate': '201 400 401 403 404 409 429 500 503',
      'POST /short-link/{id}/move': '200 400 401 403 404 409 429 500 503',
      'POST /short-link/{id}/archive': '200 400 401 403 404 409 429 500 503',
      'POST /short-link/{id}/restore': '200 400 401 403 404 409 429 500 503',
      'POST /short-link/{id}/history/{changeId}/undo': '200 400 401 403 404 409 429 500 503',
      'DELETE /domain/{id}': '200 400 401 403 404 409 429 500 503',
      'DELETE /folder/{id}': '200 400 401 403 404 429 500 503',
      'DELETE /tag/{id}': '200 400 401 403 404 429 500 503',
      'DELETE /utm-template/{id}': '200 400 401 403 404 429 500 503',
      'GET /domain/all': '200 400 401 403 429 500 503',
      'GET /domain/list': '200 400 401 403 429 500 503',
      'GET /domain/{id}': '200 400 401 403 404 429 500 503',
      'GET /domain/{id}/qr-code-data': '200 400 401 403 404 429 500 503',
      'GET /folder/list': '200 400 401 403 429 500 503',
      'GET /folder/{id}': '200 400 401 403 404 429 500 503',
      'GET /tag/list': '200 400 401 403 429 500 503',
      'GET /utm-template/list': '200 400 401 403 429 500 503',
      'GET /utm-template/{id}': '200 400 401 403 404 429 500 503',
      'GET /tag/{id}': '200 400 401 403 404 429 500 503',
      'PATCH /domain/{id}': '200 400 401 403 404 409 429 500 503',
      'PATCH /folder/{id}': '200 400 401 403 404 409 429 500 503',
      'PATCH /tag/{id}': '200 400 401 403 404 409 429 500 503',
      'PATCH /utm-template/{id}': '200 400 401 403 404 409 429 500 503',
      'POST /domain': '201 400 401 403 404 409 429 500 503',
      'GET /domain/{id}/dns': '200 400 401 403 404 429 500 503',
      'POST /domain/{id}/dns-check': '200 400 401 403 404 409 429 500 503',
      'POST /folder': '201 400 401 403 404 409 429 500 503',
      'POST /tag': '201 400 401 403 404 409 429 500 503',
      'POST /utm-template': '201 400 401 403 404 409 429 500 503',
      'GET /stats/clicks': '200 400 401 403 429 500 503',
      'GET /stats/clicks-over-time': '200 400 401 403 429 500 503',
      'GET /stats/export': '200 400 401 403 429 500 503',
      'GET /stats/overview': '200 400 401 403 429 500 503',
      'GET /stats/report': '200 400 401 403 429 500 503',
      'DELETE /webhook/{id}': '200 400 401 403 404 409 429 500 503',
      'GET /events': '200 400 401 403 429 500 503',
      'GET /webhook/list': '200 400 401 403 429 500 503',
      'GET /webhook/{id}': '200 400 401 403 404 429 500 503',
      'GET /webhook/{id}/deliveries': '200 400 401 403 404 429 500 503',
      'GET /webhook/{id}/deliveries/{deliveryId}': '200 400 401 403 404 429 500 503',
      'PATCH /webhook/{id}': '200 400 401 403 404 409 429 500 503',
      'POST /webhook': '201 400 401 403 404 409 429 500 503',
      'POST /webhook/{id}/deliveries/{deliveryId}/redeliver': '200 400 401 403 404 409 429 500 503',
      'POST /webhook/{id}/recover': '200 400 401 403 404 409 429 500 503',
      'GET /webhook/{id}/outlook': '200 400 401 403 404 429 500 503',
      'POST /webhook/{id}/rotate-secret': '200 400 401 403 404 409 429 500 503',
      'POST /webhook/{id}/test': '200 400 401 403 404 409 429 500 503',
      'DELETE /api-key/{id}': '200 400 401 403 404 429 500 503',
      'DELETE /files/{id}': '200 400 401 403 404 429 500 503',
      'GET /files/list': '200 400 401 403 429 500 503',
      'GET /files/public/{urlKey}': '200 304 400 404 429 500 503',
      'GET /files/{id}': '200 400 401 403 404 429 500 503',
      'POST /files/meta-tag-image': '201 400 401 403 404 409 429 500 503',
      'POST /files/qr-code-image': '201 400 401 403 404 409 429 500 503',
      'GET /short-link/{id}/qr-code': '200 304 400 401 403 404 429 500 503',
      'GET /short-link/export': '200 400 401 403 429 500 503',
      'POST /short-link/import': '201 400 401 403 404 409 429 500 503',
      'GET /short-link/import/list': '200 400 401 403 429 500 503',
      'POST /short-link/import/{id}/cancel': '200 400 401 403 404 409 429 500 503',
      'POST /short-link/import/{id}/undo': '202 400 401 403 404 409 429 500 503',
      'GET /short-link/import/{id}': '200 400 401 403 404 429 500 503',
      'GET /short-link/import/{id}/rows': '200 400 401 403 404 429 500 503',
      'GET /api-key/list': '200 400 401 403 429 500 503',
      'GET /api-key/{id}': '200 400 401 403 404 429 500 503',
      'PATCH /api-key/{id}': '200 400 401 403 404 409 429 500 503',
      'POST /api-key/{id}/rotate': '200 400 401 403 404 409 429 500 503',
      'POST /api-key': '201 400 401 403 404 409 429 500 503',
      'GET /auth/session': '200 400 401 403 429 500 503',
      'GET /auth/organizations': '200 400 401 403 429 500 503',
      'GET /auth/sessions': '200 400 401 403 429 500 503',
      'DELETE /auth/sessions': '200 400 401 403 429 500 503',
      'DELETE /auth/sessions/{id}': '200 400 401 403 404 429 500 503',
      'PATCH /auth/user': '200 400 401 403 429 500 503',
      'GET /organization': '200 400 401 403 429 500 503',
      'PATCH /organization': '200 400 401 403 429 500 503',
      'DELETE /organization': '200 400 401 403 404 429 500 503',
      'GET /organization/deletion': '200 400 401 403 429 500 503',
      'POST /organization/transfer': '200 400 401 403 404 409 429 500 503',
      'GET /organization/members': '200 400 401 403 429 500 503',
      'DELETE /organization/members/{id}': '200 400 401 403 404 409 429 500 503',
      'PATCH /organization/members/{id}': '200 400 401 403 404 429 500 503',
      'POST /auth/login': '200 400 401 403 429 500 503',
      'POST /auth/logout': '200 400 401 403 429 500 503',
      'POST /auth/organization': '200 400 401 403 404 429 500 503',
      'POST /auth/password': '200 400 401 403 409 429 500 503',
      'POST /auth/password/forgot': '200 400 401 403 429 500 503',
      'POST /auth/password/reset': '200 400 401 403 429 500 503',
    });
  });

  it.each(['/short-link', '/folder', '/tag', '/utm-template', '/domain', '/webhook'])(
    'gives an example that POST %s accepts',
    async (path) => {
      const { body } = await api.call('GET', '/doc');
      const { $ref } = body.paths[path].post.requestBody.content['application/json'].schema;
      const { example } = body.components.schemas[$ref.split('/').at(-1)];
      expect((await api.call('POST', path, example)).status).toBe(201);
    },
  );
});

describe('GET /ui', () => {
  it('is a page under a strict policy, without a key', async () => {
    const response = await api.app.inject({ url: '/ui/' });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toContain('text/html');
    expect(response.headers['content-security-policy']).toContain("script-src 'self'");
    expect(response.headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
  });
});

describe('health', () => {
  it('/healthz and /readyz need no key, and /readyz names a database that is unreachable', async () => {
    const headers = { 'x-api-key': undefined };
    expect((await api.call('GET', '/healthz', undefined, { headers })).body).toEqual({ status: 'ok' });
    expect((await api.call('GET', '/readyz', undefined, { headers })).body).toEqual({ status: 'ready', degraded: [] });
    const away = { degraded: async () => ({ isUp: false, names: ['database'] }) };
    const lost = await createTestApi({ health: away });
    expect(await lost.call('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { status: 'unavailable', degraded: ['database'] },
    });
    await lost[Symbol.asyncDispose]();
    const degraded = await createTestApi({
      health: { degraded: async () => ({ isUp: true, names: ['temporal'] }) },
    });
    expect(await degraded.call('GET', '/readyz')).toMatchObject({
      status: 200,
      body: { status: 'degraded', degraded: ['temporal'] },
    });
    await degraded[Symbol.asyncDispose]();
  });

  it('/readyz notes optional parts that are missing, and is ready all the same', async () => {
    const notes = ['no GeoIP database'];
    const without = await createTestApi({ health: { degraded: async () => ({ isUp: true, names: [] }), notes } });
    expect(await without.call('GET', '/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ready', degraded: [], notes },
    });
    await without[Symbol.asyncDispose]();
  });
});
