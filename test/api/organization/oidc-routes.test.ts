// @module-tag slow

import { describe, expect, it } from 'vitest';
import { useOidcApi } from '#test/support/oidc-api.ts';
import { followProvider } from '#test/support/oidc.ts';
import { createSignedIn, createUserKey, everyPermission } from '#test/support/people.ts';

const { api, base, createWithProvider, finish, installationOidc, organizationOidc, signIn, start, unique, whoIs } =
  useOidcApi();

describe('PUT /organization/oidc', () => {
  it('200: sets and changes the provider; the secret is sealed, shown nowhere, and stays where none is sent', async () => {
    const { organization, owner, draft, put } = await createWithProvider();
    const { status, body } = await put();
    expect([status, body]).toEqual([
      200,
      {
        issuer: draft.issuer,
        clientId: draft.clientId,
        emailDomain: draft.emailDomain,
        redirectUri: `${base}/auth/oidc/callback/${organization.id}`,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    const { clientSecret, ...rest } = draft;
    expect((await put({ ...rest, clientSecret: null })).status).toBe(200);
    const { rows } = await api.db.query('select * from oidc_providers where organization_id = $1', [organization.id]);
    expect(JSON.stringify(rows)).not.toContain(clientSecret);
    const read = await api.call('GET', '/organization/oidc', undefined, { headers: owner.headers });
    expect(read.body).toMatchObject(rest);
    organizationOidc.person = { id: `sub-${unique()}`, email: `ada@${draft.emailDomain}` };
    expect((await signIn({ email: `ada@${draft.emailDomain}` })).session).toBeDefined();
  });

  it('400: another issuer does not get the secret of the one before', async () => {
    const { draft, put } = await createWithProvider();
    await put();
    const other = { ...draft, issuer: installationOidc.issuer };
    const { clientSecret, ...without } = other;
    for (const body of [without, { ...other, clientSecret: null }])
      expect(await put(body)).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'clientSecret', message: 'must be sent again with another issuer' }] },
      });
    expect(await put({ ...without, clientSecret })).toMatchObject({ status: 200, body: { issuer: other.issuer } });
  });

  it('400: for a domain that is not verified, a first one without a secret, and an address that is no provider', async () => {
    const { draft, put } = await createWithProvider();
    const pathOf = async (body: object) => {
      const answer = await put(body);
      return [answer.status, answer.body.issues?.[0]?.path];
    };
    expect(await pathOf({ ...draft, emailDomain: 'not-ours.example' })).toEqual([400, 'emailDomain']);
    expect(await pathOf({ ...draft, clientSecret: null })).toEqual([400, 'clientSecret']);
    const both = await put({ ...draft, clientSecret: null, emailDomain: 'not-ours.example' });
    expect(both.body.issues.map(({ path }: { path: string }) => path)).toEqual(['emailDomain', 'clientSecret']);
    expect(await pathOf({ ...draft, issuer: `${draft.issuer}/nothing-here` })).toEqual([400, 'issuer']);
    expect(await pathOf({ ...draft, issuer: 'ftp://login.example.com' })).toEqual([400, 'issuer']);
    expect(await pathOf({ ...draft, clientId: '' })).toEqual([400, 'clientId']);
  });

  it('403: for admins, members and keys', async () => {
    const { organization, draft, put } = await createWithProvider();
    for (const role of ['admin', 'member'] as const) {
      const { headers } = await createSignedIn(api.db, organization.id, role);
      expect((await put(draft, headers)).status).toBe(403);
    }
    expect((await put(draft, { 'x-api-key': organization.key })).status).toBe(403);
  });
});

describe('DELETE /organization/oidc', () => {
  it('200: people sign in by their passwords again; 404 where there is no provider', async () => {
    const { owner, draft, put } = await createWithProvider();
    await put();
    const remove = () => api.call('DELETE', '/organization/oidc', undefined, { headers: owner.headers });
    const begun = await start({ email: `ada@${draft.emailDomain}` });
    expect((await remove()).status).toBe(200);
    expect((await remove()).status).toBe(404);
    organizationOidc.person = { id: `sub-${unique()}`, email: `ada@${draft.emailDomain}` };
    const ended = await finish(await followProvider(begun.body.url), begun.cookie);
    expect(ended.location).toBe(`${base}/console/sign-in?problem=expired`);
    const { rows } = await api.db.query(
      `select action from audit_log where organization_id = $1 and action like 'organization.%' order by id`,
      [(await whoIs(owner.headers.cookie)).organization.id],
    );
    expect(rows).toEqual([{ action: 'organization.signInSet' }, { action: 'organization.signInRemoved' }]);
  });

  it('403: for admins, members and keys', async () => {
    const { organization, owner, put } = await createWithProvider();
    await put();
    const remove = (headers: Record<string, string | undefined>) =>
      api.call('DELETE', '/organization/oidc', undefined, { headers });
    for (const role of ['admin', 'member'] as const) {
      const { headers } = await createSignedIn(api.db, organization.id, role);
      expect((await remove(headers)).status).toBe(403);
    }
    const key = await createUserKey(api.db, organization.id, owner.id, everyPermission);
    expect((await remove({ 'x-api-key': key })).status).toBe(403);
    expect((await remove(owner.headers)).status).toBe(200);
  });
});
