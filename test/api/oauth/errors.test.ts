import { describe, expect, it } from 'vitest';
import { createTestApi, useOwnTestApi } from '#test/support/api.ts';
import { captureLog } from '#test/support/captured-log.ts';
import { createTcpProxy } from '#test/support/tcp-proxy.ts';
import { authorizationOf, redirectUri, registerClient } from '#test/support/oauth.ts';

const captured = captureLog('api');
const api = useOwnTestApi({ logger: captured.log });

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const registration = { redirect_uris: [redirectUri] };
const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

describe('a call of OAuth that is refused', () => {
  it('over its limit is 429 in the shape of OAuth, and text for a browser', async () => {
    await using limited = await createTestApi({ besides: api, limits: { perSecond: 1, perMinute: 1_000 } });
    const call = () => limited.app.inject({ method: 'POST', url: '/oauth/register', payload: registration });
    const answers = await Promise.all([call(), call(), call()]);
    const refused = answers.find(({ statusCode }) => statusCode === 429)!;
    expect(refused.json()).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const browse = () => limited.app.inject({ url: '/oauth/authorize' });
    const pages = await Promise.all([browse(), browse(), browse()]);
    const page = pages.find(({ statusCode }) => statusCode === 429)!;
    expect(page.headers['content-type']).toContain('text/plain');
    expect(page.payload).toContain('temporarily_unavailable');
  });

  it('for too many tokens is 429 in the shape of OAuth', async () => {
    const call = () =>
      api.app.inject({ method: 'POST', url: '/oauth/token', headers: form, payload: 'client_id=none' });
    const answers = await Promise.all(Array.from({ length: 60 }, call));
    const refused = answers.find(({ statusCode }) => statusCode === 429)!;
    expect(refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect(refused.headers['retry-after']).toBe('1');
  });

  it('while the database is away is 503 in the shape of OAuth, and text for a person', async () => {
    const { body } = await registerClient(api, registration);
    await using proxy = await createTcpProxy(api.databaseUrl);
    const cutOff = { databaseUrl: proxy.url, organization: api.organization };
    await using away = await createTestApi({ besides: cutOff, logger: captured.log });
    const send = (url: string, fields: Record<string, string>) =>
      away.app.inject({ method: 'POST', url, headers: form, payload: new URLSearchParams(fields).toString() });
    const client = { client_id: body.client_id };
    proxy.cut();
    const answers = await Promise.all([
      send('/oauth/token', { grant_type: 'refresh_token', refresh_token: 'none', ...client }),
      send('/oauth/revoke', { token: 'none', ...client }),
      away.app.inject({ method: 'POST', url: '/oauth/register', payload: registration }),
    ]);
    for (const answer of answers) {
      expect(answer.statusCode).toBe(503);
      expect(answer.headers).toMatchObject({
        'retry-after': '2',
        'content-type': expect.stringContaining('application/json'),
      });
      expect(answer.json()).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) });
    }
    const page = await away.app.inject({ url: pathOf(authorizationOf(body.client_id)) });
    expect([page.statusCode, page.headers['retry-after']]).toEqual([503, '2']);
    expect(page.headers['content-type']).toContain('text/plain');
    expect(page.payload).toContain('temporarily_unavailable');
    proxy.restore();
    const restored = await send('/oauth/revoke', { token: 'none', ...client });
    expect(restored.statusCode).toBe(200);
  });

  it('as malformed is in the shape of OAuth too', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await api.app.inject({ method: 'POST', url: '/oauth/register', headers, payload: '{' });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: 'invalid_request' });
  });
});

it('what fails inside of the library is logged once, with the request id and without what was sent', async () => {
  const { body } = await registerClient(api, registration);
  await using failing = await createTestApi({ besides: api, logger: captured.log });
  await api.db.query('alter table oauth_records rename to oauth_records_away');
  const before = captured.entries().length;
  try {
    const fields = { grant_type: 'refresh_token', refresh_token: 'hush-hush-hush', client_id: body.client_id };
    const payload = new URLSearchParams(fields).toString();
    const token = await failing.app.inject({ method: 'POST', url: '/oauth/token', headers: form, payload });
    const page = await failing.app.inject({
      url: pathOf(authorizationOf(body.client_id, { state: 'hush-hush-hush' })),
    });
    for (const answer of [token, page]) {
      expect(answer.statusCode).toBe(500);
      expect(answer.payload).toContain('server_error');
      expect(answer.headers.location).toBeUndefined();
      const requestId = answer.headers['x-request-id'];
      const lines = captured.entries().slice(before);
      const failures = lines.filter((line) => line.requestId === requestId && line.msg === 'the request failed');
      expect(failures).toMatchObject([{ level: 50 }]);
    }
    expect(captured.text()).not.toContain('hush-hush-hush');
  } finally {
    await api.db.query('alter table oauth_records_away rename to oauth_records');
  }
});
