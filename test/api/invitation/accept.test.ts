// @module-tag slow

import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createInviting, endedToken, newEmail, tokenOf } from '#test/support/invitations.ts';
import { createPerson, createSignedIn, joinOrganization, testPassword } from '#test/support/people.ts';

const api = useTestApi();
const { createHost, post, accept } = createInviting(api);

describe('POST /auth/invitation', () => {
  it('200: shows the invitation to the holder of the link', async () => {
    const { organization, invite } = await createHost();
    const { id, email } = (await invite()).body;
    const { status, body } = await post('/auth/invitation', { token: tokenOf(id) });
    expect(status).toBe(200);
    expect(body).toMatchObject({ email, role: 'member', invitedBy: 'Ada', hasAccount: false });
    const { rows } = await api.db.query('select name from organizations where id = $1', [organization.id]);
    expect(body.organization).toBe(rows[0]?.name);
  });

  it('400: the same for a guessed, changed, ended and deleted token', async () => {
    const { organization, invite } = await createHost();
    const token = tokenOf((await invite()).body.id);
    const changed = `${token.slice(0, 30)}${token[30] === 'A' ? 'B' : 'A'}${token.slice(31)}`;
    for (const wrong of ['x', 'A'.repeat(64), changed, tokenOf('01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10')]) {
      expect(await post('/auth/invitation', { token: wrong })).toMatchObject(endedToken);
    }
    await api.db.query('update organizations set deleted_at = now() where id = $1', [organization.id]);
    expect(await post('/auth/invitation', { token })).toMatchObject(endedToken);
  });
});

describe('POST /auth/invitation/accept', () => {
  it('200: a new person joins, is signed in, and the token is used up', async () => {
    const { organization, invite } = await createHost();
    const { id, email } = (await invite(undefined, 'admin')).body;
    const { status, body, headers } = await accept(tokenOf(id));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: { email, name: 'Grace Hopper' },
      organization: { id: organization.id, role: 'admin' },
    });
    expect(String(headers['set-cookie'])).toMatch(/^waymark=/);
    expect(await accept(tokenOf(id))).toMatchObject(endedToken);
    const login = { email, password: 'a new long password' };
    expect((await post('/auth/login', login)).status).toBe(200);
    const { rows } = await api.db.query(
      `select action from audit_log where organization_id = $1 and action like 'invitation.%' order by id`,
      [organization.id],
    );
    expect(rows).toEqual([{ action: 'invitation.created' }, { action: 'invitation.accepted' }]);
  });

  it('200: an existing account joins by its password, and the session is in the new organization', async () => {
    const { organization, invite } = await createHost();
    const home = await createOrganization(api.db);
    const person = await createPerson(api.db, { [home.id]: 'owner' });
    const { id } = (await invite(person.email)).body;
    expect((await post('/auth/invitation', { token: tokenOf(id) })).body.hasAccount).toBe(true);
    expect((await accept(tokenOf(id), { password: 'a wrong password' })).status).toBe(401);
    const { body } = await accept(tokenOf(id), { password: testPassword });
    expect(body).toMatchObject({ user: { id: person.id, name: 'Ada' }, organization: { id: organization.id } });
  });

  it('200: the mailed link verifies the e-mail of a new person and of an account, and one that was passed on does not', async () => {
    const { invite } = await createHost();
    const known = (isVerified: boolean) => createPerson(api.db, {}, { email: newEmail(), isVerified });
    const outcomes = [];
    for (const isMailed of [true, false]) {
      for (const email of [newEmail(), (await known(false)).email]) {
        const { id } = (await invite(email)).body;
        expect((await accept(tokenOf(id, isMailed), { name: 'Ada', password: testPassword })).status).toBe(200);
        const { rows } = await api.db.query('select email_verified_at as at from users where email = $1', [email]);
        outcomes.push(rows[0]!.at !== null);
      }
    }
    expect(outcomes).toEqual([true, true, false, false]);
  });

  it('400: for a new person without a name or with a common password; the invitation stays open', async () => {
    const { invite } = await createHost();
    const token = tokenOf((await invite()).body.id);
    expect((await accept(token, { password: 'a new long password' })).body.issues[0].path).toBe('name');
    expect((await accept(token, { name: 'Grace', password: 'password123' })).body.issues[0].path).toBe('password');
    expect((await accept(token)).status).toBe(200);
  });

  it('403: while the organization is suspended', async () => {
    const { organization, invite } = await createHost();
    const token = tokenOf((await invite()).body.id);
    await api.db.query('update organizations set suspended_at = now() where id = $1', [organization.id]);
    expect((await accept(token)).status).toBe(403);
  });

  it('of two at once one makes one account and one membership', async () => {
    const { organization, invite } = await createHost();
    const { id, email } = (await invite()).body;
    const statuses = (await Promise.all([accept(tokenOf(id)), accept(tokenOf(id))])).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 400]);
    const { rowCount } = await api.db.query(
      'select 1 from memberships m join users u on u.id = m.user_id where u.email = $1 and m.organization_id = $2',
      [email, organization.id],
    );
    expect(rowCount).toBe(1);
  });

  it('429: failures with the password of an account count as failed sign-ins', async () => {
    const { invite } = await createHost();
    const person = await createPerson(api.db, { [(await createOrganization(api.db)).id]: 'owner' });
    const token = tokenOf((await invite(person.email)).body.id);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      statuses.push((await accept(token, { password: `wrong password ${attempt}` })).status);
    }
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    expect((await post('/auth/login', { email: person.email, password: testPassword })).status).toBe(429);
  });
});

describe('POST /auth/invitation/join', () => {
  it('200: the signed-in person joins, and the session moves; 403 for another person', async () => {
    const { organization, invite } = await createHost();
    const home = await createOrganization(api.db);
    const person = await createSignedIn(api.db, home.id, 'member');
    const stranger = await createSignedIn(api.db, home.id, 'member');
    const token = tokenOf((await invite(person.email)).body.id);
    const join = (headers: object) => post('/auth/invitation/join', { token }, headers as Record<string, string>);
    expect((await join(stranger.headers)).status).toBe(403);
    expect((await join(person.headers)).body).toMatchObject({ organization: { id: organization.id, role: 'member' } });
    expect(await join(person.headers)).toMatchObject(endedToken);
  });
});

describe('POST /auth/organization/leave', () => {
  it('200: the membership, the key and the sessions end, and the calling session moves to another organization', async () => {
    const { organization } = await createHost();
    const home = await createOrganization(api.db);
    const person = await createSignedIn(api.db, organization.id, 'admin');
    await joinOrganization(api.db, person.id, home.id, 'member');
    const leave = () => api.call('POST', '/auth/organization/leave', undefined, { headers: person.headers });
    expect((await leave()).status).toBe(200);
    const session = await api.call('GET', '/auth/session', undefined, { headers: person.headers });
    expect(session.body.organization.id).toBe(home.id);
    expect(session.body.user.organizations).toHaveLength(1);
    expect((await leave()).status).toBe(200);
    expect((await leave()).status).toBe(401);
  });

  it('409: for the only owner; 401 for keys', async () => {
    const { organization, call } = await createHost();
    expect((await call('POST', '/auth/organization/leave')).body.code).toBe('CONFLICT');
    await createSignedIn(api.db, organization.id, 'owner');
    expect((await call('POST', '/auth/organization/leave')).status).toBe(200);
    const withKey = { headers: { 'x-api-key': organization.key } };
    expect((await api.call('POST', '/auth/organization/leave', undefined, withKey)).status).toBeGreaterThanOrEqual(401);
  });
});
