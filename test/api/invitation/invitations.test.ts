// @module-tag slow

import { describe, expect, it } from 'vitest';
import { useOwnTestApi, useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createInviting, endedToken, newEmail, invitationsPath, tokenOf } from '#test/support/invitations.ts';
import { createPerson, createSignedIn, createUserKey, everyPermission } from '#test/support/people.ts';

const api = useTestApi();
const withoutMail = useOwnTestApi({
  installation: { version: '1.2.3', hasMail: false, supportContact: null, temporalUiUrl: null },
});
const { createHost, post, accept } = createInviting(api);

describe('POST /organization/invitations', () => {
  it('201: invites, and puts the mail into the outbox; the answer has no link where the installation sends mail', async () => {
    const { invite } = await createHost();
    const email = newEmail();
    const { status, body } = await invite(` ${email.toUpperCase()} `, 'admin');
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        email,
        role: 'admin',
        state: 'pending',
        isMember: false,
        invitedBy: 'Ada',
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        mailedAt: null,
        joinUrl: null,
      },
    ]);
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(7 * 86_400_000);
    const { rowCount } = await api.db.query(`select 1 from outbox where kind = 'invitation' and subject_id = $1`, [
      body.id,
    ]);
    expect(rowCount).toBe(1);
  });

  it('403: a key invites only for a role whose permissions it holds, and not beyond limits of its own', async () => {
    const { id } = await createOrganization(api.db);
    const person = await createPerson(api.db, { [id]: 'owner' });
    const key = await createUserKey(api.db, id, person.id, { apiKeys: ['create', 'read', 'update', 'delete'] });
    const inviteAs = (role: string) =>
      api.call('POST', invitationsPath, { email: newEmail(), role }, { headers: { 'x-api-key': key } });
    const allow = (permissions: object, expiresAt: string | null) =>
      api.db.query('update api_keys set permissions = $2, expires_at = $3 where user_id = $1', [
        person.id,
        permissions,
        expiresAt,
      ]);
    for (const role of ['owner', 'admin', 'member']) {
      expect(await inviteAs(role)).toMatchObject({
        status: 403,
        body: { code: 'ACTION_NOT_ALLOWED', message: 'This key may not grant create shortLinks.' },
      });
    }
    await allow(everyPermission, '2100-01-01');
    expect((await inviteAs('member')).body).toMatchObject({
      code: 'ACTION_NOT_ALLOWED',
      message: 'This key may not grant expiresAt beyond its own.',
    });
    await allow(everyPermission, null);
    const { status, body } = await inviteAs('owner');
    expect(status).toBe(201);
    await allow({ apiKeys: ['create', 'read', 'update', 'delete'] }, null);
    const again = await api.call('POST', `${invitationsPath}/${body.id}/resend`, undefined, {
      headers: { 'x-api-key': key },
    });
    expect(again).toMatchObject({ status: 403, body: { code: 'ACTION_NOT_ALLOWED' } });
  });

  it('201: has the link where the installation sends no mail', async () => {
    const organization = await createOrganization(withoutMail.db);
    const { headers } = await createSignedIn(withoutMail.db, organization.id, 'owner');
    const { body } = await withoutMail.call(
      'POST',
      invitationsPath,
      { email: newEmail(), role: 'member' },
      { headers },
    );
    expect(body.joinUrl).toBe(`http://localhost:3000/console/join#token=${tokenOf(body.id, false)}`);
  });

  it('400: for a wrong e-mail', async () => {
    const { call } = await createHost();
    expect((await call('POST', invitationsPath, { email: 'nobody', role: 'member' })).status).toBe(400);
  });

  it('403: for members, and where an admin invites an owner', async () => {
    expect((await (await createHost('member')).invite()).status).toBe(403);
    const admin = await createHost('admin');
    expect((await admin.invite(newEmail(), 'owner')).body.code).toBe('ACTION_NOT_ALLOWED');
    expect((await admin.invite()).status).toBe(201);
  });

  it('409: for a member and for an e-mail that is invited already; an account elsewhere is invited as anybody', async () => {
    const { organization, invite } = await createHost();
    const member = await createPerson(api.db, { [organization.id]: 'member' });
    const other = await createPerson(api.db, { [(await createOrganization(api.db)).id]: 'owner' });
    expect((await invite(member.email)).body.code).toBe('ALREADY_EXIST');
    expect((await invite(other.email)).status).toBe(201);
    expect((await invite(other.email)).body.code).toBe('ALREADY_EXIST');
  });

  it('of two at once for one e-mail one wins', async () => {
    const { invite } = await createHost();
    const email = newEmail();
    const statuses = (await Promise.all([invite(email), invite(email), invite(email)])).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
  });

  it('429: beyond 50 mails a day', async () => {
    const { organization, invite } = await createHost();
    await api.db.query(
      `insert into invitations (id, organization_id, email, role, created_at, expires_at, mail_wanted_at)
       select gen_random_uuid(), $1, 'many-' || n || '@example.com', 'member', now(), now() + interval '7 days', now()
       from generate_series(1, 50) as n`,
      [organization.id],
    );
    const { status, headers } = await invite();
    expect([status, headers['retry-after']]).toEqual([429, '3600']);
  });
});

describe('GET /organization/invitations', () => {
  it('200: lists the most recent first, with their states', async () => {
    const { call, invite } = await createHost();
    const [one, two, three] = [await invite(), await invite(), await invite()];
    await call('DELETE', `${invitationsPath}/${one.body.id}`);
    await api.db.query(`update invitations set expires_at = now() - interval '1 s' where id = $1`, [two.body.id]);
    await accept(tokenOf(three.body.id));
    const { body } = await call('GET', `${invitationsPath}?limit=2`);
    expect(body.count).toBe(3);
    expect(body.data.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      [three.body.id, 'accepted'],
      [two.body.id, 'expired'],
    ]);
    expect((await call('GET', `${invitationsPath}?limit=2&page=1`)).body.data).toMatchObject([
      { id: one.body.id, state: 'revoked' },
    ]);
  });

  it('200: an accepted one says whether the person is a member still', async () => {
    const { call, invite } = await createHost();
    const { id, email } = (await invite()).body;
    await accept(tokenOf(id));
    const states = async () => (await call('GET', invitationsPath)).body.data;
    expect(await states()).toMatchObject([{ state: 'accepted', isMember: true }]);
    const { data } = (await call('GET', '/organization/members')).body;
    const member = data.find((one: { email: string }) => one.email === email);
    await call('DELETE', `/organization/members/${member.id}`);
    expect(await states()).toMatchObject([{ state: 'accepted', isMember: false }]);
    // A member elsewhere is none here.
    const other = await createPerson(api.db, { [(await createOrganization(api.db)).id]: 'owner' });
    expect((await invite(other.email)).body).toMatchObject({ state: 'pending', isMember: false });
  });
});

describe('POST /organization/invitations/{id}/resend', () => {
  it('200: the same link works for another week; 409 where it has ended', async () => {
    const { call, invite } = await createHost();
    const { id } = (await invite()).body;
    await api.db.query(`update invitations set expires_at = now() - interval '1 s', mailed_at = now() where id = $1`, [
      id,
    ]);
    expect(await accept(tokenOf(id))).toMatchObject(endedToken);
    const again = await call('POST', `${invitationsPath}/${id}/resend`);
    expect(again).toMatchObject({ status: 200, body: { state: 'pending', mailedAt: null } });
    expect((await accept(tokenOf(id))).status).toBe(200);
    expect((await call('POST', `${invitationsPath}/${id}/resend`)).status).toBe(409);
  });

  it(
    '429: mails of one invitation count among the 50 of a day, however often it is sent again',
    { tags: 'nightly' },
    async () => {
      const { organization, call, invite } = await createHost();
      const { id } = (await invite()).body;
      const resend = async () => (await call('POST', `${invitationsPath}/${id}/resend`)).status;
      const statuses = [];
      for (let count = 0; count < 50; count += 1) statuses.push(await resend());
      expect(statuses).toEqual([...Array.from({ length: 49 }, () => 200), 429]);
      expect((await invite()).status).toBe(429);
      // A day later they count no more.
      await api.db.query(
        `update invitations set mail_wanted_at = mail_wanted_at - interval '1 day',
         earlier_mails = array(select mail - interval '1 day' from unnest(earlier_mails) as mail)
       where organization_id = $1`,
        [organization.id],
      );
      expect(await resend()).toBe(200);
      const { rows } = await api.db.query('select cardinality(earlier_mails) as kept from invitations where id = $1', [
        id,
      ]);
      expect(rows).toEqual([{ kept: 0 }]);
    },
  );
});

describe('DELETE /organization/invitations/{id}', () => {
  it('200: the link stops working at once; 409 twice', async () => {
    const { call, invite } = await createHost();
    const { id } = (await invite()).body;
    expect((await call('DELETE', `${invitationsPath}/${id}`)).status).toBe(200);
    expect(await accept(tokenOf(id))).toMatchObject(endedToken);
    expect(await post('/auth/invitation', { token: tokenOf(id) })).toMatchObject(endedToken);
    expect((await call('DELETE', `${invitationsPath}/${id}`)).status).toBe(409);
  });
});
