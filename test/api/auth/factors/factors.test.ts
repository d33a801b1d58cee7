// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { totpCodeAt } from '#core/accounts/second-factors.ts';
import { createTestApi, testSecretKey, useOwnTestApi } from '#test/support/api.ts';
import { createTestPasskey } from '#test/support/authenticator.ts';
import { createSignedIn } from '#test/support/people.ts';
import {
  addTestPasskey,
  addTotp,
  callAs,
  createAccount,
  outdateConfirmation,
  signInByPassword,
} from '#test/support/second-factors.ts';

const api = useOwnTestApi();
const none = { totp: null, passkeys: [], recoveryCodesLeft: 0, isRequired: false, canAddPasskeys: true };

describe('GET /auth/second-factors', () => {
  it('lists the factors of the user alone, without secrets', async () => {
    const account = await createAccount(api);
    const other = await createAccount(api);
    const { secret } = await addTotp(api, account);
    const { passkey, answer } = await addTestPasskey(api, account);
    const own = await callAs(api, account.headers)('GET', '/auth/second-factors');
    expect(own).toMatchObject({
      status: 200,
      body: {
        totp: {},
        passkeys: [{ id: answer.body.id, name: 'Work laptop', lastUsedAt: null }],
        recoveryCodesLeft: 10,
      },
    });
    expect(JSON.stringify(own.body)).not.toMatch(new RegExp(`${secret}|${passkey.id}`));
    expect((await callAs(api, other.headers)('GET', '/auth/second-factors')).body).toEqual(none);
  });
});

describe('an authenticator app', () => {
  it('counts once its first code was sent, and comes with ten recovery codes, of which hashes are stored', async () => {
    const account = await createAccount(api);
    const call = callAs(api, account.headers);
    const begun = await call('POST', '/auth/second-factors/totp');
    expect(begun).toMatchObject({ status: 200, body: { secret: expect.stringMatching(/^[A-Z2-7]{32}$/) } });
    expect(begun.body.uri).toContain(`secret=${begun.body.secret}`);
    expect((await call('GET', '/auth/second-factors')).body).toEqual(none);
    expect((await signInByPassword(api, account.email)).status).toBe(200);
    const code = totpCodeAt(begun.body.secret, new Date());
    const confirmed = await call('POST', '/auth/second-factors/totp/confirm', {
      code: `${code.slice(0, 3)} ${code.slice(3)}`,
    });
    expect(confirmed.status).toBe(200);
    expect(confirmed.body.recoveryCodes).toHaveLength(10);
    expect((await signInByPassword(api, account.email)).body.code).toBe('SECOND_FACTOR_REQUIRED');
    const { rows } = await api.db.query<{ text: string }>(
      'select (select to_jsonb(t)::text from totp_factors t where user_id = $1) || (select jsonb_agg(r)::text from recovery_codes r where user_id = $1) as text',
      [account.id],
    );
    const stored = rows[0]!.text;
    for (const plain of [begun.body.secret, ...confirmed.body.recoveryCodes]) expect(stored).not.toContain(plain);
  });

  it('400 for a wrong first code, 409 where no secret waits, and for a second app', async () => {
    const account = await createAccount(api);
    const call = callAs(api, account.headers);
    expect((await call('POST', '/auth/second-factors/totp/confirm', { code: '000000' })).status).toBe(409);
    const { secret } = (await call('POST', '/auth/second-factors/totp')).body;
    const wrong = totpCodeAt(secret, new Date(Date.now() + 600_000));
    expect(await call('POST', '/auth/second-factors/totp/confirm', { code: wrong })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'code' }] },
    });
    await addTotp(api, account);
    expect(await call('POST', '/auth/second-factors/totp')).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_EXIST' },
    });
  });

  it('is removed with its recovery codes, and can be added again', async () => {
    const account = await createAccount(api);
    await addTotp(api, account);
    const call = callAs(api, account.headers);
    expect(await call('DELETE', '/auth/second-factors/totp')).toMatchObject({ status: 200, body: { rowCount: 1 } });
    expect((await call('DELETE', '/auth/second-factors/totp')).status).toBe(404);
    expect((await call('GET', '/auth/second-factors')).body).toEqual(none);
    expect((await signInByPassword(api, account.email)).status).toBe(200);
    expect((await addTotp(api, account)).recoveryCodes).toHaveLength(10);
  });
});

describe('passkeys', () => {
  it('are several, named, renamed and removed one by one; recovery codes come with the first factor alone', async () => {
    const account = await createAccount(api);
    const call = callAs(api, account.headers);
    const first = await addTestPasskey(api, account);
    expect(first.answer).toMatchObject({ status: 201, body: { name: 'Work laptop' } });
    expect(first.answer.body.recoveryCodes).toHaveLength(10);
    const second = await addTestPasskey(api, account, 'Key ring');
    expect(second.answer.body.recoveryCodes).toBeNull();
    const path = `/auth/second-factors/passkeys/${first.answer.body.id}`;
    expect(await call('PATCH', path, { name: ' Desk ' })).toMatchObject({ status: 200, body: { name: 'Desk' } });
    expect(await call('DELETE', path)).toMatchObject({ status: 200, body: { rowCount: 1 } });
    expect((await call('DELETE', path)).status).toBe(404);
    const left = (await call('GET', '/auth/second-factors')).body;
    expect(left).toMatchObject({ passkeys: [{ name: 'Key ring' }], recoveryCodesLeft: 10 });
  });

  it('400 for a token that was used, of another session, and for an answer to another challenge', async () => {
    const account = await createAccount(api);
    const other = await createAccount(api);
    const call = callAs(api, account.headers);
    const { token, options } = (await call('POST', '/auth/second-factors/passkeys/options')).body;
    const add = (body: object, headers = account.headers) =>
      callAs(api, headers)('POST', '/auth/second-factors/passkeys', { token, name: 'One', ...body });
    const passkey = createTestPasskey().register(options.challenge);
    expect(await add({ passkey }, other.headers)).toMatchObject({ status: 400, body: { issues: [{ path: 'token' }] } });
    for (const wrong of [
      createTestPasskey().register('AAAA'),
      createTestPasskey().register(options.challenge, { origin: 'https://evil.example' }),
      createTestPasskey().register(options.challenge, { host: 'evil.example' }),
      { ...passkey, attestationObject: 'AAAA' },
    ])
      expect(await add({ passkey: wrong })).toMatchObject({ status: 400, body: { issues: [{ path: 'passkey' }] } });
    expect((await add({ passkey })).status).toBe(201);
    const again = createTestPasskey().register(options.challenge);
    expect(await add({ passkey: again })).toMatchObject({ status: 400, body: { issues: [{ path: 'token' }] } });
  });

  it('409 for a passkey that another account has, and for the 21st', async () => {
    const [account, other] = [await createAccount(api), await createAccount(api)];
    const { passkey } = await addTestPasskey(api, account);
    const { token, options } = (await callAs(api, other.headers)('POST', '/auth/second-factors/passkeys/options')).body;
    const body = { token, name: 'Same', passkey: passkey.register(options.challenge) };
    const taken = await callAs(api, other.headers)('POST', '/auth/second-factors/passkeys', body);
    expect(taken).toMatchObject({ status: 409, body: { code: 'ALREADY_EXIST' } });
    await api.db.query(
      `insert into passkeys select gen_random_uuid(), user_id, decode(md5(n::text || user_id), 'hex'), public_key, 0, transports, name, created_at
       from passkeys, generate_series(1, 19) n where user_id = $1`,
      [account.id],
    );
    expect((await addTestPasskey(api, account)).answer).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  });

  it("404 for another person's passkey", async () => {
    const [account, other] = [await createAccount(api), await createAccount(api)];
    const { answer } = await addTestPasskey(api, account);
    for (const id of [answer.body.id, uuidv7()]) {
      const path = `/auth/second-factors/passkeys/${id}`;
      expect((await callAs(api, other.headers)('DELETE', path)).status).toBe(404);
      expect((await callAs(api, other.headers)('PATCH', path, { name: 'Mine' })).status).toBe(404);
    }
  });
});

describe('recovery codes', () => {
  it('new ones end those before; 409 without a second factor', async () => {
    const account = await createAccount(api);
    const call = callAs(api, account.headers);
    expect((await call('POST', '/auth/second-factors/recovery-codes')).status).toBe(409);
    const { recoveryCodes } = await addTotp(api, account);
    const renewed = await call('POST', '/auth/second-factors/recovery-codes');
    expect(renewed.status).toBe(200);
    expect(renewed.body.recoveryCodes).toHaveLength(10);
    const { token } = (await signInByPassword(api, account.email)).body;
    const signIn = (recoveryCode: string) => callAs(api)('POST', '/auth/login/second-factor', { token, recoveryCode });
    expect((await signIn(recoveryCodes![0]!)).status).toBe(401);
    expect((await signIn(renewed.body.recoveryCodes[0])).status).toBe(200);
  });
});

describe('POST /auth/confirm', () => {
  const change = (headers: Record<string, string | undefined>) =>
    callAs(api, headers)('POST', '/auth/second-factors/totp');

  it('a person without a second factor is asked for the password 15 minutes after the sign-in', async () => {
    const account = await createAccount(api);
    await outdateConfirmation(api, account);
    const call = callAs(api, account.headers);
    expect(await change(account.headers)).toMatchObject({
      status: 403,
      body: { code: 'CONFIRMATION_REQUIRED', methods: ['password'] },
    });
    expect(await call('POST', '/auth/confirm', { password: 'wrong' })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'password' }] },
    });
    const confirmed = await call('POST', '/auth/confirm', { password: 'correct horse battery' });
    expect(confirmed.status).toBe(200);
    expect(Date.parse(confirmed.body.confirmedUntil) - Date.now()).toBeGreaterThan(14 * 60_000);
    expect((await change(account.headers)).status).toBe(200);
  });

  it('a person with a second factor confirms by it, not by the password, before changes of weight', async () => {
    const account = await createAccount(api);
    const { secret, recoveryCodes } = await addTotp(api, account);
    const { passkey } = await addTestPasskey(api, account);
    const call = callAs(api, account.headers);
    const makeKey = () =>
      call('POST', '/api-key', { type: 'user', name: 'Key', permissions: { shortLinks: ['read'] } });
    const confirmations = [
      async () => ({ code: totpCodeAt(secret, new Date(Date.now() + 30_000)) }),
      async () => ({ recoveryCode: recoveryCodes![0] }),
      async () => {
        const { token, options } = (await call('POST', '/auth/confirm/passkey-options')).body;
        return { token, passkey: passkey.sign(options.challenge) };
      },
    ];
    for (const confirmation of confirmations) {
      await outdateConfirmation(api, account);
      expect(await makeKey()).toMatchObject({
        status: 403,
        body: { code: 'CONFIRMATION_REQUIRED', methods: ['totp', 'passkey', 'recoveryCode'] },
      });
      expect(await call('POST', '/auth/confirm', { password: 'correct horse battery' })).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'password' }] },
      });
      const body = await confirmation();
      expect(await call('POST', '/auth/confirm', body)).toMatchObject({ status: 200 });
      // It does not count twice.
      expect(await call('POST', '/auth/confirm', body)).toMatchObject({ status: 400 });
      expect((await call('GET', '/auth/second-factors')).status).toBe(200);
      expect([201, 409]).toContain((await makeKey()).status);
    }
  });

  it('the passkey of a confirmation counts in its session alone', async () => {
    const account = await createAccount(api);
    const { passkey } = await addTestPasskey(api, account);
    const { token, options } = (await callAs(api, account.headers)('POST', '/auth/confirm/passkey-options')).body;
    const thief = await createSignedIn(api.db, api.organization.id, 'owner');
    const body = { token, passkey: passkey.sign(options.challenge) };
    expect(await callAs(api, thief.headers)('POST', '/auth/confirm', body)).toMatchObject({ status: 400 });
    expect(await callAs(api, account.headers)('POST', '/auth/confirm', body)).toMatchObject({ status: 200 });
  });

  it('calls of weight of a person without a second factor, and all by key, need none', async () => {
    const account = await createAccount(api);
    await outdateConfirmation(api, account);
    const body = { type: 'user', name: 'Key', permissions: { shortLinks: ['read'], apiKeys: ['create', 'update'] } };
    const made = await callAs(api, account.headers)('POST', '/api-key', body);
    expect(made.status).toBe(201);
    await addTotpWithoutConfirmation(account);
    const renamed = await api.call(
      'PATCH',
      `/api-key/${made.body.id}`,
      { name: 'Other' },
      {
        headers: { 'x-api-key': made.body.key },
      },
    );
    expect(renamed.status).toBe(200);
    const bySession = await callAs(api, account.headers)('PATCH', `/api-key/${made.body.id}`, { name: 'Third' });
    expect(bySession.body.code).toBe('CONFIRMATION_REQUIRED');
  });

  async function addTotpWithoutConfirmation({ id }: { id: string }): Promise<void> {
    await api.db.query(
      `insert into totp_factors (user_id, secret_sealed, last_step, created_at, confirmed_at) values ($1, $2, 0, now(), now())`,
      [
        id,
        createSealing([testSecretKey]).seal('TOTP secret', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', JSON.stringify([id])),
      ],
    );
  }

  it.each([
    ['PATCH', '/api-key/ID', { name: 'Other' }],
    ['PATCH', '/organization/members/ID', { role: 'member' }],
    ['PUT', '/organization/oidc', {}],
    ['DELETE', '/organization/oidc', undefined],
    ['POST', '/organization/invitations', { email: 'new@example.com', role: 'owner' }],
    ['POST', '/organization/invitations/ID/resend', undefined],
    ['DELETE', '/auth/second-factors/totp', undefined],
    ['DELETE', '/auth/second-factors/passkeys/ID', undefined],
    ['POST', '/auth/second-factors/recovery-codes', undefined],
    ['POST', '/auth/second-factors/passkeys/options', undefined],
  ] as const)('403 CONFIRMATION_REQUIRED of %s %s before anything else', async (method, path, body) => {
    const account = await createAccount(api);
    await addTotpWithoutConfirmation(account);
    await outdateConfirmation(api, account);
    const answer = await callAs(api, account.headers)(method, path.replace('ID', uuidv7()), body);
    expect(answer).toMatchObject({ status: 403, body: { code: 'CONFIRMATION_REQUIRED', methods: ['totp'] } });
  });

  it('a person without password and second factor signs in again', async () => {
    const account = await createAccount(api);
    await api.db.query('update users set password_hash = null where id = $1', [account.id]);
    await outdateConfirmation(api, account);
    expect(await change(account.headers)).toMatchObject({
      status: 403,
      body: { code: 'CONFIRMATION_REQUIRED', methods: [], message: expect.stringContaining('sign in again') },
    });
  });
});

describe('staff where a second factor is required', () => {
  it('reach the internal tools by a second factor only, and may add one', async () => {
    await using strict = await createTestApi({ besides: api, needsStaffFactor: true });
    const account = await createAccount(strict);
    await api.db.query('update users set is_staff = true where id = $1', [account.id]);
    const visit = () => callAs(strict, account.headers)('GET', '/trpc/system.health');
    const raw = await visit();
    expect(raw.status).toBe(403);
    expect(JSON.stringify(raw.body)).toContain('SECOND_FACTOR_MISSING');
    expect((await callAs(strict, account.headers)('GET', '/auth/second-factors')).body.isRequired).toBe(true);
    const { secret } = await addTotp(strict, account);
    expect((await visit()).status).toBe(200);
    // A session that a password, or an identity provider, has opened.
    await api.db.query('update sessions set second_factor_at = null where user_id = $1', [account.id]);
    const asked = await visit();
    expect(asked.status).toBe(403);
    expect(JSON.stringify(asked.body)).toContain('CONFIRMATION_REQUIRED');
    const code = totpCodeAt(secret, new Date(Date.now() + 30_000));
    expect((await callAs(strict, account.headers)('POST', '/auth/confirm', { code })).status).toBe(200);
    expect((await visit()).status).toBe(200);
    // Without the factor the session loses its way in.
    expect((await callAs(strict, account.headers)('DELETE', '/auth/second-factors/totp')).status).toBe(200);
    expect((await visit()).status).toBe(403);
  });
});
