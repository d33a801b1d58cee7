import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createSignedIn, createUserKey, joinOrganization, testPassword } from '#test/support/people.ts';

const api = useTestApi();

const forbidden = { status: 403, body: { code: 'FORBIDDEN', message: 'This organization is suspended.' } };
const suspend = (id: string, suspended: boolean): Promise<unknown> =>
  api.db.query(
    'update organizations set suspended_at = case when $2 then now() end, updated_at = clock_timestamp() where id = $1',
    [id, suspended],
  );

describe('a suspended organization', () => {
  it.each(['free', 'premium'] as const)(
    'keys and sessions of a suspended organization on the %s plan get 403 until it is resumed',
    async (plan) => {
      const organization = await createOrganization(api.db, { plan });
      const owner = await createSignedIn(api.db, organization.id, 'owner');
      const userKey = await createUserKey(api.db, organization.id, owner.id);
      const body = { destination: { type: 'link', value: 'https://example.com/' } };
      await suspend(organization.id, true);
      for (const headers of [{ 'x-api-key': organization.key }, { 'x-api-key': userKey }, owner.headers]) {
        expect(await api.call('GET', '/short-link/list', undefined, { headers })).toMatchObject(forbidden);
        expect(await api.call('POST', '/short-link', body, { headers })).toMatchObject(forbidden);
      }
      const password = { current: testPassword, next: 'another password' };
      expect(await api.call('GET', '/auth/session', undefined, { headers: owner.headers })).toMatchObject(forbidden);
      expect(await api.call('POST', '/auth/password', password, { headers: owner.headers })).toMatchObject(forbidden);
      await suspend(organization.id, false);
      expect((await api.call('GET', '/short-link/list', undefined, { headers: owner.headers })).status).toBe(200);
    },
  );

  it('a member of a suspended organization finds the others and switches to one', async () => {
    const suspended = await createOrganization(api.db);
    const other = await createOrganization(api.db);
    const member = await createSignedIn(api.db, suspended.id, 'owner');
    await joinOrganization(api.db, member.id, other.id, 'member');
    await suspend(suspended.id, true);
    const { headers } = member;
    const { status, body } = await api.call('GET', '/auth/organizations', undefined, { headers });
    expect(status).toBe(200);
    const named = { name: expect.any(String), plan: expect.any(String), suspensionReason: null };
    expect(body).toEqual({
      data: [
        { ...named, id: suspended.id, role: 'owner', isSuspended: true },
        { ...named, id: other.id, role: 'member', isSuspended: false },
      ],
      organizationId: suspended.id,
      supportContact: 'mailto:help@waymark.example',
    });
    expect((await api.call('POST', '/auth/organization', { id: other.id }, { headers })).status).toBe(200);
    expect((await api.call('GET', '/auth/session', undefined, { headers })).body.organization.id).toBe(other.id);
  });

  it('a member of a suspended organization cannot sign in, which only the right password tells', async () => {
    const organization = await createOrganization(api.db, { suspended: true });
    await api.db.query(`update organizations set suspension_reason = 'Links led to malware.' where id = $1`, [
      organization.id,
    ]);
    const { email } = await createPerson(api.db, { [organization.id]: 'owner' });
    const signIn = (password: string) =>
      api.call('POST', '/auth/login', { email, password }, { headers: { 'x-api-key': undefined } });
    expect((await signIn('a wrong password')).status).toBe(401);
    const answer = await signIn(testPassword);
    expect(answer).toMatchObject({
      status: 403,
      body: {
        ...forbidden.body,
        reason: 'Links led to malware.',
        supportContact: 'mailto:help@waymark.example',
      },
    });
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('a session leaves a suspended organization by signing out or switching, and cannot switch to one', async () => {
    const [first, second] = [await createOrganization(api.db), await createOrganization(api.db)];
    const person = await createSignedIn(api.db, first.id, 'owner');
    await joinOrganization(api.db, person.id, second.id, 'member');
    const sent = { headers: person.headers };
    await suspend(first.id, true);
    const moved = await api.call('POST', '/auth/organization', { id: second.id }, sent);
    expect(moved).toMatchObject({ status: 200, body: { organization: { id: second.id } } });
    expect((await api.call('GET', '/short-link/list', undefined, sent)).status).toBe(200);
    expect(await api.call('POST', '/auth/organization', { id: first.id }, sent)).toMatchObject(forbidden);
    await suspend(second.id, true);
    expect((await api.call('POST', '/auth/logout', undefined, sent)).status).toBe(200);
  });
});
