import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetOldAudit } from '../../../db/audit.ts';
import { createTestApi, type TestApi } from '../../support/api.ts';
import { createDelivery } from '../../support/deliveries.ts';
import { createDomain, createOrganization } from '../../support/factories.ts';
import { createPerson, testPassword } from '../../support/people.ts';
import { createStaff, procedures, refusalOf, type TestStaff } from '../../support/tools.ts';

let api: TestApi;
let staff: TestStaff;
beforeAll(async () => {
  api = await createTestApi();
  staff = await createStaff(api.app, api.db, api.organization.id);
});
afterAll(() => api[Symbol.asyncDispose]());

const mutations = procedures.filter(({ type }) => type === 'mutation').map(({ path }) => path);

describe('the audit log', () => {
  it('has every action of the staff, once, without secrets', async () => {
    const { tools } = staff;
    const { id: organizationId, key } = await createOrganization(api.db);
    const person = await createPerson(api.db, { [organizationId]: 'member' });
    const { body: link } = await api.call(
      'POST',
      '/short-link',
      { destination: { type: 'link', value: 'https://audit.example/' } },
      { headers: { 'x-api-key': key } },
    );
    const domain = await createDomain(api.db, organizationId, { isVerified: false });
    const webhookId = uuidv7();
    await api.db.query(
      `insert into webhooks (id, organization_id, url, url_key, events, secret_sealed)
       values ($1, $2, 'https://audit.example/', 'x', '{link.created}', '')`,
      [webhookId, organizationId],
    );
    const delivery = await createDelivery(api.db, webhookId);
    const keys = await tools.apiKeys.list.query({ organizationId });

    const password = 'a password that nobody is told';
    const made = await tools.organizations.create.mutate({
      name: 'Audited',
      plan: 'free',
      ownerEmail: 'audited@example.com',
      ownerPassword: password,
    });
    await tools.organizations.setPlan.mutate({ id: organizationId, plan: 'premium' });
    await tools.links.setActive.mutate({ id: link.id, isActive: false });
    await tools.domains.check.mutate({ id: domain.id });
    await tools.webhooks.redeliver.mutate({ id: webhookId, deliveryId: delivery.id });
    await tools.webhooks.enable.mutate({ id: webhookId });
    await tools.organizations.suspend.mutate({ id: organizationId });
    await tools.organizations.resume.mutate({ id: organizationId });
    const added = await tools.members.add.mutate({
      organizationId,
      email: 'new@audit.example',
      role: 'admin',
      password,
    });
    await tools.members.remove.mutate({ organizationId, userId: person.id });
    await tools.apiKeys.revoke.mutate({ id: keys.items[0]!.id });
    await tools.organizations.delete.mutate({ id: made.id });

    const { items } = await tools.audit.list.query();
    expect(items.every(({ userId, email }) => userId === staff.id && email === staff.email)).toBe(true);
    const seen = items.map(({ action, organizationId: of, subjectId, details }) => [action, of, subjectId, details]);
    expect(seen.toReversed()).toEqual([
      ['organizations.create', made.id, made.id, { name: 'Audited', plan: 'free', ownerId: made.owner.id }],
      ['organizations.setPlan', organizationId, organizationId, { plan: 'premium' }],
      ['links.setActive', organizationId, link.id, { isActive: false }],
      ['domains.check', organizationId, domain.id, { domain: domain.domain }],
      ['webhooks.redeliver', organizationId, webhookId, { deliveryId: delivery.id }],
      ['webhooks.enable', organizationId, webhookId, {}],
      ['organizations.suspend', organizationId, organizationId, {}],
      ['organizations.resume', organizationId, organizationId, {}],
      ['members.add', organizationId, added.userId, { role: 'admin' }],
      ['members.remove', organizationId, person.id, {}],
      ['apiKeys.revoke', organizationId, keys.items[0]!.id, { type: 'bot', name: 'Test key' }],
      ['organizations.delete', made.id, made.id, { name: 'Audited' }],
    ]);
    // No procedure that changes something can be left out of this test, nor of the log.
    expect(items.map(({ action }) => action).toSorted()).toEqual(mutations.toSorted());
    expect(JSON.stringify(items)).not.toMatch(/nobody is told|wm_live_|correct horse/);
    expect(testPassword).toContain('correct horse');
  });

  it('has nothing of what was refused or did not come about', async () => {
    const before = (await staff.tools.audit.list.query()).items.length;
    const unknownId = uuidv7();
    await refusalOf(staff.tools.organizations.suspend.mutate({ id: unknownId }));
    await refusalOf(staff.tools.organizations.delete.mutate({ id: unknownId }));
    await refusalOf(staff.tools.members.remove.mutate({ organizationId: unknownId, userId: unknownId }));
    await refusalOf(staff.tools.links.setActive.mutate({ id: unknownId, isActive: true }));
    expect((await staff.tools.audit.list.query()).items).toHaveLength(before);
    // Where the log cannot be written nothing is done.
    const { id } = await createOrganization(api.db);
    await api.db.query('alter table audit_log add constraint full_log check (false) not valid');
    const refusal = await refusalOf(staff.tools.organizations.suspend.mutate({ id }));
    await api.db.query('alter table audit_log drop constraint full_log');
    expect(refusal.error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', message: '' });
    expect((await staff.tools.organizations.get.query({ id })).isSuspended).toBe(false);
  });

  it('is read by organization, action, person and subject, in pages', async () => {
    const other = await createStaff(api.app, api.db, api.organization.id);
    const { id } = await createOrganization(api.db);
    for (const change of ['suspend', 'resume'] as const) await other.tools.organizations[change].mutate({ id });
    const actions = async (input: { search?: string; organizationId?: string }) =>
      (await staff.tools.audit.list.query(input)).items.map(({ action }) => action);
    const both = ['organizations.resume', 'organizations.suspend'];
    expect(await actions({ organizationId: id })).toEqual(both);
    expect(await actions({ search: other.email.toUpperCase() })).toEqual(both);
    expect(await actions({ search: id })).toEqual(both);
    expect(await actions({ organizationId: id, search: 'SUSPEND' })).toEqual(['organizations.suspend']);
    const first = await staff.tools.audit.list.query({ organizationId: id, limit: 1 });
    const second = await staff.tools.audit.list.query({ organizationId: id, limit: 1, cursor: first.nextCursor! });
    expect([first, second].flatMap(({ items }) => items.map(({ action }) => action))).toEqual(both);
    expect(second.nextCursor).toBeNull();
  });

  it('is kept for a year', async () => {
    const write = (at: string) =>
      api.db.query(
        `insert into audit_log (id, at, user_id, action, details)
         values (gen_random_uuid(), now() - $1::interval, gen_random_uuid(), 'old ' || $1, '{}')`,
        [at],
      );
    await write('1 year 1 hour');
    await write('364 days');
    await forgetOldAudit(api.db);
    const { items } = await staff.tools.audit.list.query({ search: 'old ' });
    expect(items.map(({ action, email }) => [action, email])).toEqual([['old 364 days', null]]);
  });
});
