import { describe, expect, it } from 'vitest';
import { totpCodeAt } from '#core/accounts/second-factors.ts';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, testOrigin, testPassword } from '#test/support/people.ts';
import { addTotp, forgetSteps, outdateConfirmation } from '#test/support/second-factors.ts';
import { createStaff, procedures, refusalOf, type TestStaff, useStaff } from '#test/support/tools.ts';

const api = useTestApi();
const staff = useStaff(api);

/** Calls a procedure without a valid input. @returns the code of the refusal. */
async function refusalWithoutInput({ headers }: TestStaff, path: string): Promise<unknown> {
  return (await api.call('POST', `/trpc/${path}`, {}, { headers })).body.error?.data.error.code;
}

/** The procedures that change something and do not ask for a confirmation. */
async function findFree(caller: TestStaff): Promise<string[]> {
  const free: string[] = [];
  for (const { path } of procedures.filter(({ type }) => type === 'mutation'))
    if ((await refusalWithoutInput(caller, path)) !== 'CONFIRMATION_REQUIRED') free.push(path);
  return free.toSorted();
}

const freeAlways = [
  'domains.check',
  'linkReports.close',
  'organizations.endView',
  'webhooks.enable',
  'webhooks.pause',
  'webhooks.recover',
  'webhooks.redeliver',
  'webhooks.resume',
];

describe('procedures that delete, grant or take down', () => {
  it('procedures that delete, grant or take down ask for a confirmation of the last 15 minutes; the others do not', async () => {
    const late = await createStaff(api.app, api.db, api.organization.id);
    await outdateConfirmation(api, late);
    expect(await findFree(late)).toEqual(freeAlways);
  });

  it('of staff with a second factor they ask for that factor: a password of a minute ago does not count', async () => {
    const late = await createStaff(api.app, api.db, api.organization.id);
    const { secret } = await addTotp(api, late);
    await outdateConfirmation(api, late);
    await api.db.query('update sessions set confirmed_at = now() where user_id = $1', [late.id]);
    expect(await findFree(late)).toEqual(freeAlways);
    await forgetSteps(api, late);
    const code = totpCodeAt(secret, new Date());
    const confirmed = await api.call(
      'POST',
      '/auth/confirm',
      { code },
      { headers: { ...late.headers, origin: testOrigin } },
    );
    expect(confirmed.status).toBe(200);
    expect(await findFree(late)).toEqual(
      procedures
        .filter(({ type }) => type === 'mutation')
        .map(({ path }) => path)
        .toSorted(),
    );
  });

  it('staff without a second factor confirm by their password, and the call then works', async () => {
    const late = await createStaff(api.app, api.db, api.organization.id);
    await outdateConfirmation(api, late);
    const { id } = await createOrganization(api.db);
    const suspend = () => late.tools.organizations.suspend.mutate({ id });
    expect((await refusalOf(suspend())).error).toMatchObject({ code: 'CONFIRMATION_REQUIRED', methods: ['password'] });
    const headers = { ...late.headers, origin: testOrigin };
    const confirmed = await api.call('POST', '/auth/confirm', { password: testPassword }, { headers });
    expect(confirmed.status).toBe(200);
    expect(await suspend()).toMatchObject({ id, isSuspended: true });
  });
});

describe('members.add', () => {
  it('staff cannot add themselves under any role, and of others the organization reads the e-mail', async () => {
    const { id: organizationId } = await createOrganization(api.db);
    for (const role of ['owner', 'admin', 'member'] as const) {
      const refusal = await refusalOf(staff.tools.members.add.mutate({ organizationId, email: staff.email, role }));
      expect(refusal.error).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining('org add-member') });
    }
    const { email } = await createPerson(api.db, {});
    await staff.tools.members.add.mutate({ organizationId, email, role: 'owner' });
    const { rows } = await api.db.query(
      `select action, details from audit_log where organization_id = $1 and caller = 'staff'`,
      [organizationId],
    );
    expect(rows).toEqual([{ action: 'members.add', details: { email, role: 'owner' } }]);
  });
});

describe('a search over all organizations', () => {
  it('each organization that it shows has a line of it, and its words are in the log of the installation alone', async () => {
    const [one, other] = [await createOrganization(api.db), await createOrganization(api.db)];
    const hidden = await createOrganization(api.db);
    const word = `needle-${Date.now()}`;
    for (const { key } of [one, other]) {
      const link = { destination: { type: 'link', value: `https://${word}.example/` } };
      await api.call('POST', '/short-link', link, { headers: { 'x-api-key': key } });
    }
    await staff.tools.links.search.query({ search: word });
    const linesOf = async (id: string | null) => {
      const text = `select action, details from audit_log where user_id = $1 and organization_id is not distinct from $2 and action = 'links.search'`;
      return (await api.db.query(text, [staff.id, id])).rows;
    };
    const line = { action: 'links.search', details: {} };
    expect(await Promise.all([one, other, hidden].map(({ id }) => linesOf(id)))).toEqual([[line], [line], []]);
    expect(await linesOf(null)).toEqual([{ action: 'links.search', details: { search: word } }]);

    const person = await createPerson(api.db, { [hidden.id]: 'member' });
    await staff.tools.people.list.query({ search: person.email });
    await staff.tools.people.get.query({ id: person.id });
    await staff.tools.organizations.list.query({ search: person.email });
    const { rows } = await api.db.query(
      'select action, details from audit_log where organization_id = $1 order by action',
      [hidden.id],
    );
    expect(rows).toEqual(
      ['organizations.list', 'people.get', 'people.list'].map((action) => ({ action, details: {} })),
    );
  });
});
