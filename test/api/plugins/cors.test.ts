import { describe, expect, it } from 'vitest';
import { createTestApi, useOwnTestApi } from '#test/support/api.ts';

const origin = 'https://app.example.com';
const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' };

const api = useOwnTestApi({ corsOrigins: [origin] });

describe('CORS_ORIGINS', () => {
  it('CORS_ORIGINS lets pages of its origins call with a key and read the headers of answers', async () => {
    for (const url of ['/tag/list', '/tag/nonsense', '/nowhere']) {
      const { headers } = await api.call('GET', url, undefined, { headers: { origin } });
      expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
      expect(headers['access-control-expose-headers']).toContain('x-ratelimit-remaining');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  it('a preflight is answered without a key and is not counted', async () => {
    const { statusCode, headers, payload } = await api.app.inject({
      method: 'OPTIONS',
      url: '/tag',
      headers: { origin, ...preflight },
    });
    expect({ statusCode, payload }).toEqual({ statusCode: 200, payload: '' });
    expect(headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': expect.stringContaining('x-api-key'),
      'x-request-id': expect.any(String),
    });
    expect(headers['x-ratelimit-limit']).toBeUndefined();
  });

  it('pages of other origins may read files and nothing else', async () => {
    const headers = { origin: 'https://app.example.com.evil.example' };
    expect((await api.call('GET', '/tag/list', undefined, { headers })).headers).not.toHaveProperty(
      'access-control-allow-origin',
    );
    const asked = await api.app.inject({ method: 'OPTIONS', url: '/tag', headers: { ...headers, ...preflight } });
    expect(asked.statusCode).toBe(404);
    const file = await api.call('GET', `/files/public/${'0'.repeat(32)}`, undefined, { headers: { origin } });
    expect(file.headers['access-control-allow-origin']).toBe('*');
  });

  it('an OPTIONS call that is no preflight is answered 404', async () => {
    const { statusCode, payload } = await api.app.inject({ method: 'OPTIONS', url: '/tag', headers: { origin } });
    expect({ statusCode, body: JSON.parse(payload) as unknown }).toMatchObject({
      statusCode: 404,
      body: { code: 'NOT_FOUND' },
    });
  });

  it('without CORS_ORIGINS no answer has a CORS header', async () => {
    await using plain = await createTestApi({ besides: api });
    const { headers } = await plain.call('GET', '/tag/list', undefined, { headers: { origin } });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});
