// @module-tag slow

import { describe, expect, it } from 'vitest';
import { createOidcClient } from '#adapters/oidc.ts';
import { useTestApi } from '#test/support/api.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { useOidcApi } from '#test/support/oidc-api.ts';
import { followProvider } from '#test/support/oidc.ts';
import { createPerson } from '#test/support/people.ts';

const oidc = useOidcApi();
const { api, base, createWithProvider, finish, http, installationOidc, organizationOidc } = oidc;
const { publicHeaders, signIn, start, unique, whoIs } = oidc;
const bare = useTestApi();

describe('GET /auth/oidc', () => {
  it('200: names the provider of the installation', async () => {
    const { status, body } = await api.call('GET', '/auth/oidc', undefined, { headers: publicHeaders });
    expect([status, body]).toEqual([200, { name: 'Example Login' }]);
  });
});

describe('sign-in by the provider of the installation', () => {
  it('signs a person in who has an account with the e-mail, and leads where they wanted to go', async () => {
    const organization = await createOrganization(api.db);
    const person = await createPerson(api.db, { [organization.id]: 'member' });
    installationOidc.person = { id: `sub-${unique()}`, email: person.email.toUpperCase(), email_verified: true };
    const { status, location, session, cookies } = await signIn({ email: person.email, next: '/stats?period=7d' });
    expect([status, location]).toEqual([302, `${base}/console/stats?period=7d`]);
    expect(cookies).toContain('waymark-oidc=');
    expect(await whoIs(session)).toMatchObject({ user: { id: person.id }, organization: { id: organization.id } });
    expect(installationOidc.hints).toContain(person.email);
    const { rows } = await api.db.query('select action from audit_log where user_id = $1', [person.id]);
    expect(rows).toEqual([{ action: 'auth.oidc' }]);
  });

  it('knows a person by their identity after the e-mail at the provider has changed', async () => {
    const organization = await createOrganization(api.db);
    const person = await createPerson(api.db, { [organization.id]: 'member' });
    const id = `sub-${unique()}`;
    installationOidc.person = { id, email: person.email };
    await signIn();
    installationOidc.person = { id, email: `renamed-${unique()}@example.com` };
    expect(await whoIs((await signIn()).session)).toMatchObject({ user: { id: person.id } });
  });

  it('lets nobody in without an account, with an e-mail that is not verified or missing, or who refuses', async () => {
    const organization = await createOrganization(api.db);
    const person = await createPerson(api.db, { [organization.id]: 'member' });
    const problemOf = async (claims: object | undefined) => {
      installationOidc.person = claims === undefined ? undefined : { id: `sub-${unique()}`, ...claims };
      const { location, session } = await signIn();
      expect(session).toBeUndefined();
      return location.replace(`${base}/console/sign-in?problem=`, '');
    };
    expect(await problemOf({ email: `nobody-${unique()}@example.com` })).toBe('unknown-person');
    expect(await problemOf({ email: person.email, email_verified: false })).toBe('email-missing');
    expect(await problemOf({ email: person.email, email_verified: undefined })).toBe('email-missing');
    expect(await problemOf({})).toBe('email-missing');
    expect(await problemOf(undefined)).toBe('provider-refused');
    await api.db.query('update organizations set suspended_at = now() where id = $1', [organization.id]);
    expect(await problemOf({ email: person.email })).toBe('suspended');
  });

  it('leads to the links where the address to go on is another site', async () => {
    const organization = await createOrganization(api.db);
    const person = await createPerson(api.db, { [organization.id]: 'member' });
    installationOidc.person = { id: `sub-${unique()}`, email: person.email };
    for (const next of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/ /evil',
      '/.//evil',
    ]) {
      expect((await signIn({ next })).location).toBe(`${base}/console/links`);
    }
  });

  it('takes an answer once, in the browser that asked, within ten minutes', async () => {
    const organization = await createOrganization(api.db);
    const person = await createPerson(api.db, { [organization.id]: 'member' });
    installationOidc.person = { id: `sub-${unique()}`, email: person.email };
    const expired = `${base}/console/sign-in?problem=expired`;
    const refused = `${base}/console/sign-in?problem=provider-refused`;
    const first = await start();
    const address = await followProvider(first.body.url);
    // Without the cookie, with a changed one, and with that of another sign-in.
    expect((await finish(address, '')).location).toBe(expired);
    const forged = `${first.cookie.slice(0, 60)}AAAAAAAA${first.cookie.slice(68)}`;
    expect((await finish(address, forged)).location).toBe(expired);
    const other = await start();
    expect((await finish(address, other.cookie)).location).toBe(refused);
    const changed = address.replace(/state=[^&]*/, 'state=guessed');
    expect((await finish(changed, first.cookie)).location).toBe(refused);
    expect((await finish(address, first.cookie)).session).toBeDefined();
    // Replayed.
    expect((await finish(address, first.cookie)).location).toBe(refused);
  });

  it('503 while the provider is away; a sign-in that was begun says so, and works when it is back', async () => {
    const organization = await createOrganization(api.db);
    const person = await createPerson(api.db, { [organization.id]: 'member' });
    installationOidc.person = { id: `sub-${unique()}`, email: person.email };
    const begun = await start();
    const address = await followProvider(begun.body.url);
    await installationOidc.stop();
    try {
      expect((await finish(address, begun.cookie)).location).toBe(`${base}/console/sign-in?problem=provider-away`);
      const client = createOidcClient({ http });
      const { issuer, clientId, clientSecret } = installationOidc;
      await expect(client.begin({ issuer, clientId, clientSecret }, { redirectUri: `${base}/` })).rejects.toMatchObject(
        {
          reason: 'away',
        },
      );
    } finally {
      await installationOidc.start();
    }
    expect((await signIn()).session).toBeDefined();
  });

  it('403 for keys', async () => {
    expect((await api.call('POST', '/auth/oidc/start', {})).status).toBe(403);
    expect((await api.call('GET', '/auth/oidc/callback')).status).toBe(403);
  });
});

describe('sign-in by the provider of an organization', () => {
  it('makes an account for a new person of the domain, who becomes a member', async () => {
    const { organization, domain, put } = await createWithProvider();
    expect((await put()).status).toBe(200);
    const email = `grace@${domain.domain}`;
    organizationOidc.person = { id: `sub-${unique()}`, email, name: 'Grace Hopper' };
    const { session } = await signIn({ email });
    expect(await whoIs(session)).toMatchObject({
      user: { email, name: 'Grace Hopper' },
      organization: { id: organization.id, role: 'member' },
    });
    // A password was never set: none signs in.
    const login = { email, password: 'a guess of somebody' };
    expect((await api.call('POST', '/auth/login', login, { headers: publicHeaders })).status).toBe(401);
  });

  it('makes one account where a new person signs in by several windows at once', async () => {
    const { domain, put } = await createWithProvider();
    await put();
    const email = `twice@${domain.domain}`;
    organizationOidc.person = { id: `sub-${unique()}`, email, name: 'Ada' };
    const windows = [];
    for (let count = 0; count < 4; count += 1) {
      const { body, cookie } = await start({ email });
      windows.push({ address: await followProvider(body.url), cookie });
    }
    const ends = await Promise.all(windows.map(({ address, cookie }) => finish(address, cookie)));
    expect(ends.map(({ status, location }) => [status, location])).toEqual(
      windows.map(() => [302, `${base}/console/links`]),
    );
    const { rows } = await api.db.query('select name from users where email = $1', [email]);
    expect(rows).toEqual([{ name: 'Ada' }]);
  });

  it.each([
    ['\u200b', 'ada'],
    ['Ada\nYour account ends today', 'ada'],
    ['A\u0000', 'ada'],
    ['x'.repeat(101), 'ada'],
    [' Ada ', 'Ada'],
  ])('a new person whom the provider calls %j is called %s', async (called, name) => {
    const { domain, put } = await createWithProvider();
    await put();
    const email = `ada@${domain.domain}`;
    organizationOidc.person = { id: `sub-${unique()}`, email, name: called };
    expect(await whoIs((await signIn({ email })).session)).toMatchObject({ user: { email, name } });
  });

  it.each(['a\u0000b', 'a\nb', 'a b', ''])('nobody enters with %j for an e-mail', async (local) => {
    const { domain, put } = await createWithProvider();
    await put();
    organizationOidc.person = { id: `sub-${unique()}`, email: `${local}@${domain.domain}` };
    const { location } = await signIn({ email: `ada@${domain.domain}` });
    expect(location).toBe(`${base}/console/sign-in?problem=email-missing`);
  });

  it('keeps the role of a member, and adds a person of the domain who works elsewhere', async () => {
    const { organization, domain, put } = await createWithProvider();
    await put();
    const elsewhere = await createOrganization(api.db);
    const admin = await createPerson(api.db, { [organization.id]: 'admin' }, { email: `admin@${domain.domain}` });
    const other = await createPerson(api.db, { [elsewhere.id]: 'owner' }, { email: `other@${domain.domain}` });
    organizationOidc.person = { id: `sub-${unique()}`, email: admin.email };
    expect(await whoIs((await signIn({ email: admin.email })).session)).toMatchObject({
      organization: { role: 'admin' },
    });
    organizationOidc.person = { id: `sub-${unique()}`, email: other.email };
    const { user } = await whoIs((await signIn({ email: other.email })).session);
    expect(user.organizations.map(({ id, role }: { id: string; role: string }) => [id, role])).toEqual([
      [organization.id, 'member'],
    ]);
  });

  it('has no say over people of other domains, by their e-mail or by an identity from before', async () => {
    const { domain, put } = await createWithProvider();
    await put();
    const victim = await createOrganization(api.db);
    const person = await createPerson(api.db, { [victim.id]: 'owner' });
    organizationOidc.person = { id: `sub-${unique()}`, email: person.email, email_verified: true };
    const problem = `${base}/console/sign-in?problem=email-domain`;
    expect((await signIn({ email: `a@${domain.domain}` })).location).toBe(problem);
    // A person of the domain whose account has moved to another e-mail since.
    const email = `mover@${domain.domain}`;
    const id = `sub-${unique()}`;
    organizationOidc.person = { id, email };
    const { user } = await whoIs((await signIn({ email })).session);
    await api.db.query('update users set email = $2 where id = $1', [user.id, `moved-${unique()}@example.org`]);
    expect((await signIn({ email })).location).toBe(problem);
  });

  it.each([
    ['has lost', 'update domains set is_verified = false where id = $1'],
    ['has deleted', 'update domains set deleted_at = now() where id = $1'],
  ])('names nobody any more for a domain that the organization %s', async (_why, loss) => {
    const { domain, put } = await createWithProvider();
    await put();
    const elsewhere = await createOrganization(api.db);
    const person = await createPerson(api.db, { [elsewhere.id]: 'owner' }, { email: `owner@${domain.domain}` });
    organizationOidc.person = { id: `sub-${unique()}`, email: person.email, email_verified: true };
    const begun = await start({ email: person.email });
    await api.db.query(loss, [domain.id]);
    const ended = await finish(await followProvider(begun.body.url), begun.cookie);
    expect([ended.location, ended.session]).toEqual([`${base}/console/sign-in?problem=expired`, undefined]);
    // The installation's provider takes the domain over.
    const { body } = await start({ email: person.email });
    expect(new URL(body.url).origin).toBe(installationOidc.issuer);
  });

  it('speaks for a domain that another organization has verified since', async () => {
    const former = await createWithProvider();
    await former.put();
    await api.db.query('update domains set deleted_at = now() where id = $1', [former.domain.id]);
    const next = await createWithProvider();
    await createDomain(api.db, next.organization.id, { domain: former.domain.domain });
    expect((await next.put({ ...next.draft, emailDomain: former.domain.domain })).status).toBe(200);
    const email = `ada@${former.domain.domain}`;
    organizationOidc.person = { id: `sub-${unique()}`, email };
    expect(await whoIs((await signIn({ email })).session)).toMatchObject({
      organization: { id: next.organization.id },
    });
  });

  it('an e-mail of a domain without a provider leads to that of the installation', async () => {
    const { body } = await start({ email: `ada@unknown-${unique()}.example` });
    expect(new URL(body.url).origin).toBe(installationOidc.issuer);
  });

  it('an answer at the callback of another provider, or by another issuer, opens no session', async () => {
    const [one, other] = [await createWithProvider(), await createWithProvider()];
    await one.put();
    const email = `ada@${one.domain.domain}`;
    organizationOidc.person = { id: `sub-${unique()}`, email };
    const begin = async () => {
      const { body, cookie } = await start({ email });
      return { address: await followProvider(body.url), cookie };
    };
    const refused = [302, `${base}/console/sign-in?problem=provider-refused`];
    const endOf = async (address: string, cookie: string) => {
      const { status, location } = await finish(address, cookie);
      return [status, location];
    };
    for (const callback of ['callback', `callback/${other.organization.id}`]) {
      const { address, cookie } = await begin();
      expect(await endOf(address.replace(`callback/${one.organization.id}`, callback), cookie)).toEqual(refused);
      expect(await endOf(address, cookie)).toEqual([302, `${base}/console/links`]);
    }
    // RFC 9207: the provider names itself in its answers.
    for (const iss of [installationOidc.issuer, undefined]) {
      const { address, cookie } = await begin();
      const changed = new URL(address);
      expect(changed.searchParams.get('iss')).toBe(organizationOidc.issuer);
      if (iss === undefined) changed.searchParams.delete('iss');
      else changed.searchParams.set('iss', iss);
      expect(await endOf(changed.href, cookie)).toEqual(refused);
    }
    // The owner sets another provider meanwhile.
    const { address, cookie } = await begin();
    const issuer = 'https://other.example';
    await api.db.query('update oidc_providers set issuer = $2 where organization_id = $1', [
      one.organization.id,
      issuer,
    ]);
    expect(await endOf(address, cookie)).toEqual(refused);
  });

  it('404 where the installation has no provider either', async () => {
    const answer = await bare.call(
      'POST',
      '/auth/oidc/start',
      { email: 'ada@example.com' },
      { headers: publicHeaders },
    );
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
    expect((await bare.call('GET', '/auth/oidc', undefined, { headers: publicHeaders })).body).toEqual({ name: null });
  });
});
