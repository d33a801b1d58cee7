import { expect, it } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { invitationLink } from '#commands/organizations/invitations.ts';
import { resetTokenPurpose, writeSignedId } from '#core/secrets/signed-id.ts';
import { testSecretKey, useOwnTestApi } from '#test/support/api.ts';
import { createPerson, createSignedIn, testPassword } from '#test/support/people.ts';
import { refusalOf, useStaff } from '#test/support/tools.ts';

const stolen = 'Kx7-orbit-lantern';
const api = useOwnTestApi({ isBreached: async (password) => password === stolen });
const staff = useStaff(api);
const sealing = createSealing([testSecretKey]);
const withoutKey = { headers: { 'x-api-key': undefined } };

const refused = (path: string) => ({
  status: 400,
  body: {
    code: 'VALIDATION_ERROR',
    issues: [{ path, message: 'is on lists of stolen passwords, which attackers try; choose another one' }],
  },
});

it('a change of the password refuses a stolen one, and the old one stays', { tags: 'slow' }, async () => {
  const { email, headers } = await createSignedIn(api.db, api.organization.id, 'member');
  const change = { current: testPassword, next: stolen };
  expect(await api.call('POST', '/auth/password', change, { headers })).toMatchObject(refused('next'));
  const login = await api.call('POST', '/auth/login', { email, password: testPassword }, withoutKey);
  expect(login.status).toBe(200);
});

it('a new password by mail refuses a stolen one, and its link works on', async () => {
  const { id, email } = await createPerson(api.db, { [api.organization.id]: 'member' });
  await api.call('POST', '/auth/password/forgot', { email }, withoutKey);
  const { rows } = await api.db.query<{ id: string }>('select id from password_resets where user_id = $1', [id]);
  const token = writeSignedId(rows[0]!.id, sealing.deriveKeys(resetTokenPurpose)[0]!);
  const reset = (newPassword: string) => api.call('POST', '/auth/password/reset', { token, newPassword }, withoutKey);
  expect(await reset(stolen)).toMatchObject(refused('newPassword'));
  expect((await reset('another long password')).status).toBe(200);
});

it('a new person who was invited chooses another password than a stolen one', async () => {
  const { headers } = await createSignedIn(api.db, api.organization.id, 'owner');
  const draft = { email: 'stolen@example.com', role: 'member' };
  const { body } = await api.call('POST', '/organization/invitations', draft, { headers });
  const link = invitationLink(body.id, { sealing, baseUrl: 'http://localhost:3000' }, true);
  const acceptance = { token: link.replace(/^.*token=/, ''), name: 'Grace', password: stolen };
  expect(await api.call('POST', '/auth/invitation/accept', acceptance, withoutKey)).toMatchObject(refused('password'));
});

it('staff give new owners and members no stolen password', async () => {
  const owner = { name: 'Stolen', plan: 'free' as const, ownerEmail: 'owner@stolen.example', ownerPassword: stolen };
  expect((await refusalOf(staff.tools.organizations.create.mutate(owner))).error.issues).toMatchObject([
    { path: 'ownerPassword' },
  ]);
  const { id: organizationId } = api.organization;
  const member = { organizationId, email: 'member@stolen.example', role: 'member' as const, password: stolen };
  expect((await refusalOf(staff.tools.members.add.mutate(member))).error.issues).toMatchObject([{ path: 'password' }]);
});
