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
