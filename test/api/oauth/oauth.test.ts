import { beforeAll, describe, expect, it } from 'vitest';
import { connectApp as connectByCommand } from '#commands/accounts/connected-apps.ts';
import { ConnectedApp } from '#db/entities/accounts/connected-apps.ts';
import { removeProvider } from '#db/organizations/oidc.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import {
  authorizationOf,
  bindToProvider,
  createAppUser,
  createTestApp,
  createTestBrowser,
  nextMachine,
  redirectUri,
  registerClient,
  type TestApp,
} from '#test/support/oauth.ts';
import { connectMcp } from '#test/support/mcp.ts';
import { createRest } from '#api/mcp/rest.ts';
import { hashRecordId } from '#db/accounts/oauth-records.ts';
import { createSignedIn, joinOrganization, testOrigin } from '#test/support/people.ts';

const api = useOwnTestApi({ trustedProxies: ['127.0.0.1'] });
let address: string;
beforeAll(async () => {
  address = await api.app.listen({ host: '127.0.0.1', port: 0 });
});

const resource = `${testOrigin}/mcp`;
const form = { 'content-type': 'application/x-www-form-urlencoded' };

const createUser = (role?: 'owner' | 'member') => createAppUser(api, address, role);
type TestUser = Awaited<ReturnType<typeof createUser>>;

/** An app that the person has connected. */
async function connectApp({ browser, organization }: TestUser, name?: string): Promise<TestApp> {
  const app = createTestApp(address, name);
  expect(await app.connect()).toBe(false);
  await app.finish(await browser.allow(app.authorizationUrl!, organization.id));
  expect(await app.connect()).toBe(true);
  return app;
}

const useTool = async ({ client }: TestApp, name = 'get_account', args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args });

async function postForm(path: string, fields: Record<string, string>) {
  const payload = new URLSearchParams(fields).toString();
  const answer = await api.app.inject({
    method: 'POST',
    url: path,
    headers: form,
    payload,
    remoteAddress: nextMachine(),
  });
  return { status: answer.statusCode, body: answer.json() };
}

const refresh = ({ tokens, information }: TestApp, refreshToken = tokens!.refresh_token!) =>
  postForm('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: information!.client_id,
    resource,
  });

const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** The status of a call of `/mcp` by a token or key. */
async function statusBy(token: string, payload: object = message): Promise<number> {
  const { statusCode } = await api.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
    payload,
  });
  return statusCode;
}

const register = (body: object) => registerClient(api, body);

describe('an app without a key', () => {
  it('registers, is let in by a person, and acts for them in one organization', async () => {
    const user = await createUser();
    const app = createTestApp(address);
    expect(await app.connect()).toBe(false);
    const page = await user.browser.follow(app.authorizationUrl!.href);
    expect(page).toContain('/console/connect?request=');
    const shown = await (await user.browser.read(page)).json();
    expect(shown).toEqual({ name: 'Claude Desktop', clientHost: null, redirectHost: '127.0.0.1:4711' });

    await app.finish(await user.browser.allow(app.authorizationUrl!, user.organization.id));
    expect(await app.connect()).toBe(true);
    const made = await useTool(app, 'create_link', { destination: 'https://example.com/', slug: 'by-app' });
    expect(made.isError).not.toBe(true);
    const { data } = (await user.call('GET', '/activity?limit=1')).body;
    expect(data[0]).toMatchObject({
      subject: { name: 'by-app' },
      by: { type: 'member', userId: user.person.id, name: 'Ada', client: 'Claude Desktop' },
    });
    const audit = (await user.call('GET', '/organization/audit?limit=1')).body.data;
    expect(audit).toMatchObject([{ action: 'app.connected', by: { userId: user.person.id } }]);
  });

  it('renews its token by itself once it has ended, also where calls come at once', async () => {
    const user = await createUser();
    const app = await connectApp(user);
    for (const calls of [1, 3]) {
      const before = app.tokens!;
      const ended = await api.db.query(
        `update oauth_records set expires_at = now() - interval '1 second' where kind = 'AccessToken' and id_hash = $1`,
        [hashRecordId(before.access_token)],
      );
      expect(ended.rowCount).toBe(1);
      const answers = await Promise.all(Array.from({ length: calls }, () => useTool(app)));
      for (const answer of answers) expect(answer.isError).not.toBe(true);
      expect(app.tokens!.access_token).not.toBe(before.access_token);
    }
    expect((await user.call('GET', '/auth/apps')).body.data).toHaveLength(1);
  });

  it('is told by a 401 where to sign in', async () => {
    const { statusCode, headers } = await api.app.inject({ method: 'POST', url: '/mcp', payload: {} });
    expect(statusCode).toBe(401);
    expect(headers['www-authenticate']).toContain(
      `resource_metadata="${testOrigin}/.well-known/oauth-protected-resource/mcp"`,
    );
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])
      expect((await api.app.inject(path)).json()).toMatchObject({ resource, authorization_servers: [testOrigin] });
    expect((await api.app.inject('/.well-known/oauth-authorization-server')).json()).toMatchObject({
      issuer: testOrigin,
      code_challenge_methods_supported: ['S256'],
    });
  });

  it('has one token by a code; a second use of the code ends the app', async () => {
    const user = await createUser();
    const app = createTestApp(address);
    expect(await app.connect()).toBe(false);
    const callback = await user.browser.allow(app.authorizationUrl!, user.organization.id);
    await app.finish(callback);
    const { access_token: token } = app.tokens!;
    expect(await statusBy(token)).toBe(200);
    await expect(app.finish(callback)).rejects.toThrow('grant request is invalid');
    expect(await statusBy(token)).toBe(401);
    expect((await user.call('GET', '/auth/apps')).body.data).toEqual([]);
  });

  it.each([undefined, 'openid', 'offline_access'])('gets the one scope, whatever it asks for: %s', async (scope) => {
    const user = await createUser();
    const { body } = await register({ redirect_uris: [redirectUri] });
    const callback = await user.browser.allow(
      new URL(authorizationOf(body.client_id, { scope })),
      user.organization.id,
    );
    expect(new URL(callback).searchParams.has('code')).toBe(true);
  });

  it('learns which field of its registration is refused', async () => {
    const refused = await register({ client_name: 1, redirect_uris: [redirectUri] });
    expect(refused).toMatchObject({
      status: 400,
      body: { error_description: expect.stringContaining('client_name: ') },
    });
    const long = await register({ redirect_uris: [`https://app.example/${'x'.repeat(500)}`] });
    expect(long.body.error_description).toContain('redirect_uris.0: ');
  });

  it('learns that the person refused', async () => {
    const { browser } = await createUser();
    const app = createTestApp(address);
    await app.connect();
    const page = await browser.follow(app.authorizationUrl!.href);
    const { returnTo } = (await (await browser.decide(page, 'refuse')).json()) as { returnTo: string };
    expect(await browser.follow(returnTo)).toMatch(/^http:\/\/127\.0\.0\.1:4711\/callback\?error=access_denied/);
  });
});

describe('a token', () => {
  it('opens nothing but the tools of MCP', async () => {
    const app = await connectApp(await createUser());
    const headers = { authorization: `Bearer ${app.tokens!.access_token}` };
    for (const url of [
      '/short-link/list',
      '/auth/session',
      '/auth/apps',
      '/organization/audit',
      '/trpc/organizations.list',
    ])
      expect((await api.app.inject({ url, headers })).statusCode).toBe(401);
  });

  it('is renewed by its refresh token, also by calls at once; a use that is later than 30 s ends the app', async () => {
    const user = await createUser();
    const app = await connectApp(user);
    const renewed = await Promise.all([refresh(app), refresh(app)]);
    for (const { status, body } of renewed) {
      expect({ status, body }).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 600 } });
      expect(await statusBy(body.access_token)).toBe(200);
    }
    await api.db.query(
      `update oauth_records set consumed_at = consumed_at - interval '30 seconds' where kind = 'RefreshToken' and id_hash = $1`,
      [hashRecordId(app.tokens!.refresh_token!)],
    );
    expect(await refresh(app)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    for (const { body } of renewed) {
      expect(await statusBy(body.access_token)).toBe(401);
      expect(await refresh(app, body.refresh_token)).toMatchObject({ status: 400 });
    }
    const audit = (await user.call('GET', '/organization/audit?limit=2')).body.data;
    expect(audit).toMatchObject([{ action: 'app.ended' }, { action: 'app.connected' }]);
  });

  it('is for no other resource', async () => {
    const { browser } = await createUser();
    const { body } = await register({ redirect_uris: [redirectUri] });
    const asked = await browser.send('GET', authorizationOf(body.client_id, { resource: 'https://other.example/mcp' }));
    expect(await asked.text()).toContain('invalid_target');
    const app = await connectApp(await createUser());
    const fields = { grant_type: 'refresh_token', refresh_token: app.tokens!.refresh_token! };
    const other = { ...fields, client_id: app.information!.client_id, resource: 'https://other.example/mcp' };
    expect(await postForm('/oauth/token', other)).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  });

  it('is not readable in the database', async () => {
    const app = await connectApp(await createUser());
    const { rows } = await api.db.query<{ row: string }>(`
      select encode(payload_sealed, 'escape') || id_hash as row from oauth_records`);
    for (const { row } of rows) {
      expect(row).not.toContain(app.tokens!.access_token);
      expect(row).not.toContain(app.tokens!.refresh_token!);
    }
  });
});

describe('an app ends', () => {
  it('at once by the hand of its person, who sees it listed', async () => {
    const user = await createUser();
    const app = await connectApp(user, 'Cursor');
    const { data } = (await user.call('GET', '/auth/apps')).body;
    expect(data).toMatchObject([{ name: 'Cursor', organization: { id: user.organization.id } }]);
    const other = await createUser();
    expect((await other.call('DELETE', `/auth/apps/${data[0].id}`)).status).toBe(404);
    expect((await user.call('DELETE', `/auth/apps/${data[0].id}`)).status).toBe(200);
    expect(await statusBy(app.tokens!.access_token)).toBe(401);
    expect(await refresh(app)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const audit = (await user.call('GET', '/organization/audit?limit=1')).body.data;
    expect(audit).toMatchObject([{ action: 'app.disconnected', details: { name: 'Cursor' } }]);
  });

  it('with the membership of its person', async () => {
    const user = await createUser();
    const member = await createSignedIn(api.db, user.organization.id, 'member');
    const app = await connectApp({ ...user, person: member, browser: createTestBrowser(address, member.headers) });
    expect((await user.call('DELETE', `/organization/members/${member.id}`)).status).toBe(200);
    expect(await statusBy(app.tokens!.access_token)).toBe(401);
    expect((await refresh(app)).status).toBe(400);
  });

  it('with a new password', async () => {
    const user = await createUser();
    const app = await connectApp(user);
    const body = { current: 'correct horse battery', next: 'another horse battery staple' };
    expect((await user.call('POST', '/auth/password', body)).status).toBe(200);
    expect(await statusBy(app.tokens!.access_token)).toBe(401);
  });

  it('with its account, and rests while its organization is suspended', async () => {
    const user = await createUser();
    const app = await connectApp(user);
    await api.db.query('update organizations set suspended_at = now() where id = $1', [user.organization.id]);
    expect(await useTool(app)).toMatchObject({ isError: true });
    await api.db.query('update organizations set suspended_at = null where id = $1', [user.organization.id]);
    expect((await useTool(app)).isError).not.toBe(true);
    await api.db.query('update users set deleted_at = now() where id = $1', [user.person.id]);
    expect(await statusBy(app.tokens!.access_token)).toBe(401);
  });
});

describe('an app', () => {
  it('acts under the name that its person saw, whatever it says later', async () => {
    const user = await createUser();
    const app = await connectApp(user, 'Seen');
    const headers = { authorization: `Bearer ${app.tokens!.access_token}` };
    const { call } = await connectMcp(address, headers, 'auto', { name: 'Forged' });
    await call('create_link', { destination: 'https://example.com/', slug: 'seen' });
    const by = { type: 'member', userId: user.person.id, client: 'Seen' };
    expect((await user.call('GET', '/activity?limit=1')).body.data[0]).toMatchObject({ by });
    const caller = { tokenHash: hashRecordId(app.tokens!.access_token), address: '127.0.0.1', client: 'Forged' };
    await createRest(api.app, caller).call('POST', '/domain', { body: { domain: 'seen.example.com' } });
    const [line] = (await user.call('GET', '/organization/audit?limit=1')).body.data;
    expect(line).toMatchObject({ action: 'domain.created', by });
  });

  it('may do what the role of its person may, and ends with another role', async () => {
    const user = await createUser();
    const member = await createSignedIn(api.db, user.organization.id, 'member');
    const app = await connectApp({ ...user, person: member, browser: createTestBrowser(address, member.headers) });
    const rest = createRest(api.app, {
      tokenHash: hashRecordId(app.tokens!.access_token),
      address: '127.0.0.1',
      client: 'X',
    });
    await expect(rest.call('GET', '/api-key/list')).rejects.toThrow('ACTION_NOT_ALLOWED');
    await expect(rest.call('GET', '/auth/apps')).rejects.toThrow('FORBIDDEN');
    expect((await user.call('PATCH', `/organization/members/${member.id}`, { role: 'admin' })).status).toBe(200);
    expect(await statusBy(app.tokens!.access_token)).toBe(401);
  });

  it('leads back to its port of the moment, as programs have another one each time', async () => {
    const user = await createUser();
    const { body } = await register({ redirect_uris: [redirectUri] });
    const moved = redirectUri.replace('4711', '4712');
    const led = await user.browser.allow(
      new URL(authorizationOf(body.client_id, { redirect_uri: moved, state: 'a state' })),
      user.organization.id,
    );
    expect(led).toContain(`${moved}?code=`);
    const { searchParams } = new URL(led);
    expect(searchParams.get('iss')).toBe(testOrigin);
    expect(searchParams.get('state')).toBe('a state');
  });

  it('of a session by an identity provider is for its organization alone', async () => {
    const user = await createUser();
    const other = await createOrganization(api.db, { plan: 'premium' });
    await joinOrganization(api.db, user.person.id, other.id, 'owner');
    await bindToProvider(api.db, user.person.id, user.organization.id);
    const { body } = await register({ redirect_uris: [redirectUri] });
    const page = await user.browser.follow(authorizationOf(body.client_id));
    const allow = async (organizationId: string) => user.browser.decide(page, 'allow', { organizationId });
    expect((await allow(other.id)).status).toBe(403);
    expect((await allow(user.organization.id)).status).toBe(200);
    expect((await allow(user.organization.id)).status).toBe(404);
    // The app ends with the provider, whatever provider comes next.
    const apps = () => api.em.fork().count(ConnectedApp, { organization: user.organization.id });
    expect(await apps()).toBe(1);
    await removeProvider(api.em.fork(), user.organization.id);
    expect(await apps()).toBe(0);
  });

  it('keeps no place for a name that looks like a proven host', async () => {
    const user = await createUser();
    const asking = createTestApp(address, 'Claude (claude.ai)');
    expect(await asking.connect()).toBe(false);
    const page = await user.browser.follow(asking.authorizationUrl!.href);
    const shown = await (await user.browser.read(page)).json();
    expect(shown).toMatchObject({ name: 'Claude claude.ai – unverified', clientHost: null });
    const app = await connectApp(user, 'Claude (claude.ai)');
    expect((await useTool(app)).isError).not.toBe(true);
    const { data } = (await user.call('GET', '/auth/apps')).body;
    expect(data[0].name).toBe('Claude claude.ai – unverified');
  });

  it('is not let in by a session that has ended meanwhile', async () => {
    const user = await createUser();
    const draft = { organizationId: user.organization.id, clientId: 'x', name: 'X', redirectHost: 'x.example' };
    const session = { id: '01890000-0000-7000-8000-000000000000', userId: user.person.id, isByProvider: false };
    const connect = api.em.transactional((em) =>
      connectByCommand(em, { ...session, organizationId: user.organization.id }, draft, new Date()),
    );
    await expect(connect).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

it.each(['initialize', 'server/discover'])('a wrong key is refused with 401 at %s', async (method) => {
  const wrong = `${api.organization.key.slice(0, -8)}aaaaaaaa`;
  expect(await statusBy(wrong, { ...message, method })).toBe(401);
  expect(await statusBy(api.organization.key, { ...message, method })).not.toBe(401);
});
