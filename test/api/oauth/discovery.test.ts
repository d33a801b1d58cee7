import { beforeAll, describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createTestApp, redirectUri } from '#test/support/oauth.ts';
import { createSignedIn } from '#test/support/people.ts';

const baseUrl = 'https://host.example/waymark';
const api = useOwnTestApi({ baseUrl });
let address: string;
beforeAll(async () => {
  address = await api.app.listen({ host: '127.0.0.1', port: 0 });
});

describe('an API below a path', () => {
  it.each([
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/waymark',
    '/.well-known/openid-configuration',
    '/.well-known/openid-configuration/waymark',
  ])('describes its server at %s', async (url) => {
    const endpoint = { issuer: baseUrl, token_endpoint: `${baseUrl}/oauth/token` };
    expect((await api.app.inject(url)).json()).toMatchObject(endpoint);
  });

  it('describes its resource for both ways to ask', async () => {
    for (const url of ['/mcp', '/waymark/mcp', '/waymark', ''])
      expect((await api.app.inject(`/.well-known/oauth-protected-resource${url}`)).json()).toMatchObject({
        resource: `${baseUrl}/mcp`,
        authorization_servers: [baseUrl],
      });
  });

  it.each([true, false])('is found by the official client, where the proxy hands the root on: %s', async (hasRoot) => {
    // A proxy that takes the path away.
    const proxy = async (url: string, init?: RequestInit): Promise<Response> => {
      const { pathname, search } = new URL(url);
      const isBelow = pathname.startsWith('/waymark/');
      if (!isBelow && !hasRoot) return new Response(null, { status: 404 });
      return fetch(`${address}${isBelow ? pathname.slice('/waymark'.length) : pathname}${search}`, init);
    };
    const app = createTestApp(address, 'Claude', {
      origin: 'https://host.example',
      path: '/waymark',
      fetchIt: proxy,
    });
    expect(await app.connect()).toBe(false);
    expect(app.authorizationUrl?.href).toMatch(/^https:\/\/host\.example\/waymark\/oauth\/authorize\?/);
  });
});

describe('a page of any origin', () => {
  const origin = 'https://inspector.example';
  const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };

  it.each(['/mcp', '/oauth/token', '/oauth/register', '/oauth/revoke', '/.well-known/oauth-authorization-server'])(
    'may call %s, without cookies',
    async (url) => {
      const { statusCode, headers } = await api.app.inject({ method: 'OPTIONS', url, headers: asked });
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({ 'access-control-allow-origin': '*' });
      for (const name of ['authorization', 'mcp-protocol-version', 'mcp-session-id', 'mcp-method'])
        expect(headers['access-control-allow-headers']).toContain(name);
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    },
  );

  it('reads where to sign in from a 401, which the cookie of a session does not open', async () => {
    const person = await createSignedIn(api.db, api.organization.id, 'owner');
    const sent = { cookie: person.headers.cookie, origin };
    const answer = await api.app.inject({ method: 'POST', url: '/mcp', headers: sent, payload: {} });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(answer.headers['access-control-expose-headers']).toContain('www-authenticate');
    expect(answer.headers['access-control-expose-headers']).toContain('mcp-session-id');
  });

  it('registers and asks for tokens, and reads refusals', async () => {
    const payload = { redirect_uris: [redirectUri] };
    const made = await api.app.inject({ method: 'POST', url: '/oauth/register', headers: { origin }, payload });
    expect(made.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    const fields = { grant_type: 'refresh_token', refresh_token: 'none', client_id: made.json().client_id };
    const token = await api.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    });
    expect(token.json()).toMatchObject({ error: 'invalid_grant' });
    expect(token.headers).toMatchObject({ 'access-control-allow-origin': '*' });
  });

  it.each(['/oauth/authorize', '/oauth/interaction/x/allow', '/auth/session', '/short-link/list'])(
    'may not call %s',
    async (url) => {
      const { statusCode, headers } = await api.app.inject({ method: 'OPTIONS', url, headers: asked });
      expect(statusCode).toBe(404);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    },
  );
});
