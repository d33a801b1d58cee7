import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

describe('GET /doc', () => {
  it('is OpenAPI 3.0.3 that a validator accepts, without a key', async () => {
    const { status, body } = await api.call('GET', '/doc', undefined, { headers: { 'x-api-key': undefined } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: '3.0.3', info: { version: '0.0.3' } });
    const result = await new Validator().validate(body);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
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
      'GET /readyz': '200 400 500 503',
      'DELETE /short-link/bulk': '200 400 401 403 429 500 503',
      'DELETE /short-link/{id}': '200 400 401 403 404 429 500 503',
      'GET /short-link/list': '200 400 401 403 429 500 503',
      'PATCH /short-link/bulk': '200 400 401 403 429 500 503',
      'PATCH /short-link/{id}': '200 400 401 403 404 409 429 500 503',
      'POST /short-link/bulk': '201 400 401 403 409 429 500 503',
      'PUT /short-link/upsert': '200 201 400 401 403 404 409 429 500 503',
      'POST /short-link': '201 400 401 403 404 409 429 500 503',
      'GET /short-link/{id}': '200 400 401 403 404 429 500 503',
    });
  });

  it('gives an example that the API accepts', async () => {
    const { body } = await api.call('GET', '/doc');
    const { example } = body.paths['/short-link'].post.requestBody.content['application/json'].schema;
    expect((await api.call('POST', '/short-link', example)).status).toBe(201);
  });
});

describe('GET /ui', () => {
  it('is a page under a strict policy, without a key', async () => {
    const response = await api.app.inject({ url: '/ui/' });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toContain('text/html');
    expect(response.headers['content-security-policy']).toContain("script-src 'self'");
  });
});

describe('health', () => {
  it('needs no key and names what is degraded', async () => {
    const headers = { 'x-api-key': undefined };
    expect((await api.call('GET', '/healthz', undefined, { headers })).body).toEqual({ status: 'ok' });
    expect((await api.call('GET', '/readyz', undefined, { headers })).body).toEqual({ status: 'ready', degraded: [] });
    const away = { pingDatabase: () => Promise.reject(new Error('away')), degraded: async () => [] };
    const lost = await createTestApi({ health: away });
    expect(await lost.call('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { status: 'unavailable', degraded: ['database'] },
    });
    await lost[Symbol.asyncDispose]();
    const degraded = await createTestApi({
      health: { pingDatabase: async () => {}, degraded: async () => ['temporal'] },
    });
    expect(await degraded.call('GET', '/readyz')).toMatchObject({
      status: 200,
      body: { status: 'degraded', degraded: ['temporal'] },
    });
    await degraded[Symbol.asyncDispose]();
  });
});
