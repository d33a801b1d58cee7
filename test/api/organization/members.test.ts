import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Role } from '#core/organizations/permissions.ts';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createSignedIn, createUserKey, everyPermission } from '#test/support/people.ts';

const api = useTestApi();

type Headers = object;
const list = (headers: Headers, query = '') =>
  api.call('GET', `/organization/members${query}`, undefined, { headers: { ...headers } });
const setRole = (headers: Headers, id: string, role: unknown) =>
  api.call('PATCH', `/organization/members/${id}`, { role }, { headers: { ...headers } });

/** An organization with an owner, an admin and a member, all signed in. */
async function createTeam() {
  const { id } = await createOrganization(api.db);
  const [owner, admin, member] = [
    await createSignedIn(api.db, id, 'owner'),
    await createSignedIn(api.db, id, 'admin'),
    await createSignedIn(api.db, id, 'member'),
  ];
  return { id, owner, admin, member };
}

describe('GET /organization/members', () => {
  it('answers 200: the people and not the bot, in the order in which they joined, in pages', async () => {
    const { owner, admin, member } = await createTeam();
    const { status, body } = await list(owner.headers);
    expect([status, body.count]).toEqual([200, 3]);
    expect(body.data.map(({ id, role }: { id: string; role: Role }) => [id, role])).toEqual([
      [owner.id, 'owner'],
      [admin.id, 'admin'],
      [member.id, 'member'],
    ]);
    expect(Object.keys(body.data[0])).toEqual(['id', 'email', 'name', 'role', 'createdAt']);
    expect((await list(admin.headers, '?limit=1&page=1')).body).toMatchObject({
      count: 3,
      data: [{ id: admin.id }],
    });
  });

  it('answers 200: those whose name or e-mail has the searched text', async () => {
    const { owner } = await createTeam();
    const [{ email }, other] = (await list(owner.headers)).body.data;
    const found = await list(owner.headers, `?search=${encodeURIComponent(email.toUpperCase())}`);
    expect(found.body).toMatchObject({ count: 1, data: [{ email }] });
    expect((await list(owner.headers, `?search=${encodeURIComponent(other.name)}`)).body.data).toContainEqual(other);
    expect((await list(owner.headers, '?search=100%25')).body.count).toBe(0);
  });
});

describe('PATCH /organization/members/{id}', () => {
  it('a key gives permissions that it holds itself, and not beyond limits of its own', async () => {
    const { id, owner, member } = await createTeam();
    const key = { 'x-api-key': await createUserKey(api.db, id, owner.id, { apiKeys: ['read', 'update'] }) };
    expect(await setRole(key, member.id, 'admin')).toMatchObject({
      status: 403,
      body: { code: 'ACTION_NOT_ALLOWED', message: 'This key may not grant create apiKeys.' },
    });
    const allow = (expiresAt: string | null) =>
      api.db.query('update api_keys set permissions = $2, expires_at = $3 where user_id = $1', [
        owner.id,
        { apiKeys: everyPermission.apiKeys },
        expiresAt,
      ]);
    await allow('2100-01-01');
    expect((await setRole(key, member.id, 'admin')).status).toBe(403);
    await allow(null);
    expect((await setRole(key, member.id, 'admin')).status).toBe(200);
    await allow('2100-01-01');
    // Nothing is granted by a smaller role.
    expect((await setRole(key, member.id, 'member')).status).toBe(200);
  });

  it('answers 200: the role changes, the sessions of the person end, and the audit log says who did it', async () => {
    const { id, owner, member } = await createTeam();
    const { status, body } = await setRole(owner.headers, member.id, 'admin');
    expect([status, body.id, body.role]).toEqual([200, member.id, 'admin']);
    expect((await list(member.headers)).status).toBe(401);
    expect((await list(owner.headers)).status).toBe(200);
    const { rows } = await api.db.query(
      `select user_id, subject_id, details from audit_log where organization_id = $1 and action = 'members.setRole'`,
      [id],
    );
    const details = { email: member.email, from: 'member', to: 'admin' };
    expect(rows).toEqual([{ user_id: owner.id, subject_id: member.id, details }]);
  });

  it("gives the person's key the rights of the new role with its next call", async () => {
    const { id } = await createOrganization(api.db);
    const owner = await createSignedIn(api.db, id, 'owner');
    const admin = await createPerson(api.db, { [id]: 'admin' });
    const headers = { 'x-api-key': await createUserKey(api.db, id, admin.id, everyPermission) };
    expect((await list(headers)).status).toBe(200);
    expect((await setRole(owner.headers, admin.id, 'member')).status).toBe(200);
    expect(await list(headers)).toMatchObject({ status: 403, body: { code: 'ACTION_NOT_ALLOWED' } });
    expect((await setRole(owner.headers, admin.id, 'admin')).status).toBe(200);
    expect((await list(headers)).status).toBe(200);
  });

  it('keeps the session that changes its own role, and one owner', async () => {
    const { owner, admin } = await createTeam();
    const refused = await setRole(owner.headers, owner.id, 'member');
    expect(refused).toMatchObject({ status: 400, body: { issues: [{ path: 'role' }] } });
    expect((await setRole(owner.headers, admin.id, 'owner')).status).toBe(200);
    expect((await setRole(owner.headers, owner.id, 'admin')).status).toBe(200);
    expect((await list(owner.headers)).status).toBe(200);
  });

  it('of two owners who step down at once, one stays', async () => {
    const { id, owner, admin } = await createTeam();
    await setRole(owner.headers, admin.id, 'owner');
    const other = await createSignedIn(api.db, id, 'owner');
    await setRole(other.headers, admin.id, 'member');
    const answers = await Promise.all([
      setRole(owner.headers, owner.id, 'member'),
      setRole(other.headers, other.id, 'member'),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('answers 403 to an admin who makes or unmakes an owner, and to members', async () => {
    const { owner, admin, member } = await createTeam();
    const refusal = { status: 403, body: { code: 'ACTION_NOT_ALLOWED' } };
    expect(await setRole(admin.headers, owner.id, 'member')).toMatchObject(refusal);
    expect(await setRole(admin.headers, admin.id, 'owner')).toMatchObject(refusal);
    expect(await setRole(member.headers, member.id, 'admin')).toMatchObject(refusal);
    expect((await setRole(admin.headers, member.id, 'admin')).status).toBe(200);
  });

  it('answers 404 for a user who is no member, and for the bot', async () => {
    const { id, owner } = await createTeam();
    const stranger = await createPerson(api.db, {});
    const { rows } = await api.db.query<{ id: string }>(
      `select u.id from memberships m join users u on u.id = m.user_id where m.organization_id = $1 and u.type = 'bot'`,
      [id],
    );
    for (const userId of [uuidv7(), stranger.id, rows[0]!.id]) {
      expect(await setRole(owner.headers, userId, 'member')).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
    }
  });

  it('answers 400 to an unknown role, takes back what GET shows, and changes nothing without a role', async () => {
    const { owner, member } = await createTeam();
    expect(await setRole(owner.headers, member.id, 'boss')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'role' }] },
    });
    const shown = (await list(owner.headers)).body.data[2];
    const path = `/organization/members/${member.id}`;
    expect((await api.call('PATCH', path, shown, { headers: owner.headers })).body).toEqual(shown);
    expect((await api.call('PATCH', path, {}, { headers: owner.headers })).body).toEqual(shown);
    expect((await api.call('GET', '/auth/session', undefined, { headers: member.headers })).status).toBe(200);
  });
});

describe('DELETE /organization/members/{id}', () => {
  const remove = (headers: Headers, id: string) =>
    api.call('DELETE', `/organization/members/${id}`, undefined, { headers: { ...headers } });

  it('answers 200 where an admin removes a member: their key and sessions end at once, and the audit log has it', async () => {
    const { id: organizationId, owner, admin, member } = await createTeam();
    const key = await createUserKey(api.db, organizationId, member.id, { shortLinks: ['read'] });
    expect(await remove(admin.headers, member.id)).toMatchObject({ status: 200, body: { rowCount: 1 } });
    const keyed = await api.call('GET', '/short-link/list', undefined, { headers: { 'x-api-key': key } });
    expect(keyed.status).toBe(401);
    const session = await api.call('GET', '/auth/session', undefined, { headers: { ...member.headers } });
    expect(session.status).toBe(401);
    const { body } = await api.call('GET', '/organization/audit?categories=people', undefined, {
      headers: { ...owner.headers },
    });
    const details = { email: member.email, role: 'member' };
    expect(body.data[0]).toMatchObject({ action: 'members.removed', subjectId: member.id, details });
    expect((await remove(admin.headers, member.id)).status).toBe(404);
  });

  it('answers 403 for members, and for admins who remove an owner; a key needs the permission', async () => {
    const { id: organizationId, owner, admin, member } = await createTeam();
    const refused = { status: 403, body: { code: 'ACTION_NOT_ALLOWED', resource: 'apiKeys', action: 'delete' } };
    expect(await remove(member.headers, admin.id)).toMatchObject(refused);
    expect(await remove(admin.headers, owner.id)).toMatchObject(refused);
    const key = { 'x-api-key': await createUserKey(api.db, organizationId, admin.id) };
    expect(await remove(key, owner.id)).toMatchObject(refused);
    expect((await remove(key, member.id)).status).toBe(200);
  });

  it('answers 409 for the caller, who leaves, so that the last owner stays', async () => {
    const { owner } = await createTeam();
    const { status, body } = await remove(owner.headers, owner.id);
    expect([status, body.code, body.message]).toEqual([
      409,
      'CONFLICT',
      expect.stringContaining('/auth/organization/leave'),
    ]);
  });

  it('of two owners who remove each other at once one stays', async () => {
    const { id: organizationId, owner } = await createTeam();
    const other = await createSignedIn(api.db, organizationId, 'owner');
    const [one, two] = await Promise.all([remove(owner.headers, other.id), remove(other.headers, owner.id)]);
    expect([one.status, two.status].filter((status) => status === 200)).toHaveLength(1);
  });
});
