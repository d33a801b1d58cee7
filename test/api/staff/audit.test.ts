import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { forgetLines } from '#db/audit/audit-chains.ts';
import { addLinkReport } from '#db/reports/add.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { createDelivery } from '#test/support/deliveries.ts';
import { createDomain, createFile, createOrganization } from '#test/support/factories.ts';
import { createPerson, testOrigin, testPassword } from '#test/support/people.ts';
import { createStaff, procedures, refusalOf, useStaff } from '#test/support/tools.ts';
import { insertRow, secondsAgo } from '#test/support/rows.ts';

const api = useOwnTestApi();
const staff = useStaff(api);

const mutations = procedures.filter(({ type }) => type === 'mutation').map(({ path }) => path);

describe('the audit log', () => {
  it('every action of the staff has one audit line, without secrets', { tags: 'slow' }, async () => {
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
    const { id: webhookId } = await insertRow(api.db, 'webhooks', { organization_id: organizationId });
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
    await tools.organizations.setGpc.mutate({ id: organizationId, honoursGpc: true });
    await tools.organizations.setThreatPolicy.mutate({ id: organizationId, threatPolicy: 'block' });
    const { originUrl: name } = await tools.links.setActive.mutate({ id: link.id, isActive: false });
    await tools.links.takeDown.mutate({ id: link.id, reason: 'Phishing.' });
    await tools.links.restore.mutate({ id: link.id });
    const fileId = await createFile(api.db, organizationId, 'meta-tag');
    await tools.files.takeDown.mutate({ id: fileId, reason: 'Phishing.' });
    await tools.files.restore.mutate({ id: fileId });
    await addLinkReport(api.db, {
      linkId: link.id,
      organizationId,
      client: 'a client',
      reason: 'spam',
      comment: 'Not what it says.',
    });
    const { items: reports } = await tools.linkReports.list.query({ organizationId });
    await tools.linkReports.close.mutate({ id: reports[0]!.id, resolution: 'acted' });
    await tools.domains.check.mutate({ id: domain.id });
    await tools.webhooks.redeliver.mutate({ id: webhookId, deliveryId: delivery.id });
    await tools.webhooks.enable.mutate({ id: webhookId });
    const range = await tools.webhooks.recover.mutate({ id: webhookId, since: new Date().toISOString() });
    await tools.webhooks.pause.mutate({ id: webhookId });
    await tools.webhooks.resume.mutate({ id: webhookId });
    await tools.organizations.suspend.mutate({ id: organizationId, reason: 'Unpaid.' });
    await tools.organizations.resume.mutate({ id: organizationId });
    const added = await tools.members.add.mutate({
      organizationId,
      email: 'new@audit.example',
      role: 'admin',
      password,
    });
    await tools.people.endSessions.mutate({ id: person.id });
    await tools.members.remove.mutate({ organizationId, userId: person.id });
    await tools.apiKeys.revoke.mutate({ id: keys.items[0]!.id });
    await tools.organizations.delete.mutate({ id: made.id });

    const view = await tools.organizations.view.mutate({ id: organizationId, reason: 'Complaint 4711' });
    await tools.organizations.endView.mutate();

    const { items } = await tools.audit.list.query();
    expect(items.every(({ userId, email }) => userId === staff.id && email === staff.email)).toBe(true);
    const seen = items.map(({ action, organizationId: of, subjectId, details }) => [action, of, subjectId, details]);
    expect(seen.toReversed()).toEqual([
      ['apiKeys.list', organizationId, null, {}],
      ['organizations.create', made.id, made.id, { name: 'Audited', plan: 'free', ownerId: made.owner.id }],
      ['organizations.setPlan', organizationId, organizationId, { plan: 'premium' }],
      ['organizations.setGpc', organizationId, organizationId, { honoursGpc: true }],
      ['organizations.setThreatPolicy', organizationId, organizationId, { threatPolicy: 'block' }],
      ['links.setActive', organizationId, link.id, { name, isActive: false }],
      ['links.takeDown', organizationId, link.id, { name, reason: 'Phishing.' }],
      ['links.restore', organizationId, link.id, { name }],
      ['files.takeDown', organizationId, fileId, { name: 'image.png', reason: 'Phishing.' }],
      ['files.restore', organizationId, fileId, { name: 'image.png' }],
      ['linkReports.list', organizationId, null, {}],
      ['linkReports.close', organizationId, reports[0]!.id, { linkId: link.id, resolution: 'acted' }],
      ['domains.check', organizationId, domain.id, { domain: domain.domain }],
      ['webhooks.redeliver', organizationId, webhookId, { deliveryId: delivery.id }],
      ['webhooks.enable', organizationId, webhookId, {}],
      ['webhooks.recover', organizationId, webhookId, range],
      ['webhooks.pause', organizationId, webhookId, {}],
      ['webhooks.resume', organizationId, webhookId, {}],
      ['organizations.suspend', organizationId, organizationId, { reason: 'Unpaid.' }],
      ['organizations.resume', organizationId, organizationId, {}],
      ['members.add', organizationId, added.userId, { email: 'new@audit.example', role: 'admin' }],
      ['people.endSessions', null, person.id, { sessions: 0 }],
      ['members.remove', organizationId, person.id, {}],
      ['apiKeys.revoke', organizationId, keys.items[0]!.id, { type: 'bot', name: 'Test key' }],
      ['organizations.delete', made.id, made.id, { name: 'Audited' }],
      ['organizations.view', organizationId, organizationId, { reason: 'Complaint 4711', until: view.until }],
      [
        'organizations.endView',
        organizationId,
        organizationId,
        { beganAt: expect.any(String) as string, endedAt: expect.any(String) as string },
      ],
    ]);
    // No procedure that changes something can be left out of this test, nor of the log.
    const changes = items.map(({ action }) => action).filter((action) => !action.endsWith('.list'));
    expect(changes.toSorted()).toEqual(mutations.toSorted());
    expect(JSON.stringify(items)).not.toMatch(/nobody is told|wm_live_|correct horse/);
    expect(testPassword).toContain('correct horse');
  });

  it('refused and failed actions have no audit line', async () => {
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

  it('the audit log is read by organization, action, user and subject, in pages', async () => {
    const other = await createStaff(api.app, api.db, api.organization.id);
    const { id } = await createOrganization(api.db);
    for (const change of ['suspend', 'resume'] as const) await other.tools.organizations[change].mutate({ id });
    const actions = async (input: Parameters<typeof staff.tools.audit.list.query>[0]) =>
      (await staff.tools.audit.list.query(input)).items.map(({ action }) => action);
    const both = ['organizations.resume', 'organizations.suspend'];
    expect(await actions({ organizationId: id })).toEqual(both);
    expect(await actions({ search: other.email.toUpperCase() })).toEqual(both);
    expect(await actions({ search: id })).toEqual(both);
    expect(await actions({ organizationId: id, search: 'SUSPEND' })).toEqual(['organizations.suspend']);
    expect(await actions({ organizationId: id, caller: 'staff', userId: other.id })).toEqual(both);
    expect(await actions({ organizationId: id, caller: 'member' })).toEqual([]);
    expect(await actions({ organizationId: id, userId: staff.id })).toEqual([]);
    expect(await actions({ organizationId: id, since: '2020-01-01T00:00:00Z' })).toEqual(both);
    expect(await actions({ organizationId: id, until: '2020-01-01T00:00:00Z' })).toEqual([]);
    const first = await staff.tools.audit.list.query({ organizationId: id, limit: 1 });
    const second = await staff.tools.audit.list.query({ organizationId: id, limit: 1, cursor: first.nextCursor! });
    expect([first, second].flatMap(({ items }) => items.map(({ action }) => action))).toEqual(both);
    expect(second.nextCursor).toBeNull();
  });

  it('reads by the staff have one audit line an hour for each subject, with a count', async () => {
    const reader = await createStaff(api.app, api.db, api.organization.id);
    const { id } = await createOrganization(api.db);
    const { id: webhookId } = await insertRow(api.db, 'webhooks', { organization_id: id });
    const { tools } = reader;
    const before = await api.db.query('select from audit_log');
    for (let time = 0; time < 3; time += 1) await tools.organizations.get.query({ id });
    await tools.links.search.query({ organizationId: id, search: 'secret plans' });
    await tools.links.search.query({ search: 'other plans' });
    await tools.webhooks.deliveries.query({ id: webhookId });
    await tools.members.list.query();
    await refusalOf(tools.organizations.get.query({ id: uuidv7() }));
    await refusalOf(tools.links.search.query({ limit: 0 }));
    // Neither says anything of a customer.
    await tools.system.health.query();
    const { items } = await tools.audit.list.query({ search: reader.email });
    const seen = items.map(({ action, organizationId, subjectId, details, count }) => [
      action,
      organizationId,
      subjectId,
      details,
      count,
    ]);
    const expected = [
      ['organizations.get', id, id, {}, 3],
      ['links.search', id, null, { search: 'secret plans' }, 1],
      ['links.search', null, null, { search: 'other plans' }, 1],
      ['webhooks.deliveries', id, webhookId, {}, 1],
      ['members.list', null, null, {}, 1],
    ];
    // At the full hour the three reads of one thing would be two rows.
    if (seen.length === expected.length) expect(seen.toReversed()).toEqual(expected);
    else expect(new Set(seen.map(([action]) => action))).toEqual(new Set(expected.map(([action]) => action)));
    expect(items[0]!.lastAt >= items[0]!.at).toBe(true);
    expect((await api.db.query('select from audit_log')).rowCount! - before.rowCount!).toBe(items.length);
    await api.db.query('alter table audit_log add constraint full_log check (false) not valid');
    const refusal = await refusalOf(tools.organizations.get.query({ id: api.organization.id }));
    await api.db.query('alter table audit_log drop constraint full_log');
    expect(refusal.error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', message: '' });
  });

  it('sign-ins, failed and throttled ones too, have audit lines', { tags: 'slow' }, async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'member' });
    const homeless = await createPerson(api.db, {});
    const signIn = (email: string, password: string) =>
      api.call('POST', '/auth/login', { email, password }, { headers: { 'x-api-key': undefined } });
    const { headers } = await signIn(person.email, testPassword);
    await signIn(homeless.email, testPassword);
    const session = {
      'x-api-key': undefined,
      cookie: String(headers['set-cookie']).split(';')[0]!,
      origin: testOrigin,
    };
    const change = (current: string) =>
      api.call('POST', '/auth/password', { current, next: 'a better password' }, { headers: session });
    expect((await change('wrong')).status).toBe(400);
    expect((await change(testPassword)).status).toBe(200);
    for (let time = 0; time < 12; time += 1) await signIn(person.email, 'wrong');
    const { items } = await staff.tools.audit.list.query({ search: 'auth.' });
    const of = (userId: string | null) =>
      Object.fromEntries(
        Object.entries(
          Object.groupBy(
            items.filter((item) => item.userId === userId),
            ({ action }) => action,
          ),
        ).map(([action, rows]) => [action, rows!.reduce((sum, { count }) => sum + count, 0)]),
      );
    expect(of(person.id)).toEqual({
      'auth.login': 1,
      'auth.passwordFailed': 1,
      'auth.password': 1,
      // The wrong current password counts too.
      'auth.loginFailed': 9,
      'auth.loginThrottled': 3,
    });
    expect(of(homeless.id)).toEqual({ 'auth.loginRefused': 1 });
    const login = items.find(({ userId, action }) => userId === person.id && action === 'auth.login');
    expect(login).toMatchObject({ email: person.email, organizationId: api.organization.id });
    expect(JSON.stringify(items)).not.toMatch(/127\.0\.0\.1|wrong|correct horse|better password/);
  });

  it('a flood of sign-ins adds a row or two to the audit log', { tags: 'nightly' }, async () => {
    const rows = async (): Promise<number> =>
      (await api.db.query(`select from audit_log where action like 'auth.%'`)).rowCount!;
    const before = await rows();
    const flood = Array.from({ length: 40 }, (_attempt, index) =>
      api.call(
        'POST',
        '/auth/login',
        { email: `flood${index}@example.com`, password: `wrong ${index}` },
        { headers: { 'x-api-key': undefined } },
      ),
    );
    await Promise.all(flood);
    // Two where the hour ends meanwhile.
    expect((await rows()) - before).toBeLessThanOrEqual(2);
    const { items } = await staff.tools.audit.list.query({ search: 'auth.loginFailed' });
    const counts = items.filter(({ userId }) => userId === null).map(({ count }) => count);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(40);
    expect(JSON.stringify(items)).not.toContain('flood');
  });

  it('the audit log is kept for a year', async () => {
    const write = (days: number) =>
      insertRow(api.db, 'audit_log', { at: secondsAgo(days * 86_400), user_id: uuidv7(), action: `old ${days} days` });
    await write(367);
    await write(364);
    await forgetLines(api.em, new Date(Date.now() - 365 * 86_400_000));
    const { items } = await staff.tools.audit.list.query({ search: 'old ' });
    expect(items.map(({ action, email }) => [action, email])).toEqual([['old 364 days', null]]);
  });
});
