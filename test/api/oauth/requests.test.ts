import { beforeAll, describe, expect, it } from 'vitest';
import { hashRecordId } from '#db/accounts/oauth-records.ts';
import { OauthRecord } from '#db/entities/accounts/connected-apps.ts';
import { createTestApi, useOwnTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { authorizationOf, createAppUser, createTestBrowser, redirectUri, registerClient } from '#test/support/oauth.ts';
import { joinOrganization, testOrigin } from '#test/support/people.ts';

const api = useOwnTestApi({ trustedProxies: ['127.0.0.1'] });
let address: string;
beforeAll(async () => {
  address = await api.app.listen({ host: '127.0.0.1', port: 0 });
});

const createUser = (role?: 'owner' | 'member') => createAppUser(api, address, role);
const register = (body: object, machine?: string) => registerClient(api, body, machine);

/** The text of a page that refuses a request of an app. */
async function readRefusal({ send }: ReturnType<typeof createTestBrowser>, url: string): Promise<string> {
  const answer = await send('GET', url);
  expect(answer.status).toBe(400);
  expect(answer.headers.get('location')).toBeNull();
  expect(answer.headers.get('content-type')).toContain('text/plain');
  return answer.text();
}

describe('a request of an app', () => {
  it('is refused without PKCE, by plain PKCE, and for another redirect', async () => {
    const { browser } = await createUser();
    const { body } = await register({ redirect_uris: [redirectUri], client_name: 'X' });
    const without = authorizationOf(body.client_id, { code_challenge: undefined, code_challenge_method: undefined });
    expect(await readRefusal(browser, without)).toContain('invalid_request');
    const plain = authorizationOf(body.client_id, { code_challenge_method: 'plain' });
    expect(await readRefusal(browser, plain)).toContain('invalid_request');
    const elsewhere = await browser.send(
      'GET',
      authorizationOf(body.client_id, { redirect_uri: 'https://evil.example/' }),
    );
    expect(elsewhere.status).toBe(400);
    expect(await elsewhere.text()).toContain('invalid_redirect_uri');
  });

  it.each([
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another response type', { response_type: 'token' }, 'invalid_request'],
    ['no question to the person', { prompt: 'none' }, 'required'],
    ['a fragment as answer', { response_mode: 'fragment' }, 'response_mode'],
    ['a form as answer', { response_mode: 'form_post' }, 'response_mode'],
    ['an answer by message', { response_mode: 'web_message' }, 'response_mode'],
  ])('with %s ends on a page of ours, and leads nowhere', async (_, fields, problem) => {
    const { browser } = await createUser();
    const { body } = await register({ redirect_uris: ['https://phishing.example/'] });
    const redirect = { redirect_uri: 'https://phishing.example/' };
    const text = await readRefusal(browser, authorizationOf(body.client_id, { ...redirect, ...fields }));
    expect(text).toContain(problem);
  });

  it('leads nowhere by the address at which one goes on, without one that was decided', async () => {
    const user = await createUser();
    const { body } = await register({ redirect_uris: [redirectUri] });
    const onward = (uid: string) => authorizationOf(body.client_id).replace('/authorize?', `/authorize/${uid}?`);
    expect(await readRefusal(user.browser, onward('none'))).toContain('invalid_request');
    const page = await user.browser.follow(authorizationOf(body.client_id));
    const undecided = await user.browser.follow(onward(new URL(page).searchParams.get('request')!));
    expect(undecided).toContain('/console/connect?request=');
  });

  it('answers by a query where it asks for that', async () => {
    const { browser } = await createUser();
    const { body } = await register({ redirect_uris: [redirectUri] });
    const page = await browser.follow(authorizationOf(body.client_id, { response_mode: 'query' }));
    expect(page).toContain('/console/connect?request=');
  });

  it.each([
    ['GET', 'request'],
    ['POST', 'allow'],
    ['POST', 'refuse'],
  ] as const)('403: an API key does not %s its %s, which is a person’s', async (method, path) => {
    const { browser, organization } = await createUser();
    const { body } = await register({ redirect_uris: [redirectUri] });
    const page = await browser.follow(authorizationOf(body.client_id));
    for (const uid of [new URL(page).searchParams.get('request'), 'any']) {
      const payload = path === 'allow' ? { organizationId: organization.id } : undefined;
      const answer = await api.call(method, `/oauth/interaction/${uid}/${path}`, payload);
      expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    }
    expect((await browser.read(page)).status).toBe(200);
  });

  it('is allowed only in the browser that began it', async () => {
    const [victim, attacker] = [await createUser(), await createUser()];
    const { body } = await register({ redirect_uris: [redirectUri] });
    const page = await attacker.browser.follow(authorizationOf(body.client_id));
    expect((await victim.browser.read(page)).status).toBe(404);
    const allowed = await victim.browser.decide(page, 'allow', { organizationId: victim.organization.id });
    expect(allowed.status).toBe(404);
  });

  it('is allowed for organizations of the person alone, on a plan that has the API', async () => {
    const user = await createUser();
    const stranger = await createUser();
    const free = await createOrganization(api.db, { plan: 'free' });
    await joinOrganization(api.db, user.person.id, free.id, 'owner');
    const { body } = await register({ redirect_uris: [redirectUri] });
    const page = await user.browser.follow(authorizationOf(body.client_id));
    const allow = async (organizationId: string) =>
      (await user.browser.decide(page, 'allow', { organizationId })).status;
    expect(await allow(stranger.organization.id)).toBe(404);
    expect(await allow(free.id)).toBe(403);
    expect(await allow(user.organization.id)).toBe(200);
  });

  it('needs a page of the console and a session', async () => {
    const user = await createUser();
    const { body } = await register({ redirect_uris: [redirectUri] });
    const page = await user.browser.follow(authorizationOf(body.client_id));
    const foreign = createTestBrowser(address, { cookie: user.person.headers.cookie, origin: 'https://evil.example' });
    expect((await foreign.decide(page, 'allow', { organizationId: user.organization.id })).status).toBe(403);
    const signedOut = createTestBrowser(address, { cookie: 'waymark=none', origin: testOrigin });
    expect((await signedOut.read(page)).status).toBe(401);
  });

  it('names a client with a metadata document by its host, and fetches the document alone', async () => {
    const clientId = 'https://client.example/app.json';
    const document = {
      client_id: clientId,
      client_name: 'Claude',
      redirect_uris: [redirectUri, 'javascript:alert(1)'],
    };
    const fetched: string[] = [];
    await using own = await createTestApi({
      besides: api,
      trustedProxies: ['127.0.0.1'],
      fetchClientDocument: async (url) => {
        fetched.push(url);
        const given = url.endsWith('/bad.json')
          ? { ...document, client_id: url }
          : { ...document, redirect_uris: [redirectUri] };
        return Response.json(given);
      },
    });
    const there = await own.app.listen({ host: '127.0.0.1', port: 0 });
    const user = await createUser();
    const browser = createTestBrowser(there, user.person.headers);
    const page = await browser.follow(authorizationOf(clientId));
    expect(await (await browser.read(page)).json()).toEqual({
      name: 'Claude (client.example)',
      clientHost: 'client.example',
      redirectHost: '127.0.0.1:4711',
    });
    expect((await browser.decide(page, 'allow', { organizationId: user.organization.id })).status).toBe(200);
    const { data } = (await user.call('GET', '/auth/apps')).body;
    expect(data).toMatchObject([{ name: 'Claude (client.example)' }]);
    expect(fetched).toEqual([clientId]);
    const bad = await browser.send('GET', authorizationOf('https://client.example/bad.json'));
    expect(bad.status).toBe(400);
  });

  it('is refused for a metadata document at a private address, or over http', async () => {
    const { browser } = await createUser();
    for (const clientId of [
      'https://10.0.0.1/client.json',
      'https://169.254.169.254/client.json',
      'http://example.com/c',
    ]) {
      const answer = await browser.send('GET', authorizationOf(clientId));
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('invalid_client');
    }
  });
});

it('requests and clients note a pseudonym of their network, an IPv4 address or an IPv6 /64, and stay as long as the app that a person lets in', async () => {
  const find = (kind: string, id: string) =>
    api.em.fork().findOneOrFail(OauthRecord, { kind, idHash: hashRecordId(id) });
  const networkOf = async (kind: string, id: string) => (await find(kind, id)).network;
  const from = async (machine: string) => (await register({ redirect_uris: [redirectUri] }, machine)).body.client_id;
  const [first, neighbour, other] = [
    await from('2001:db8::1'),
    await from('2001:db8::2'),
    await from('2001:db8:0:1::1'),
  ];
  const network = await networkOf('Client', first);
  expect(network).toMatch(/^[\w-]{43}$/);
  expect(await networkOf('Client', neighbour)).toBe(network);
  expect(await networkOf('Client', other)).not.toBe(network);

  const user = await createUser();
  const page = await user.browser.follow(authorizationOf(first));
  const uid = new URL(page).searchParams.get('request')!;
  expect(await networkOf('Interaction', uid)).toMatch(/^[\w-]{43}$/);
  const body = { organizationId: user.organization.id };
  expect((await user.browser.decide(page, 'allow', body)).status).toBe(200);
  expect(await networkOf('Client', first)).toBeNull();
  const { expiresAt } = await find('Client', first);
  expect(+expiresAt).toBeGreaterThan(Date.now() + 89 * 86_400_000);
});

describe('POST /oauth/register', () => {
  it('takes programs and web apps, and gives none a secret', async () => {
    const uris = ['cursor://auth/callback', 'https://claude.ai/api/callback', redirectUri];
    const { status, body } = await register({ redirect_uris: uris, token_endpoint_auth_method: 'client_secret_post' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ redirect_uris: uris, token_endpoint_auth_method: 'none' });
    expect(body.client_secret).toBeUndefined();
  });

  it('refuses plain http, scripts, and too much', async () => {
    const many = Array.from({ length: 11 }, (_, index) => `https://example.com/${index}`);
    for (const uris of [
      ['http://example.com/cb'],
      ['javascript:alert(1)'],
      [],
      many,
      [`https://e.com/${'x'.repeat(600)}`],
    ])
      expect(await register({ redirect_uris: uris })).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/^invalid_/) },
      });
  });
});
