import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createSignedIn, createUserKey, everyPermission } from '#test/support/people.ts';

const api = useTestApi();

const get = (headers: Record<string, string>) => api.call('GET', '/organization', undefined, { headers });
const patch = (headers: Record<string, string | undefined>, body: object) =>
  api.call('PATCH', '/organization', body, { headers });

async function createAdminKey(): Promise<{ id: string; headers: { 'x-api-key': string } }> {
  const { id } = await createOrganization(api.db);
  const admin = await createPerson(api.db, { [id]: 'admin' });
  return { id, headers: { 'x-api-key': await createUserKey(api.db, id, admin.id, everyPermission) } };
}

describe('GET /organization', () => {
  it('shows plan, quotas and usage to every key', async () => {
    const { id, key } = await createOrganization(api.db, { permissions: { stats: ['read'] } });
    const { headers } = await createSignedIn(api.db, id, 'owner');
    const destination = { type: 'link', value: 'https://example.com/' };
    await api.call('POST', '/short-link', { destination, tags: ['one', 'two'] }, { headers });
    const { status, body } = await get({ 'x-api-key': key });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, plan: 'premium', threatPolicy: 'warn' });
    expect(body.quotas).toMatchObject({ shortLinks: null, domains: 100, tags: 100, folders: 100 });
    expect(body.usage).toEqual({ shortLinks: 1, domains: 0, tags: 2, folders: 0, webhooks: 0, fileBytes: 0 });
  });

  it('answers 200 to the members of a free organization', async () => {
    const { id } = await createOrganization(api.db, { plan: 'free' });
    const member = await createSignedIn(api.db, id, 'member');
    const { status, body } = await api.call('GET', '/organization', undefined, { headers: member.headers });
    expect([status, body.plan, body.quotas.shortLinks]).toEqual([200, 'free', 10]);
  });
});

describe('PATCH /organization', () => {
  it('sets the policy for threats, and takes back what GET shows', async () => {
    const { id, headers } = await createAdminKey();
    const changed = await patch(headers, { threatPolicy: 'block' });
    expect([changed.status, changed.body.threatPolicy]).toEqual([200, 'block']);
    expect((await patch(headers, changed.body)).body).toEqual(changed.body);
    expect((await patch(headers, {})).body).toEqual(changed.body);
    const { rows } = await api.db.query('select threat_policy from organizations where id = $1', [id]);
    expect(rows).toEqual([{ threat_policy: 'block' }]);
  });

  it('renames the organization, which its members and its audit log then show', async () => {
    const { id } = await createOrganization(api.db);
    const { headers } = await createSignedIn(api.db, id, 'owner');
    const { status, body } = await api.call('PATCH', '/organization', { name: '  Ada & Co  ' }, { headers });
    expect([status, body.name, body.threatPolicy]).toEqual([200, 'Ada & Co', 'warn']);
    const session = await api.call('GET', '/auth/session', undefined, { headers });
    expect(session.body.organization.name).toBe('Ada & Co');
    const audit = await api.call('GET', '/organization/audit', undefined, { headers });
    expect(audit.body.data[0]).toMatchObject({ action: 'organization.updated', details: { name: 'Ada & Co' } });
  });

  it('writes no line in the audit log where nothing changes', async () => {
    const { id } = await createOrganization(api.db);
    const { headers } = await createSignedIn(api.db, id, 'owner');
    await patch(headers, { name: 'Ada & Co' });
    const { body } = await patch(headers, { name: 'Ada & Co', threatPolicy: 'warn' });
    expect(body).toMatchObject({ name: 'Ada & Co', threatPolicy: 'warn' });
    const { rows } = await api.db.query(
      `select details from audit_log where organization_id = $1 and action = 'organization.updated'`,
      [id],
    );
    expect(rows).toEqual([{ details: { name: 'Ada & Co' } }]);
  });

  it.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ color: 'red' }, 'color'],
  ])('answers 400 to %j', async (body, path) => {
    const { headers } = await createAdminKey();
    expect(await patch(headers, body)).toMatchObject({ status: 400, body: { issues: [{ path }] } });
  });
});
