import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { createSignedIn, createUserKey, everyPermission, joinOrganization, testOrigin } from '#test/support/people.ts';

const api = useTestApi();

type Headers = object;
const call = (method: 'GET' | 'POST' | 'DELETE', path: string, headers: Headers, body?: unknown) =>
  api.call(method, path, body, { headers: { ...headers } });
const transfer = (headers: Headers, userId: unknown) => call('POST', '/organization/transfer', headers, { userId });
const remove = (headers: Headers, name: string) =>
  call('DELETE', `/organization?name=${encodeURIComponent(name)}`, headers);
const progress = (token: string) => call('GET', `/organization/deletion?token=${token}`, { 'x-api-key': undefined });

/** An organization with an owner, an admin and a member, all signed in. */
async function createTeam() {
  const organization = await createOrganization(api.db);
  const { rows } = await api.db.query<{ name: string }>('select name from organizations where id = $1', [
    organization.id,
  ]);
  const [owner, admin, member] = [
    await createSignedIn(api.db, organization.id, 'owner'),
    await createSignedIn(api.db, organization.id, 'admin'),
    await createSignedIn(api.db, organization.id, 'member'),
  ];
  return { ...organization, name: rows[0]!.name, owner, admin, member };
}

const roleOf = async (organizationId: string, userId: string) => {
  const { rows } = await api.db.query<{ role: string }>(
    'select role from memberships where organization_id = $1 and user_id = $2',
    [organizationId, userId],
  );
  return rows[0]?.role;
};

const auditOf = async (organizationId: string, action: string) => {
  const { rows } = await api.db.query(
    'select user_id, subject_id from audit_log where organization_id = $1 and action = $2',
    [organizationId, action],
  );
  return rows;
};

describe('POST /organization/transfer', () => {
  it('200: the member is an owner, the caller an admin whose session goes on, and the audit log has both changes', async () => {
    const { id, owner, member } = await createTeam();
    const { status, body } = await transfer(owner.headers, member.id);
    expect({ status, body }).toEqual({ status: 200, body: { ownerId: member.id, role: 'admin' } });
    expect([await roleOf(id, member.id), await roleOf(id, owner.id)]).toEqual(['owner', 'admin']);
    const session = await call('GET', '/auth/session', owner.headers);
    expect([session.status, session.body.organization.role]).toEqual([200, 'admin']);
    // A role that has changed ends the sessions of the person (2.8).
    expect((await call('GET', '/auth/session', member.headers)).status).toBe(401);
    expect(await auditOf(id, 'members.setRole')).toHaveLength(2);
    expect(await transfer(owner.headers, member.id)).toMatchObject({
      status: 403,
      body: { code: 'ACTION_NOT_ALLOWED' },
    });
  });

  it('200: hands the ownership to a person who is an owner already', async () => {
    const { id, owner } = await createTeam();
    const second = await createSignedIn(api.db, id, 'owner');
    expect((await transfer(owner.headers, second.id)).status).toBe(200);
    expect([await roleOf(id, second.id), await roleOf(id, owner.id)]).toEqual(['owner', 'admin']);
  });

  it('two owners who hand the ownership to each other at once leave one owner', async () => {
    const { id, owner } = await createTeam();
    const second = await createSignedIn(api.db, id, 'owner');
    // One after the other: the second hands back what the first has handed on.
    const answers = await Promise.all([transfer(owner.headers, second.id), transfer(second.headers, owner.id)]);
    expect(answers.map(({ status }) => status)).toContain(200);
    expect([await roleOf(id, owner.id), await roleOf(id, second.id)].toSorted()).toEqual(['admin', 'owner']);
  });

  it('403 for admins and members, also towards an owner, and for keys', async () => {
    const { id, owner, admin, member } = await createTeam();
    const stranger = await createSignedIn(api.db, api.organization.id, 'member');
    for (const { id: own, headers } of [admin, member]) {
      // Themselves and a stranger too: the permission comes before validation and existence (1.4).
      for (const target of [owner.id, own, stranger.id, (await createSignedIn(api.db, id, 'member')).id]) {
        expect((await transfer(headers, target)).status).toBe(403);
      }
    }
    const headers = { 'x-api-key': await createUserKey(api.db, id, owner.id, everyPermission) };
    expect((await transfer(headers, member.id)).status).toBe(403);
    expect(await roleOf(id, owner.id)).toBe('owner');
  });

  it('400 for oneself and a wrong id, 404 for a person of another organization', async () => {
    const { owner } = await createTeam();
    const stranger = await createSignedIn(api.db, api.organization.id, 'member');
    const oneself = await transfer(owner.headers, owner.id);
    expect([oneself.status, oneself.body.issues[0].path]).toEqual([400, 'userId']);
    expect((await transfer(owner.headers, 'x')).body.issues[0].path).toBe('userId');
    expect((await transfer(owner.headers, stranger.id)).status).toBe(404);
  });
});

describe('DELETE /organization', () => {
  it('200: keys, sessions and names are gone at once, the session moves on, and the progress needs no session', async () => {
    const { id, key, name, owner, admin, folderId } = await createTeam();
    const home = await createOrganization(api.db);
    await joinOrganization(api.db, owner.id, home.id, 'member');
    const domain = await createDomain(api.db, id);
    await createLink(api.db, { organizationId: id, folderId, domainId: domain.id });
    const { status, body, headers } = await remove(owner.headers, name);
    expect({ status, body, cache: headers['cache-control'], cookie: headers['set-cookie'] }).toEqual({
      status: 200,
      body: { rowCount: 1, hasSession: true, progressToken: expect.any(String) },
      cache: 'no-store',
      cookie: undefined,
    });
    expect((await call('GET', '/auth/session', owner.headers)).body.organization.id).toBe(home.id);
    expect((await call('GET', '/auth/session', admin.headers)).status).toBe(401);
    expect((await call('GET', '/short-link/list', { 'x-api-key': key })).status).toBe(401);
    expect(await auditOf(id, 'organization.deleted')).toEqual([{ user_id: owner.id, subject_id: id }]);
    const running = await progress(body.progressToken);
    expect(running).toMatchObject({ status: 200, body: { state: 'running', links: 1, linksRemoved: 0 } });
    await api.db.query('delete from purges where id = $1', [id]);
    expect((await progress(body.progressToken)).body).toEqual({
      state: 'completed',
      links: null,
      linksRemoved: null,
      deletedAt: null,
    });
  });

  it('200: a person without another organization is signed out', async () => {
    const { name, owner } = await createTeam();
    const { body, headers } = await remove(owner.headers, name);
    expect(body.hasSession).toBe(false);
    expect(String(headers['set-cookie'])).toContain('Max-Age=0');
    expect((await call('GET', '/auth/session', owner.headers)).status).toBe(401);
  });

  it('400 for another name, in which case nothing is deleted', async () => {
    const { name, owner, key } = await createTeam();
    for (const wrong of [`${name}!`, name.toUpperCase() === name ? name.toLowerCase() : name.toUpperCase(), '']) {
      const { status, body } = await remove(owner.headers, wrong);
      expect([status, body.issues?.[0].path]).toEqual([400, 'name']);
    }
    expect((await call('DELETE', '/organization', owner.headers)).status).toBe(400);
    expect((await call('GET', '/short-link/list', { 'x-api-key': key })).status).toBe(200);
  });

  it('403 for admins and members, and for keys', async () => {
    const { id, name, owner, admin, member, key } = await createTeam();
    for (const { headers } of [admin, member]) {
      expect(await remove(headers, name)).toMatchObject({ status: 403, body: { code: 'ACTION_NOT_ALLOWED' } });
    }
    const headers = { 'x-api-key': await createUserKey(api.db, id, owner.id, everyPermission) };
    expect((await remove(headers, name)).status).toBe(403);
    expect((await call('GET', '/short-link/list', { 'x-api-key': key })).status).toBe(200);
  });

  it('of an owner who is made an admin and a deletion at once, the organization is deleted by an owner or stays', async () => {
    const { id, name, owner } = await createTeam();
    const second = await createSignedIn(api.db, id, 'owner');
    const [deleted, demoted] = await Promise.all([
      remove(second.headers, name),
      api.call('PATCH', `/organization/members/${second.id}`, { role: 'admin' }, { headers: owner.headers }),
    ]);
    const { rows } = await api.db.query<{ gone: boolean }>(
      'select deleted_at is not null as gone from organizations where id = $1',
      [id],
    );
    expect(rows).toEqual([{ gone: deleted.status === 200 }]);
    if (demoted.status === 200) expect(deleted.status).not.toBe(200);
  });
});

describe('GET /organization/deletion', () => {
  it('403 for a key, which it does not need', async () => {
    const headers = { 'x-api-key': api.organization.key };
    expect(await call('GET', '/organization/deletion?token=x', headers)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN', message: 'API keys cannot call this: send it without a key.' },
    });
  });

  it('400 for a token of something else, and for none', async () => {
    for (const token of ['x', 'A'.repeat(64), 'A'.repeat(200)]) {
      const { status, body } = await progress(token);
      expect([status, body.issues[0].path]).toEqual([400, 'token']);
    }
    const { headers } = { headers: { 'x-api-key': undefined, origin: testOrigin } };
    expect((await call('GET', '/organization/deletion', headers)).status).toBe(400);
  });
});
