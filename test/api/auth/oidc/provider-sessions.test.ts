// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { createOrganization } from '#test/support/factories.ts';
import { useOidcApi } from '#test/support/oidc-api.ts';
import { type OpenapiDocument, readDocument } from '#test/support/openapi.ts';
import { createPerson, createUserKey, openTestSession, testPassword } from '#test/support/people.ts';

const oidc = useOidcApi();
const { api, base, createWithProvider, installationOidc, organizationOidc, publicHeaders, signIn, unique, whoIs } =
  oidc;

describe('sessions by the provider of an organization', () => {
  it('a session counts in its organization alone, and changes nothing of the person', async () => {
    const { organization, domain, put } = await createWithProvider();
    await put();
    const elsewhere = await createOrganization(api.db);
    const person = await createPerson(api.db, { [elsewhere.id]: 'owner' }, { email: `victim@${domain.domain}` });
    await api.db.query('update users set is_staff = true where id = $1', [person.id]);
    organizationOidc.person = { id: `sub-${unique()}`, email: person.email };
    const { session } = await signIn({ email: person.email });
    const headers = { ...publicHeaders, cookie: session };
    const call = (method: 'DELETE' | 'GET' | 'PATCH' | 'POST', url: string, body?: object) =>
      api.call(method, url, body, { headers });
    expect(await whoIs(session)).toMatchObject({ organization: { id: organization.id, role: 'member' } });
    const refused = { status: 403, body: { code: 'FORBIDDEN' } };
    expect(await call('POST', '/auth/organization', { id: elsewhere.id })).toMatchObject(refused);
    expect(await call('POST', '/auth/second-factors/totp')).toMatchObject(refused);
    expect(await call('DELETE', '/auth/second-factors/totp')).toMatchObject(refused);
    expect(await call('PATCH', '/auth/user', { name: 'Mallory' })).toMatchObject(refused);
    expect(await call('DELETE', '/auth/sessions')).toMatchObject(refused);
    expect(await call('GET', '/trpc/organizations.list')).toMatchObject({ status: 403 });
    // It ends where the membership does, and moves nowhere.
    expect((await call('POST', '/auth/organization/leave')).status).toBe(200);
    expect((await call('GET', '/auth/session')).status).toBe(401);
  });

  it('a session by an organization’s provider may end and confirm itself, and make no other change under /auth/', async () => {
    const { domain, put } = await createWithProvider();
    await put();
    const email = `bound@${domain.domain}`;
    organizationOidc.person = { id: `sub-${unique()}`, email };
    const { session } = await signIn({ email });
    const allowed: string[] = [];
    const { paths } = (await readDocument(api)) as OpenapiDocument;
    for (const [path, operations] of Object.entries(paths)) {
      if (!path.startsWith('/auth/')) continue;
      for (const [method, { security }] of Object.entries(operations)) {
        if (method === 'get' || security?.some((one) => 'session' in one) !== true) continue;
        const url = path.replaceAll(/\{\w+\}/g, uuidv7());
        // Of bodies that are wrong the answer would be 400: who may call is checked before.
        const answer = await api.call(
          method.toUpperCase() as 'POST',
          url,
          { surplus: true },
          {
            headers: { ...publicHeaders, cookie: session },
          },
        );
        if (answer.status !== 403) allowed.push(`${method} ${path}`);
      }
    }
    // An app of its organization, of which this person has none.
    expect(allowed.toSorted()).toEqual([
      'delete /auth/apps/{id}',
      'post /auth/confirm',
      'post /auth/confirm/passkey-options',
      'post /auth/logout',
      'post /auth/organization',
      'post /auth/organization/leave',
    ]);
  });

  it('a session makes no browser known, which would have tries of its own at the password', async () => {
    const { domain, put } = await createWithProvider();
    await put();
    const email = `guessed@${domain.domain}`;
    organizationOidc.person = { id: `sub-${unique()}`, email };
    const { session } = await signIn({ email });
    const headers = { ...publicHeaders, 'sec-fetch-site': 'same-origin', cookie: session };
    const answer = await api.call('GET', '/auth/session', undefined, { headers });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([200, undefined]);
    const known = 'select 1 from known_devices d join users u on u.id = d.user_id where u.email = $1';
    expect((await api.db.query(known, [email])).rowCount).toBe(0);
  });

  it('a session lists those of its provider alone, not where else the person works', async () => {
    const { organization, domain, put } = await createWithProvider();
    await put();
    const elsewhere = await createOrganization(api.db);
    const memberships = { [organization.id]: 'member', [elsewhere.id]: 'owner' } as const;
    const person = await createPerson(api.db, memberships, { email: `busy@${domain.domain}` });
    const { cookie } = await openTestSession(api.db, person.id, elsewhere.id);
    organizationOidc.person = { id: `sub-${unique()}`, email: person.email };
    const { session } = await signIn({ email: person.email });
    const list = async (own: string | undefined) =>
      (await api.call('GET', '/auth/sessions', undefined, { headers: { ...publicHeaders, cookie: own } })).body.data;
    expect(await list(session)).toEqual([expect.objectContaining({ isCurrent: true })]);
    expect(await list(cookie)).toHaveLength(2);
  });

  it('a sign-in takes an account whose e-mail was not verified from the person who made it', async () => {
    const { organization, domain, put } = await createWithProvider();
    await put();
    const elsewhere = await createOrganization(api.db);
    const options = { email: `hijacked@${domain.domain}`, isVerified: false };
    const person = await createPerson(api.db, { [elsewhere.id]: 'member' }, options);
    const { cookie } = await openTestSession(api.db, person.id, elsewhere.id);
    const key = await createUserKey(api.db, elsewhere.id, person.id);
    const readByKey = () => api.call('GET', '/short-link/list', undefined, { headers: { 'x-api-key': key } });
    expect((await readByKey()).status).toBe(200);
    organizationOidc.person = { id: `sub-${unique()}`, email: person.email };
    const { session } = await signIn({ email: person.email });
    expect(await whoIs(session)).toMatchObject({ user: { id: person.id }, organization: { id: organization.id } });
    expect(await whoIs(cookie)).toMatchObject({ code: 'UNAUTHORIZED' });
    expect((await readByKey()).status).toBe(401);
    const login = { email: person.email, password: testPassword };
    expect((await api.call('POST', '/auth/login', login, { headers: publicHeaders })).status).toBe(401);
  });

  it.each([
    ['the domain is lost', 'update domains set is_verified = false where id = $1'],
    [
      'the provider is removed',
      'delete from oidc_providers where email_domain = (select domain from domains where id = $1)',
    ],
  ])('sessions end when %s', async (_why, loss) => {
    const { domain, put } = await createWithProvider();
    await put();
    const email = `ada@${domain.domain}`;
    organizationOidc.person = { id: `sub-${unique()}`, email };
    const { session } = await signIn({ email });
    expect(await whoIs(session)).toMatchObject({ user: { email } });
    await api.db.query(loss, [domain.id]);
    expect(await whoIs(session)).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('sessions end where another provider is set, stay where its secret alone is, and do not come back with a later one', async () => {
    const { organization, domain, draft, put } = await createWithProvider();
    await put();
    const email = `ada@${domain.domain}`;
    organizationOidc.person = { id: `sub-${unique()}`, email };
    const enter = async () => (await signIn({ email })).session;
    const signedIn = { user: { email } };
    const session = await enter();
    expect((await put({ ...draft, clientId: 'another' })).status).toBe(200);
    expect(await whoIs(session)).toMatchObject(signedIn);
    expect((await put({ ...draft, issuer: installationOidc.issuer })).status).toBe(200);
    expect(await whoIs(session)).toMatchObject({ code: 'UNAUTHORIZED' });
    await put();
    const later = await enter();
    await api.db.query('delete from oidc_providers where organization_id = $1', [organization.id]);
    await put();
    expect(await whoIs(later)).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it("a suspended organization's provider is refused, also for members of other organizations", async () => {
    const { organization, domain, put } = await createWithProvider();
    await put();
    const elsewhere = await createOrganization(api.db);
    const person = await createPerson(api.db, { [elsewhere.id]: 'owner' }, { email: `both@${domain.domain}` });
    await api.db.query('update organizations set suspended_at = now() where id = $1', [organization.id]);
    organizationOidc.person = { id: `sub-${unique()}`, email: person.email };
    const { location, session } = await signIn({ email: person.email });
    expect([location, session]).toEqual([`${base}/console/sign-in?problem=suspended`, undefined]);
  });

  it('a sign-in does not confirm a person with a second factor', async () => {
    const { domain, put } = await createWithProvider();
    await put();
    const email = `ada@${domain.domain}`;
    organizationOidc.person = { id: `sub-${unique()}`, email };
    const { user } = await whoIs((await signIn({ email })).session);
    await api.db.query('update memberships set role = $2 where user_id = $1', [user.id, 'owner']);
    await api.db.query(
      `insert into totp_factors (user_id, secret_sealed, last_step, created_at, confirmed_at) values ($1, '', 0, now(), now())`,
      [user.id],
    );
    const { session } = await signIn({ email });
    const key = { type: 'user', name: 'Key', permissions: { stats: ['read'] } };
    const answer = await api.call('POST', '/api-key', key, { headers: { ...publicHeaders, cookie: session } });
    expect(answer).toMatchObject({ status: 403, body: { code: 'CONFIRMATION_REQUIRED', methods: ['totp'] } });
  });
});
