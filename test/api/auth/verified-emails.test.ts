import { describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createSignedIn, testOrigin, testPassword } from '#test/support/people.ts';
import { refusalOf, useStaff } from '#test/support/tools.ts';

const api = useOwnTestApi({
  installation: { version: '1.2.3', hasMail: false, supportContact: null, temporalUiUrl: null },
});
const staff = useStaff(api);
const asNobody = { 'x-api-key': undefined, origin: testOrigin };

/** An admin of an installation without mail accepts an invitation to the e-mail of another person. */
async function takeEmail(email: string) {
  const organization = await createOrganization(api.db);
  const { headers } = await createSignedIn(api.db, organization.id, 'admin');
  const invited = await api.call('POST', '/organization/invitations', { email, role: 'member' }, { headers });
  const token = String(invited.body.joinUrl).replace(/^.*token=/, '');
  const body = { token, name: 'Mallory', password: 'a password of Mallory' };
  const { status } = await api.call('POST', '/auth/invitation/accept', body, { headers: asNobody });
  expect(status).toBe(200);
}

const stateOf = async (email: string) => {
  const sql = 'select email_verified_at is not null as "isVerified", is_staff as "isStaff" from users where email = $1';
  return (await api.db.query<{ isVerified: boolean; isStaff: boolean }>(sql, [email])).rows[0];
};
const notVerified = { httpStatus: 409, error: { code: 'CONFLICT' } };

describe('an account that was made by a link which was passed on', () => {
  it('is given no organization and no membership by its e-mail, with a password or without', async () => {
    const email = 'boss@victim.example';
    await takeEmail(email);
    expect(await stateOf(email)).toEqual({ isVerified: false, isStaff: false });
    const { id: organizationId } = await createOrganization(api.db);
    for (const password of [undefined, testPassword]) {
      const organization = { name: 'Gift', plan: 'free', ownerEmail: email, ownerPassword: password } as const;
      expect(await refusalOf(staff.tools.organizations.create.mutate(organization))).toMatchObject(notVerified);
      const member = { organizationId, email, role: 'owner', password } as const;
      expect(await refusalOf(staff.tools.members.add.mutate(member))).toMatchObject(notVerified);
    }
  });
});

describe('an account of a person who has the e-mail', () => {
  it('is told as such, and a password for it is an error', async () => {
    const { email } = await createPerson(api.db, {});
    const { id: organizationId } = await createOrganization(api.db);
    const organization = { name: 'Gift', plan: 'free', ownerEmail: email } as const;
    const member = { organizationId, email, role: 'owner' } as const;
    const refused = [
      await refusalOf(staff.tools.organizations.create.mutate({ ...organization, ownerPassword: testPassword })),
      await refusalOf(staff.tools.members.add.mutate({ ...member, password: testPassword })),
    ];
    expect(refused.map(({ error }) => [error.code, error.issues?.map(({ path }) => path)])).toEqual([
      ['VALIDATION_ERROR', ['ownerPassword']],
      ['VALIDATION_ERROR', ['password']],
    ]);
    const made = await staff.tools.organizations.create.mutate(organization);
    expect(made.owner).toMatchObject({ email, isNewAccount: false });
    expect(await staff.tools.members.add.mutate(member)).toMatchObject({ isNewAccount: false });
    const created = await staff.tools.members.add.mutate({
      ...member,
      email: 'new@gift.example',
      password: testPassword,
    });
    expect(created.isNewAccount).toBe(true);
    expect(await stateOf('new@gift.example')).toMatchObject({ isVerified: true });
  });
});
