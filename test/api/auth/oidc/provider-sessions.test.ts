import { describe, expect, it } from 'vitest';
import { createOrganization } from '#test/support/factories.ts';
import { useOidcApi } from '#test/support/oidc-api.ts';
import { createPerson, openTestSession, testPassword } from '#test/support/people.ts';

const oidc = useOidcApi();
const { api, base, createWithProvider, organizationOidc, publicHeaders, signIn, unique, whoIs } = oidc;

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

  it('a sign-in takes an account whose e-mail was not verified from the person who made it', async () => {
    const { organization, domain, put } = await createWithProvider();
    await put();
    const elsewhere = await createOrganization(api.db);
    const options = { email: `hijacked@${domain.domain}`, isVerified: false };
    const person = await createPerson(api.db, { [elsewhere.id]: 'member' }, options);
    const { cookie } = await openTestSession(api.db, person.id, elsewhere.id);
    organizationOidc.person = { id: `sub-${unique()}`, email: person.email };
    const { session } = await signIn({ email: person.email });
    expect(await whoIs(session)).toMatchObject({ user: { id: person.id }, organization: { id: organization.id } });
    expect(await whoIs(cookie)).toMatchObject({ code: 'UNAUTHORIZED' });
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
