// @module-tag slow

// Long: one block for each of nine endpoints, which share a host and its invited people.

import { describe, expect, it } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { invitationLink } from '#commands/organizations/invitations.ts';
import { testSecretKey, useOwnTestApi, useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import {
  createPerson,
  createSignedIn,
  createUserKey,
  everyPermission,
  joinOrganization,
  testOrigin,
  testPassword,
} from '#test/support/people.ts';

const api = useTestApi();
const withoutMail = useOwnTestApi({
  installation: { version: '1.2.3', hasMail: false, supportContact: null, temporalUiUrl: null },
});
const path = '/organization/invitations';
const asNobody = { 'x-api-key': undefined, origin: testOrigin };
let count = 0;
const newEmail = (): string => `invited-${Date.now()}-${(count += 1)}@example.com`;
const tokenOf = (id: string, isMailed = true): string => {
  const links = { sealing: createSealing([testSecretKey]), baseUrl: 'http://localhost:3000' };
  return invitationLink(id, links, isMailed).replace(/^.*token=/, '');
};

async function createHost(role: 'owner' | 'admin' | 'member' = 'owner') {
  const organization = await createOrganization(api.db);
  const host = await createSignedIn(api.db, organization.id, role);
  const call = (method: 'GET' | 'POST' | 'DELETE', target: string, body?: object, headers: object = {}) =>
    api.call(method, target, body, { headers: { ...host.headers, ...headers } });
  const invite = (email = newEmail(), as = 'member', key?: string) =>
    call('POST', path, { email, role: as }, key === undefined ? {} : { 'idempotency-key': key });
  return { organization, call, invite };
}

const post = (target: string, body: object, headers: Record<string, string | undefined> = asNobody) =>
  api.call('POST', target, body, { headers: headers as Record<string, string> });
const accept = (token: string, rest: object = { name: 'Grace Hopper', password: 'a new long password' }) =>
  post('/auth/invitation/accept', { token, ...rest });
const ended = { status: 400, body: { code: 'VALIDATION_ERROR', issues: [{ path: 'token' }] } };

describe('POST /organization/invitations', () => {
  it('201: invites, and puts the mail into the outbox; the answer has no link where the installation sends mail', async () => {
    const { invite } = await createHost();
    const email = newEmail();
    const { status, body } = await invite(` ${email.toUpperCase()} `, 'admin');
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        email,
        role: 'admin',
        state: 'pending',
        invitedBy: 'Ada',
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        mailedAt: null,
        joinUrl: null,
      },
    ]);
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(7 * 86_400_000);
    const { rowCount } = await api.db.query(`select 1 from outbox where kind = 'invitation' and subject_id = $1`, [
      body.id,
    ]);
    expect(rowCount).toBe(1);
  });

  it('403: a key invites only for a role whose permissions it holds, and not beyond limits of its own', async () => {
    const { id } = await createOrganization(api.db);
    const person = await createPerson(api.db, { [id]: 'owner' });
    const key = await createUserKey(api.db, id, person.id, { apiKeys: ['create', 'read', 'update', 'delete'] });
    const inviteAs = (role: string) =>
      api.call('POST', path, { email: newEmail(), role }, { headers: { 'x-api-key': key } });
    const allow = (permissions: object, expiresAt: string | null) =>
      api.db.query('update api_keys set permissions = $2, expires_at = $3 where user_id = $1', [
        person.id,
        permissions,
        expiresAt,
      ]);
    for (const role of ['owner', 'admin', 'member']) {
      expect(await inviteAs(role)).toMatchObject({
        status: 403,
        body: { code: 'ACTION_NOT_ALLOWED', message: 'This key may not grant create shortLinks.' },
      });
    }
    await allow(everyPermission, '2100-01-01');
    expect((await inviteAs('member')).body).toMatchObject({
      code: 'ACTION_NOT_ALLOWED',
      message: 'This key may not grant expiresAt beyond its own.',
    });
    await allow(everyPermission, null);
    const { status, body } = await inviteAs('owner');
    expect(status).toBe(201);
    await allow({ apiKeys: ['create', 'read', 'update', 'delete'] }, null);
    const again = await api.call('POST', `${path}/${body.id}/resend`, undefined, { headers: { 'x-api-key': key } });
    expect(again).toMatchObject({ status: 403, body: { code: 'ACTION_NOT_ALLOWED' } });
  });

  it('201: has the link where the installation sends no mail', async () => {
    const organization = await createOrganization(withoutMail.db);
    const { headers } = await createSignedIn(withoutMail.db, organization.id, 'owner');
    const { body } = await withoutMail.call('POST', path, { email: newEmail(), role: 'member' }, { headers });
    expect(body.joinUrl).toBe(`http://localhost:3000/console/join#token=${tokenOf(body.id, false)}`);
  });

  it('400: for a wrong e-mail, a wrong role and unknown fields', async () => {
    const { call } = await createHost();
    for (const body of [
      { email: 'nobody', role: 'member' },
      { email: newEmail(), role: 'boss' },
      { email: newEmail(), role: 'member', x: 1 },
      {},
    ]) {
      expect((await call('POST', path, body)).status).toBe(400);
    }
  });

  it('403: for members, and where an admin invites an owner', async () => {
    expect((await (await createHost('member')).invite()).status).toBe(403);
    const admin = await createHost('admin');
    expect((await admin.invite(newEmail(), 'owner')).body.code).toBe('ACTION_NOT_ALLOWED');
    expect((await admin.invite()).status).toBe(201);
  });

  it('409: for a member and for an e-mail that is invited already; an account elsewhere is invited as anybody', async () => {
    const { organization, invite } = await createHost();
    const member = await createPerson(api.db, { [organization.id]: 'member' });
    const other = await createPerson(api.db, { [(await createOrganization(api.db)).id]: 'owner' });
    expect((await invite(member.email)).body.code).toBe('ALREADY_EXIST');
    expect((await invite(other.email)).status).toBe(201);
    expect((await invite(other.email)).body.code).toBe('ALREADY_EXIST');
  });

  it('of two at once for one e-mail one wins', async () => {
    const { invite } = await createHost();
    const email = newEmail();
    const statuses = (await Promise.all([invite(email), invite(email), invite(email)])).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
  });

  it('201: shows what a call has made that died after its commit, to its Idempotency-Key', async () => {
    const { organization, invite } = await createHost();
    const first = await invite(newEmail(), 'member', 'one');
    await api.db.query(
      'update idempotency_keys set status = null, answer = null, claimed_until = now() where organization_id = $1',
      [organization.id],
    );
    expect(await invite(first.body.email, 'member', 'one')).toMatchObject({ status: 201, body: first.body });
  });

  it('429: beyond 50 mails a day', async () => {
    const { organization, invite } = await createHost();
    await api.db.query(
      `insert into invitations (id, organization_id, email, role, created_at, expires_at, mail_wanted_at)
       select gen_random_uuid(), $1, 'many-' || n || '@example.com', 'member', now(), now() + interval '7 days', now()
       from generate_series(1, 50) as n`,
      [organization.id],
    );
    const { status, headers } = await invite();
    expect([status, headers['retry-after']]).toEqual([429, '3600']);
  });
});

describe('GET /organization/invitations', () => {
  it('200: lists the most recent first, with their states', async () => {
    const { call, invite } = await createHost();
    const [one, two, three] = [await invite(), await invite(), await invite()];
    await call('DELETE', `${path}/${one.body.id}`);
    await api.db.query(`update invitations set expires_at = now() - interval '1 s' where id = $1`, [two.body.id]);
    await accept(tokenOf(three.body.id));
    const { body } = await call('GET', `${path}?limit=2`);
    expect(body.count).toBe(3);
    expect(body.data.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      [three.body.id, 'accepted'],
      [two.body.id, 'expired'],
    ]);
    expect((await call('GET', `${path}?limit=2&page=1`)).body.data).toMatchObject([
      { id: one.body.id, state: 'revoked' },
    ]);
  });
});

describe('POST /organization/invitations/{id}/resend', () => {
  it('200: the same link works for another week; 409 where it has ended; 403 for another organization', async () => {
    const { call, invite } = await createHost();
    const { id } = (await invite()).body;
    await api.db.query(`update invitations set expires_at = now() - interval '1 s', mailed_at = now() where id = $1`, [
      id,
    ]);
    expect(await accept(tokenOf(id))).toMatchObject(ended);
    const again = await call('POST', `${path}/${id}/resend`);
    expect(again).toMatchObject({ status: 200, body: { state: 'pending', mailedAt: null } });
    expect((await (await createHost()).call('POST', `${path}/${id}/resend`)).status).toBe(403);
    expect((await accept(tokenOf(id))).status).toBe(200);
    expect((await call('POST', `${path}/${id}/resend`)).status).toBe(409);
  });

  it(
    '429: mails of one invitation count among the 50 of a day, however often it is sent again',
    { tags: 'nightly' },
    async () => {
      const { organization, call, invite } = await createHost();
      const { id } = (await invite()).body;
      const resend = async () => (await call('POST', `${path}/${id}/resend`)).status;
      const statuses = [];
      for (let count = 0; count < 50; count += 1) statuses.push(await resend());
      expect(statuses).toEqual([...Array.from({ length: 49 }, () => 200), 429]);
      expect((await invite()).status).toBe(429);
      // A day later they count no more.
      await api.db.query(
        `update invitations set mail_wanted_at = mail_wanted_at - interval '1 day',
         earlier_mails = array(select mail - interval '1 day' from unnest(earlier_mails) as mail)
       where organization_id = $1`,
        [organization.id],
      );
      expect(await resend()).toBe(200);
      const { rows } = await api.db.query('select cardinality(earlier_mails) as kept from invitations where id = $1', [
        id,
      ]);
      expect(rows).toEqual([{ kept: 0 }]);
    },
  );
});

describe('DELETE /organization/invitations/{id}', () => {
  it('200: the link stops working at once; 409 twice; 403 for another organization', async () => {
    const { call, invite } = await createHost();
    const { id } = (await invite()).body;
    expect((await (await createHost()).call('DELETE', `${path}/${id}`)).status).toBe(403);
    expect((await call('DELETE', `${path}/${id}`)).status).toBe(200);
    expect(await accept(tokenOf(id))).toMatchObject(ended);
    expect(await post('/auth/invitation', { token: tokenOf(id) })).toMatchObject(ended);
    expect((await call('DELETE', `${path}/${id}`)).status).toBe(409);
  });
});

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

  it('400: the same for a guessed, changed, ended and deleted token; 403 for a page of another site', async () => {
    const { organization, invite } = await createHost();
    const token = tokenOf((await invite()).body.id);
    const changed = `${token.slice(0, 30)}${token[30] === 'A' ? 'B' : 'A'}${token.slice(31)}`;
    for (const wrong of ['x', 'A'.repeat(64), changed, tokenOf('01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10')]) {
      expect(await post('/auth/invitation', { token: wrong })).toMatchObject(ended);
    }
    expect((await post('/auth/invitation', { token }, { ...asNobody, origin: 'https://evil.example' })).status).toBe(
      403,
    );
    await api.db.query('update organizations set deleted_at = now() where id = $1', [organization.id]);
    expect(await post('/auth/invitation', { token })).toMatchObject(ended);
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
    expect(await accept(tokenOf(id))).toMatchObject(ended);
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
    expect((await join({ ...person.headers, origin: 'https://evil.example' })).status).toBe(403);
    expect((await join(person.headers)).body).toMatchObject({ organization: { id: organization.id, role: 'member' } });
    expect(await join(person.headers)).toMatchObject(ended);
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

describe('the rights of the person who invites', () => {
  /** An organization with an owner, and an admin who has invited people for each role that an admin may. */
  async function createInvited() {
    const { organization, call: byOwner } = await createHost();
    const admin = await createSignedIn(api.db, organization.id, 'admin');
    const invited = await Promise.all(
      ['member', 'admin'].map(async (role) => {
        const { body } = await api.call('POST', path, { email: newEmail(), role }, { headers: admin.headers });
        return body.id as string;
      }),
    );
    const states = async () =>
      (await byOwner('GET', path)).body.data.map(({ state }: { state: string }) => state) as string[];
    return { organization, byOwner, admin, invited, states };
  }

  it.each([
    ['demoted', (admin: string) => ['PATCH', `/organization/members/${admin}`, { role: 'member' }] as const],
    ['removed', (admin: string) => ['DELETE', `/organization/members/${admin}`, undefined] as const],
  ])('invitations end with the rights of an admin who is %s', async (_how, change) => {
    const { organization, byOwner, admin, invited, states } = await createInvited();
    const [method, target, body] = change(admin.id);
    const done = await api.call(method, target, body, { headers: await ownerHeaders(organization.id) });
    expect(done.status).toBe(200);
    expect(await states()).toEqual(['revoked', 'revoked']);
    for (const id of invited) expect(await accept(tokenOf(id))).toMatchObject(ended);
    const { body: log } = await byOwner('GET', '/organization/audit?categories=people');
    expect(log.data.filter(({ action }: { action: string }) => action === 'invitation.revoked')).toHaveLength(2);
  });

  it('invitations end where their admin leaves, and those of others stay', async () => {
    const { byOwner, admin, states } = await createInvited();
    await byOwner('POST', path, { email: newEmail(), role: 'owner' });
    expect((await post('/auth/organization/leave', {}, admin.headers)).status).toBe(200);
    expect((await states()).toSorted()).toEqual(['pending', 'revoked', 'revoked']);
  });

  it('an invitation that a key made ends with the key, and where the key holds less than the role', async () => {
    const { organization, call } = await createHost();
    const keyOf = async () => {
      const admin = await createSignedIn(api.db, organization.id, 'admin');
      const key = await createUserKey(api.db, organization.id, admin.id);
      const body = { email: newEmail(), role: 'admin' };
      const made = await api.call('POST', path, body, { headers: { 'x-api-key': key } });
      const { rows } = await api.db.query<{ id: string }>('select id from api_keys where user_id = $1', [admin.id]);
      return { keyId: rows[0]!.id, invitationId: made.body.id as string };
    };
    const [revoked, narrowed] = [await keyOf(), await keyOf()];
    expect((await call('DELETE', `/api-key/${revoked.keyId}`)).status).toBe(200);
    const less = { permissions: { ...everyPermission, webhooks: [] } };
    const patched = await api.call('PATCH', `/api-key/${narrowed.keyId}`, less, {
      headers: await ownerHeaders(organization.id),
    });
    expect(patched.status).toBe(200);
    for (const { invitationId } of [revoked, narrowed])
      expect(await accept(tokenOf(invitationId))).toMatchObject(ended);
  });

  it('the acceptance asks for the rights again, whatever took them', async () => {
    const { admin, invited } = await createInvited();
    await api.db.query(`update memberships set role = 'member' where user_id = $1`, [admin.id]);
    for (const id of invited) expect(await accept(tokenOf(id))).toMatchObject(ended);
  });

  async function ownerHeaders(organizationId: string) {
    return (await createSignedIn(api.db, organizationId, 'owner')).headers;
  }
});
