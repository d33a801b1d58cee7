import { describe, expect, it } from 'vitest';
import { endOldViews } from '#commands/organizations/staff-views.ts';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { readDescription, readDocument } from '#test/support/openapi.ts';
import { createSignedIn, testOrigin } from '#test/support/people.ts';
import { createStaff, createToolsClient, refusalOf, type TestStaff } from '#test/support/tools.ts';

const api = useTestApi();

const reason = 'Complaint 4711';
const unknownId = '01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10';
const moment = expect.stringMatching(/^\d{4}-.*Z$/) as string;

/** An organization with a link and its owner, and one of the staff who looks at it. */
async function scene() {
  const organization = await createOrganization(api.db);
  const owner = await createSignedIn(api.db, organization.id, 'owner');
  const draft = { destination: { type: 'link', value: 'https://seen.example/' }, title: 'Seen' };
  const { body: link } = await api.call('POST', '/short-link', draft, { headers: { 'x-api-key': organization.key } });
  const staff = await createStaff(api.app, api.db, api.organization.id);
  return { organization, owner, link: link as { id: string }, staff };
}

const as = (staff: TestStaff) => (method: string, path: string, body?: unknown) =>
  api.call(method as 'GET', path, body, { headers: staff.headers });

/** What the organization reads of staff in its own audit log, the earliest first. */
async function auditOf(key: { headers: Record<string, string | undefined> }) {
  const { body } = await api.call('GET', '/organization/audit?categories=staff', undefined, key);
  return (body.data as { action: string; caller: object; details: object; count: number }[]).toReversed();
}

describe('organizations.view', () => {
  it('staff read an organization as its owner does, and every read is in its audit log without their name', async () => {
    const { organization, owner, link, staff } = await scene();
    const call = as(staff);
    expect((await call('GET', `/short-link/${link.id}`)).status).toBe(403);
    const view = await staff.tools.organizations.view.mutate({ id: organization.id, reason });
    expect(view).toEqual({ organizationId: organization.id, name: expect.any(String), until: moment });
    const minutes = (new Date(view.until).getTime() - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(59);
    expect(minutes).toBeLessThan(60.1);

    const session = await call('GET', '/auth/session');
    expect(session).toMatchObject({
      status: 200,
      body: {
        user: { id: staff.id, isStaff: true, organizations: [{ id: api.organization.id }] },
        organization: { id: organization.id, role: 'owner' },
        viewing: { reason, until: view.until },
        permissions: { shortLinks: ['read'], apiKeys: ['read'], webhooks: ['read'] },
      },
    });
    expect((await call('GET', `/short-link/${link.id}`)).body).toMatchObject({ id: link.id, title: 'Seen' });
    const list = await call('GET', '/short-link/list?search=seen');
    expect(list.body.data).toMatchObject([{ id: link.id }]);
    expect((await call('GET', '/api-key/list')).body).not.toHaveProperty('key');
    expect((await call('GET', '/organization')).body).toMatchObject({ id: organization.id });
    // The session of another person is not one of them.
    expect((await api.call('GET', '/auth/session', undefined, owner)).body).toMatchObject({ viewing: null });

    expect(await staff.tools.organizations.endView.mutate()).toEqual({ rowCount: 1 });
    expect(await staff.tools.organizations.endView.mutate()).toEqual({ rowCount: 0 });
    expect((await call('GET', '/auth/session')).body).toMatchObject({
      organization: { id: api.organization.id },
      viewing: null,
    });
    expect((await call('GET', `/short-link/${link.id}`)).status).toBe(403);

    const lines = await auditOf(owner);
    expect(lines.map(({ action, details }) => [action, details])).toEqual([
      ['organizations.view', { reason, until: view.until }],
      ['view.getShortLink', {}],
      ['view.listShortLinks', {}],
      ['view.listApiKeys', {}],
      ['view.getOrganization', {}],
      ['organizations.endView', { beganAt: moment, endedAt: moment }],
    ]);
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${staff.email}|${staff.id}`));
    const { items } = await staff.tools.audit.list.query({ organizationId: organization.id, caller: 'staff' });
    expect(items.every(({ userId }) => userId === staff.id)).toBe(true);
    expect(items.find(({ action }) => action === 'view.listShortLinks')?.details).toEqual({ search: 'seen' });
  });

  it(
    'every call of the API that changes something is refused while staff look at an organization',
    { tags: 'slow' },
    async () => {
      const { organization, link, staff } = await scene();
      await staff.tools.organizations.view.mutate({ id: organization.id, reason });
      const { operations } = readDescription(await readDocument(api));
      // Calls that look at no session, the end of the session, and a second factor that confirms it.
      const others = new Set([
        'POST /auth/login',
        'POST /auth/login/second-factor',
        'POST /auth/login/passkey-options',
        'POST /auth/login/passkey',
        'POST /auth/logout',
        'POST /auth/confirm',
        'POST /auth/confirm/passkey-options',
        'POST /auth/oidc/start',
        'POST /auth/invitation',
        'POST /auth/invitation/accept',
        'POST /auth/password/forgot',
        'POST /auth/password/reset',
      ]);
      const changes = operations.filter(({ method }) => method !== 'GET');
      const names = changes.map(({ method, path }) => `${method} ${path}`);
      expect([...others].filter((name) => !names.includes(name))).toEqual([]);
      const before = await api.db.query('select from short_links');
      for (const [index, { method, path }] of changes.entries()) {
        if (others.has(names[index]!)) continue;
        const url = path.replaceAll(/\{\w+\}/g, link.id);
        const { status, body } = await as(staff)(method, url, method === 'DELETE' ? undefined : {});
        expect([names[index], status, body.code, body.message]).toEqual([
          names[index],
          403,
          'FORBIDDEN',
          'You look at this organization as staff, read-only: nothing can be changed.',
        ]);
      }
      expect(changes.length).toBeGreaterThan(60);
      expect((await api.db.query('select from short_links')).rowCount).toBe(before.rowCount);
      // The tools of the staff work on, with lines of their own.
      expect(await staff.tools.links.setActive.mutate({ id: link.id, isActive: false })).toMatchObject({
        isActive: false,
      });
    },
  );

  it('a view ends after its time, and housekeeping records the end', async () => {
    const { organization, owner, staff } = await scene();
    await staff.tools.organizations.view.mutate({ id: organization.id, reason });
    await api.db.query(`update staff_views set until = now() - interval '5 minutes' where user_id = $1`, [staff.id]);
    expect((await as(staff)('GET', '/auth/session')).body).toMatchObject({
      organization: { id: api.organization.id },
      viewing: null,
    });
    await endOldViews(api.em.fork(), new Date());
    await endOldViews(api.em.fork(), new Date());
    const lines = await auditOf(owner);
    expect(lines.map(({ action }) => action)).toEqual(['organizations.view', 'organizations.endView']);
    const { endedAt } = lines[1]!.details as { endedAt: string };
    expect(new Date(endedAt).getTime()).toBeLessThan(Date.now() - 4 * 60_000);
  });

  it('a view ends with the right of staff, with the session and with the organization', async () => {
    const { organization, owner, staff } = await scene();
    const { view } = staff.tools.organizations;
    const viewed = async () => (await as(staff)('GET', '/auth/session')).body?.organization?.id as unknown;
    await view.mutate({ id: organization.id, reason });
    await api.db.query('update users set is_staff = false where id = $1', [staff.id]);
    expect(await viewed()).toBe(api.organization.id);
    await api.db.query('update users set is_staff = true where id = $1', [staff.id]);
    expect(await viewed()).toBe(organization.id);

    expect((await as(staff)('POST', '/auth/logout')).status).toBe(200);
    expect((await as(staff)('GET', '/auth/session')).status).toBe(401);
    expect((await auditOf(owner)).map(({ action }) => action)).toEqual(['organizations.view', 'organizations.endView']);

    // A session that ends elsewhere.
    const second = await createStaff(api.app, api.db, api.organization.id);
    await second.tools.organizations.view.mutate({ id: organization.id, reason });
    await staffEnds(second);
    await endOldViews(api.em.fork(), new Date());
    expect((await auditOf(owner)).map(({ action }) => action).slice(2)).toEqual([
      'organizations.view',
      'organizations.endView',
    ]);

    const third = await createStaff(api.app, api.db, api.organization.id);
    await third.tools.organizations.view.mutate({ id: organization.id, reason });
    await api.db.query('update organizations set deleted_at = now() where id = $1', [organization.id]);
    const { body } = await as(third)('GET', '/auth/session');
    expect(body).toMatchObject({ organization: { id: api.organization.id }, viewing: null });
  });

  it('another view replaces the first, and a suspended organization can be looked at', async () => {
    const one = await scene();
    const two = await createOrganization(api.db, { suspended: true });
    const { view } = one.staff.tools.organizations;
    await view.mutate({ id: one.organization.id, reason });
    await view.mutate({ id: two.id, reason });
    const { body } = await as(one.staff)('GET', '/auth/session');
    expect(body).toMatchObject({ organization: { id: two.id, isSuspended: true }, viewing: { reason } });
    expect((await as(one.staff)('GET', '/short-link/list')).status).toBe(200);
    expect((await auditOf(one.owner)).map(({ action }) => action)).toEqual([
      'organizations.view',
      'organizations.endView',
    ]);
  });

  it('a view needs a reason, an organization, a right and the own origin', async () => {
    const { organization, owner, staff } = await scene();
    const { view } = staff.tools.organizations;
    expect((await refusalOf(view.mutate({ id: organization.id, reason: ' ' }))).error.code).toBe('VALIDATION_ERROR');
    expect((await refusalOf(view.mutate({ id: unknownId, reason }))).error.code).toBe('NOT_FOUND');
    const elsewhere = createToolsClient(api.app, { ...staff.headers, origin: 'https://evil.example' });
    for (const { organizations } of [elsewhere, createToolsClient(api.app, owner.headers)]) {
      const refusal = await refusalOf(organizations.view.mutate({ id: organization.id, reason }));
      expect(refusal.error.code).toBe('FORBIDDEN');
    }
    expect((await as(staff)('GET', '/auth/session')).body).toMatchObject({ viewing: null });
    await view.mutate({ id: organization.id, reason });
    expect((await refusalOf(elsewhere.organizations.endView.mutate())).error.code).toBe('FORBIDDEN');
    expect(staff.headers['origin']).toBe(testOrigin);
  });

  it('a read that cannot be recorded is refused', async () => {
    const { organization, staff } = await scene();
    await staff.tools.organizations.view.mutate({ id: organization.id, reason });
    await api.db.query('alter table audit_log add constraint full_log check (false) not valid');
    const { status } = await as(staff)('GET', '/short-link/list');
    await api.db.query('alter table audit_log drop constraint full_log');
    expect(status).toBe(500);
    expect((await as(staff)('GET', '/short-link/list')).status).toBe(200);
  });
});

/** Ends all sessions of one of the staff, as a new password does. */
async function staffEnds({ id }: TestStaff): Promise<void> {
  await api.db.query('delete from sessions where user_id = $1', [id]);
}
