import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi, testSite } from '#test/support/api.ts';
import { outboxOf } from '#test/support/deliveries.ts';
import { useTestEdge } from '#test/support/edge.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { eventually } from '#test/support/eventually.ts';
import {
  createDomain,
  createOrganization,
  findPlatformDomain,
  type TestOrganization,
} from '#test/support/factories.ts';
import { createSignedIn } from '#test/support/people.ts';
import { createStaff, refusalOf, type TestStaff } from '#test/support/tools.ts';
import { insertRow } from '#test/support/rows.ts';

let api: TestApi;
let staff: TestStaff;
const edge = useTestEdge();
beforeAll(async () => {
  const { db, databaseUrl } = edge;
  api = await createTestApi({ besides: { databaseUrl, organization: edge.organization } });
  const home = await createOrganization(db);
  staff = await createStaff(api.app, db, home.id);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

const list = (headers: Record<string, string | undefined>) =>
  api.call('GET', '/short-link/list', undefined, { headers });

/** A link of an organization on the platform's domain. */
async function platformLink({ id: organizationId, folderId }: TestOrganization): Promise<{ slug: string }> {
  return createLink(edge.db, { organizationId, folderId, domainId: await findPlatformDomain(edge.db) });
}

describe('a suspension by the staff', () => {
  it('a suspension and its end are in force at once for keys and sessions, and within a second at the edge', async () => {
    const { organization, domain } = edge;
    const member = await createSignedIn(edge.db, organization.id, 'owner');
    const own = await edge.link();
    const onPlatform = await platformLink(organization);
    const others = await platformLink(await createOrganization(edge.db));
    const visits = async () => {
      const host = testSite.platformHost;
      const answers = await Promise.all([
        edge.visit(`/${own.slug}`),
        edge.visit('/'),
        edge.visit(`/${onPlatform.slug}`, { host }),
        edge.visit(`/${others.slug}`, { host }),
      ]);
      return answers.map(({ status }) => status);
    };
    const calls = async () => [(await list({})).status, (await list(member.headers)).status];
    expect(await visits()).toEqual([302, 200, 302, 302]);
    expect(await calls()).toEqual([200, 200]);

    const suspended = await staff.tools.organizations.suspend.mutate({ id: organization.id });
    expect(suspended).toMatchObject({ id: organization.id, isSuspended: true });
    expect(await calls()).toEqual([403, 403]);
    await eventually(visits, (statuses) => statuses.join() === '404,404,404,302');

    expect(await staff.tools.organizations.resume.mutate({ id: organization.id })).toMatchObject({
      isSuspended: false,
      suspendedAt: null,
    });
    expect(await calls()).toEqual([200, 200]);
    await eventually(visits, (statuses) => statuses.join() === '302,200,302,302');
    expect(domain.domain).not.toBe(testSite.platformHost);
  });

  it('staff read their session and use their tools in a suspended organization, whose others are refused', async () => {
    const { id } = await createOrganization(edge.db);
    const halted = await createStaff(api.app, edge.db, id);
    const member = await createSignedIn(edge.db, id, 'owner');
    await halted.tools.organizations.suspend.mutate({ id });
    const read = (path: string, { headers }: { headers: Record<string, string | undefined> }) =>
      api.call('GET', path, undefined, { headers: { 'x-api-key': undefined, ...headers } });
    expect(await read('/auth/session', halted)).toMatchObject({
      status: 200,
      body: { organization: { id, isSuspended: true } },
    });
    expect((await read('/short-link/list', halted)).status).toBe(403);
    expect((await read('/auth/session', member)).status).toBe(403);
    expect(await halted.tools.organizations.resume.mutate({ id })).toMatchObject({ isSuspended: false });
    expect((await read('/auth/session', member)).status).toBe(200);
  });

  it('a second suspension keeps the beginning of the first', async () => {
    const { id } = await createOrganization(edge.db);
    const first = await staff.tools.organizations.suspend.mutate({ id });
    const second = await staff.tools.organizations.suspend.mutate({ id });
    expect(second.suspendedAt).toBe(first.suspendedAt);
    expect(second.updatedAt > first.updatedAt).toBe(true);
  });

  it('a suspension and its end enqueue the organization’s webhooks and wake the relay', async () => {
    const { id } = await createOrganization(edge.db);
    const { id: webhookId } = await insertRow(edge.db, 'webhooks', { organization_id: id });
    for (const change of ['suspend', 'resume'] as const) {
      const wakes = api.wakes;
      await staff.tools.organizations[change].mutate({ id });
      expect(await outboxOf(edge.db, webhookId)).toEqual(['webhook']);
      expect(api.wakes).toBe(wakes + 1);
      await edge.db.query('delete from outbox where subject_id = $1', [webhookId]);
    }
  });

  it('suspending an unknown or deleted organization is answered 404', async () => {
    const { id } = await createOrganization(edge.db);
    await edge.db.query('update organizations set deleted_at = now() where id = $1', [id]);
    for (const change of ['suspend', 'resume'] as const)
      expect((await refusalOf(staff.tools.organizations[change].mutate({ id }))).error.code).toBe('NOT_FOUND');
    expect((await refusalOf(staff.tools.organizations.get.query({ id }))).error.code).toBe('NOT_FOUND');
    const { items } = await staff.tools.organizations.list.query({ organizationId: id });
    expect(items).toEqual([]);
  });

  it('many suspensions and resumptions at once end with one state everywhere', async () => {
    const { id, key } = await createOrganization(edge.db);
    const { id: domainId, domain: host } = await createDomain(edge.db, id);
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        staff.tools.organizations[index % 2 === 0 ? 'suspend' : 'resume'].mutate({ id }),
      ),
    );
    const { isSuspended } = await staff.tools.organizations.get.query({ id });
    expect((await list({ 'x-api-key': key })).status).toBe(isSuspended ? 403 : 200);
    await eventually(
      async () => (await edge.visit('/', { host })).status,
      (status) => status === (isSuspended ? 404 : 200),
    );
    expect(domainId).toBeDefined();
  });
});

describe('another plan', () => {
  it('another plan is in force with the next call', async () => {
    const { id, key } = await createOrganization(edge.db);
    const headers = { 'x-api-key': key };
    expect((await list(headers)).status).toBe(200);
    expect(await staff.tools.organizations.setPlan.mutate({ id, plan: 'free' })).toMatchObject({ id, plan: 'free' });
    expect(await list(headers)).toMatchObject({ status: 403, body: { code: 'FEATURE_NOT_AVAILABLE' } });
    await staff.tools.organizations.setPlan.mutate({ id, plan: 'premium' });
    expect((await list(headers)).status).toBe(200);
    const refusal = await refusalOf(staff.tools.organizations.setPlan.mutate({ id, plan: 'gold' as 'free' }));
    expect(refusal.error).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: 'plan' }] });
  });
});
