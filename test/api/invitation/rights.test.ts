// @module-tag slow

import { describe, expect, it } from 'vitest';
import { erasePerson } from '#commands/accounts/person-erasure.ts';
import { useTestApi } from '#test/support/api.ts';
import { createInviting, endedToken, newEmail, invitationsPath, tokenOf } from '#test/support/invitations.ts';
import { createSignedIn, createUserKey, everyPermission } from '#test/support/people.ts';

const api = useTestApi();
const { createHost, post, accept } = createInviting(api);

describe('the rights of the person who invites', () => {
  /** An organization with an owner, and an admin who has invited people for each role that an admin may. */
  async function createInvited() {
    const { organization, call: byOwner } = await createHost();
    const admin = await createSignedIn(api.db, organization.id, 'admin');
    const invited = await Promise.all(
      ['member', 'admin'].map(async (role) => {
        const { body } = await api.call(
          'POST',
          invitationsPath,
          { email: newEmail(), role },
          { headers: admin.headers },
        );
        return body.id as string;
      }),
    );
    const states = async () =>
      (await byOwner('GET', invitationsPath)).body.data.map(({ state }: { state: string }) => state) as string[];
    return { organization, byOwner, admin, invited, states };
  }

  it.each([
    ['demoted', (admin: string) => ['PATCH', `/organization/members/${admin}`, { role: 'member' }] as const],
    ['removed', (admin: string) => ['DELETE', `/organization/members/${admin}`, undefined] as const],
  ])('invitations end with the rights of an admin who is %s', async (_how, change) => {
    const { organization, byOwner, admin, invited, states } = await createInvited();
    const [method, target, body] = change(admin.id);
    const done = await api.call(method, target, body, { headers: await ownerHeaders(organization.id) });
    expect(done.status).toBe(200);
    expect(await states()).toEqual(['revoked', 'revoked']);
    for (const id of invited) expect(await accept(tokenOf(id))).toMatchObject(endedToken);
    const { body: log } = await byOwner('GET', '/organization/audit?categories=people');
    expect(log.data.filter(({ action }: { action: string }) => action === 'invitation.revoked')).toHaveLength(2);
  });

  it('invitations end where their admin leaves, and those of others stay', async () => {
    const { byOwner, admin, states } = await createInvited();
    await byOwner('POST', invitationsPath, { email: newEmail(), role: 'owner' });
    expect((await post('/auth/organization/leave', {}, admin.headers)).status).toBe(200);
    expect((await states()).toSorted()).toEqual(['pending', 'revoked', 'revoked']);
  });

  it('invitations end with the account of an admin who is erased, and their addresses may be invited again', async () => {
    const { byOwner, admin, invited, states } = await createInvited();
    const { body: before } = await byOwner('GET', invitationsPath);
    await api.em.transactional((em) => erasePerson(em, admin.email, new Date()));
    expect(await states()).toEqual(['revoked', 'revoked']);
    for (const id of invited) {
      expect(await accept(tokenOf(id))).toMatchObject(endedToken);
      expect((await byOwner('POST', `${invitationsPath}/${id}/resend`)).status).toBe(409);
    }
    for (const { email } of before.data)
      expect((await byOwner('POST', invitationsPath, { email, role: 'member' })).status).toBe(201);
    const { body: log } = await byOwner('GET', '/organization/audit?categories=people');
    expect(log.data.filter(({ action }: { action: string }) => action === 'invitation.revoked')).toHaveLength(2);
  });

  it('an invitation whose maker has lost the right is the one of the person who sends it again', async () => {
    const { byOwner, admin, invited } = await createInvited();
    await api.db.query(`update memberships set role = 'member' where user_id = $1`, [admin.id]);
    for (const id of invited) {
      expect((await byOwner('POST', `${invitationsPath}/${id}/resend`)).status).toBe(200);
      expect((await accept(tokenOf(id))).status).toBe(200);
    }
  });

  it('an invitation that a key made ends with the key, and where the key holds less than the role', async () => {
    const { organization, call } = await createHost();
    const keyOf = async () => {
      const admin = await createSignedIn(api.db, organization.id, 'admin');
      const key = await createUserKey(api.db, organization.id, admin.id);
      const body = { email: newEmail(), role: 'admin' };
      const made = await api.call('POST', invitationsPath, body, { headers: { 'x-api-key': key } });
      const { rows } = await api.db.query<{ id: string }>('select id from api_keys where user_id = $1', [admin.id]);
      return { keyId: rows[0]!.id, invitationId: made.body.id as string };
    };
    const [revoked, narrowed] = [await keyOf(), await keyOf()];
    expect((await call('DELETE', `/api-key/${revoked.keyId}`)).status).toBe(200);
    const less = { permissions: { ...everyPermission, webhooks: [] } };
    const patched = await api.call('PATCH', `/api-key/${narrowed.keyId}`, less, {
      headers: await ownerHeaders(organization.id),
    });
    expect(patched.status).toBe(200);
    for (const { invitationId } of [revoked, narrowed])
      expect(await accept(tokenOf(invitationId))).toMatchObject(endedToken);
  });

  it('the acceptance asks for the rights again, whatever took them', async () => {
    const { admin, invited } = await createInvited();
    await api.db.query(`update memberships set role = 'member' where user_id = $1`, [admin.id]);
    for (const id of invited) expect(await accept(tokenOf(id))).toMatchObject(endedToken);
  });

  async function ownerHeaders(organizationId: string) {
    return (await createSignedIn(api.db, organizationId, 'owner')).headers;
  }
});
