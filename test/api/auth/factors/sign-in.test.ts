// @module-tag slow

import { describe, expect, it } from 'vitest';
import { totpCodeAt } from '#core/accounts/second-factors.ts';
import { createSealing } from '#adapters/sealing.ts';
import { invitationTokenPurpose, resetTokenPurpose, writeSignedId } from '#core/secrets/signed-id.ts';
import { type Answer, createTestApi, testSecretKey, useOwnTestApi } from '#test/support/api.ts';
import { createTestPasskey } from '#test/support/authenticator.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createSignedIn, testPassword } from '#test/support/people.ts';
import {
  addTestPasskey,
  addTotp,
  callAs,
  createAccount,
  forgetSteps,
  headersOf,
  signInByPassword,
} from '#test/support/second-factors.ts';

const api = useOwnTestApi();
const call = callAs(api);

const secondStep = (body: object): Promise<Answer> => call('POST', '/auth/login/second-factor', body);
const codeOf = (secret: string, at = Date.now()): string => totpCodeAt(secret, new Date(at));
/** A code that is none of the steps around now. */
const wrongCode = (secret: string): string => {
  const right = new Set([-60, -30, 0, 30, 60].map((seconds) => codeOf(secret, Date.now() + seconds * 1_000)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.has(code))!;
};
const tally = (answers: Answer[]): Record<string, number> =>
  Object.fromEntries(Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([k, v]) => [k, v!.length]));

async function createWithTotp() {
  const account = await createAccount(api);
  const { secret, recoveryCodes } = await addTotp(api, account);
  await forgetSteps(api, account);
  const begin = async (): Promise<string> => (await signInByPassword(api, account.email)).body.token;
  return { ...account, secret, recoveryCodes: recoveryCodes!, begin };
}

async function actionsOf(userId: string): Promise<string[]> {
  const { rows } = await api.db.query<{ action: string }>(
    'select action from audit_log where user_id = $1 order by id',
    [userId],
  );
  return rows.map(({ action }) => action);
}

describe('POST /auth/login of a person with a second factor', () => {
  it('401 SECOND_FACTOR_REQUIRED after the right password, without a cookie', async () => {
    const person = await createWithTotp();
    const answer = await signInByPassword(api, person.email);
    expect(answer).toMatchObject({
      status: 401,
      body: { code: 'SECOND_FACTOR_REQUIRED', methods: ['totp', 'recoveryCode'], expiresInSeconds: 300 },
    });
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.body.token).toMatch(/^[\w-]{100,}$/);
  });

  it('401 UNAUTHORIZED after a wrong password, as for people without one and unknown people', async () => {
    const person = await createWithTotp();
    const plain = await createAccount(api);
    const answers = await Promise.all(
      [person.email, plain.email, 'unknown@example.com'].map((email) => signInByPassword(api, email, 'wrong')),
    );
    const shown = answers.map(({ status, body: { requestId: _id, ...body } }) => ({ status, body }));
    expect(new Set(shown.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it('200 at once for a person without a second factor', async () => {
    const { email } = await createAccount(api);
    expect((await signInByPassword(api, email)).status).toBe(200);
  });
});

describe('POST /auth/login/second-factor', () => {
  it('200 for the code of the app: opens a session, and writes the sign-in to the audit log', async () => {
    const person = await createWithTotp();
    const answer = await secondStep({ token: await person.begin(), code: codeOf(person.secret) });
    expect(answer).toMatchObject({ status: 200, body: { user: { email: person.email } } });
    const session = await callAs(api, headersOf(answer))('GET', '/auth/session');
    expect(session.body.user.id).toBe(person.id);
    expect(await actionsOf(person.id)).toContain('auth.secondFactorAdded');
  });

  it('takes the codes of the steps before and after, and no others', async () => {
    const person = await createWithTotp();
    for (const [seconds, status] of [
      [-30, 200],
      [0, 200],
      [30, 200],
      [90, 401],
      [-90, 401],
    ] as const) {
      // Apart from the order: a step counts once, and none before it.
      await forgetSteps(api, person);
      const code = codeOf(person.secret, Date.now() + seconds * 1_000);
      const answer = await secondStep({ token: await person.begin(), code });
      // The step may have ended meanwhile.
      if (seconds === -30 && answer.status === 401) continue;
      expect({ seconds, status: answer.status }).toEqual({ seconds, status });
    }
  });

  it('401 for a code that was used before, by any sign-in', async () => {
    const person = await createWithTotp();
    const code = codeOf(person.secret);
    expect((await secondStep({ token: await person.begin(), code })).status).toBe(200);
    expect(await secondStep({ token: await person.begin(), code })).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED' },
    });
  });

  it('one of two calls at once with the same code opens a session', async () => {
    const person = await createWithTotp();
    const code = codeOf(person.secret);
    const tokens = await Promise.all([person.begin(), person.begin(), person.begin()]);
    const answers = await Promise.all(tokens.map((token) => secondStep({ token, code })));
    expect(tally(answers)).toEqual({ 200: 1, 401: 2 });
  });

  it('a recovery code works once, however it is written, and of two calls at once for one', async () => {
    const person = await createWithTotp();
    const [first, second] = person.recoveryCodes;
    const written = first!.toLowerCase().replaceAll('-', ' ');
    expect((await secondStep({ token: await person.begin(), recoveryCode: written })).status).toBe(200);
    expect((await secondStep({ token: await person.begin(), recoveryCode: first! })).status).toBe(401);
    const tokens = await Promise.all([person.begin(), person.begin()]);
    const answers = await Promise.all(tokens.map((token) => secondStep({ token, recoveryCode: second! })));
    expect(tally(answers)).toEqual({ 200: 1, 401: 1 });
    const factors = await callAs(api, person.headers)('GET', '/auth/second-factors');
    expect(factors.body.recoveryCodesLeft).toBe(8);
    expect(await actionsOf(person.id)).toContain('auth.recoveryCode');
  });

  it('refuses the code of another person', async () => {
    const [one, other] = [await createWithTotp(), await createWithTotp()];
    expect((await secondStep({ token: await one.begin(), code: codeOf(other.secret) })).status).toBe(401);
    expect((await secondStep({ token: await one.begin(), recoveryCode: other.recoveryCodes[0]! })).status).toBe(401);
  });

  it('400 for a token that was used, whose sign-in is over, or that was changed', async () => {
    const person = await createWithTotp();
    const token = await person.begin();
    expect((await secondStep({ token, recoveryCode: person.recoveryCodes[0]! })).status).toBe(200);
    const ended = { status: 400, body: { code: 'VALIDATION_ERROR', issues: [{ path: 'token' }] } };
    expect(await secondStep({ token, recoveryCode: person.recoveryCodes[1]! })).toMatchObject(ended);
    const changed = `${token.slice(0, -2)}${token.endsWith('A') ? 'BB' : 'AA'}`;
    expect(await secondStep({ token: changed, recoveryCode: person.recoveryCodes[1]! })).toMatchObject(ended);
    // The code of the refused calls was not used up.
    const again = await secondStep({ token: await person.begin(), recoveryCode: person.recoveryCodes[1]! });
    expect(again.status).toBe(200);
  });

  it('one of two calls at once with the same token opens a session', async () => {
    const person = await createWithTotp();
    const token = await person.begin();
    const answers = await Promise.all(
      person.recoveryCodes.slice(0, 2).map((recoveryCode) => secondStep({ token, recoveryCode })),
    );
    expect(tally(answers)).toEqual({ 200: 1, 400: 1 });
  });

  it('400 for the token after five minutes', async () => {
    let now = Date.now();
    await using late = await createTestApi({ besides: api, clock: () => new Date(now) });
    const person = await createWithTotp();
    const { token } = (await signInByPassword(late, person.email)).body;
    now += 301_000;
    const answer = await callAs(late)('POST', '/auth/login/second-factor', { token, code: codeOf(person.secret, now) });
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'token' }] } });
  });

  it('400 where the password has changed since it was checked', async () => {
    const person = await createWithTotp();
    const token = await person.begin();
    const changed = await callAs(api, person.headers)('POST', '/auth/password', {
      current: testPassword,
      next: 'another good passphrase',
    });
    expect(changed.status).toBe(200);
    const answer = await secondStep({ token, code: codeOf(person.secret) });
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'token' }] } });
  });

  it.each([
    [{}, ''],
    [{ code: '123456', recoveryCode: 'X' }, ''],
    [{ code: '12345' }, 'code'],
    [{ code: 'abcdef' }, 'code'],
    [{ code: null }, ''],
    [{ passkey: { id: 'no+base64' } }, 'passkey.id'],
  ])('400 for %j', async (body, path) => {
    const answer = await secondStep({ token: 'x', ...body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(answer.body.issues.map((issue: { path: string }) => issue.path)).toContain(path);
  });
});

describe('wrong codes', () => {
  it('the eleventh of a person in 15 minutes is answered 429, over two processes, addresses and calls at once', async () => {
    await using second = await createTestApi({ besides: api, trustedProxies: ['127.0.0.1'] });
    const person = await createWithTotp();
    const token = await person.begin();
    const code = wrongCode(person.secret);
    const attempts = Array.from({ length: 24 }, (_attempt, index) =>
      index % 2 === 0
        ? secondStep({ token, code })
        : callAs(second, { 'x-forwarded-for': `198.51.100.${index}` })('POST', '/auth/login/second-factor', {
            token,
            recoveryCode: 'AAAA-AAAA-AAAA-AAAA',
          }),
    );
    const answers = await Promise.all(attempts);
    expect(tally(answers)).toEqual({ 401: 10, 429: 14 });
    const refused = answers.find(({ status }) => status === 429)!;
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(14 * 60);
    // A right code does not tell itself apart, and is not used up.
    expect((await secondStep({ token, code: codeOf(person.secret) })).status).toBe(429);
    await api.db.query(`update sign_in_failures set failed_at = failed_at - interval '15 minutes'`);
    expect((await secondStep({ token, code: codeOf(person.secret) })).status).toBe(200);
    const actions = await actionsOf(person.id);
    expect(actions).toEqual(expect.arrayContaining(['auth.secondFactorFailed', 'auth.secondFactorThrottled']));
  });

  it('right codes leave no guess behind', async () => {
    const person = await createWithTotp();
    for (const recoveryCode of person.recoveryCodes)
      expect((await secondStep({ token: await person.begin(), recoveryCode })).status).toBe(200);
    expect(await secondStep({ token: await person.begin(), code: codeOf(person.secret) })).toMatchObject({
      status: 200,
    });
  });
});

describe('a passkey as second factor', () => {
  async function createWithPasskey() {
    const account = await createAccount(api);
    const { passkey } = await addTestPasskey(api, account);
    const begin = async () => {
      const { token } = (await signInByPassword(api, account.email)).body;
      const asked = await call('POST', '/auth/login/passkey-options', { token });
      return { token, options: asked.body.options };
    };
    return { ...account, passkey, begin };
  }

  it('200: the browser is asked for the passkeys of the person, and one of them signs in', async () => {
    const person = await createWithPasskey();
    const { token, options } = await person.begin();
    expect(options).toMatchObject({ rpId: 'localhost', allowCredentials: [{ id: person.passkey.id }] });
    const passkey = person.passkey.sign(options.challenge, { isVerified: false });
    expect(await secondStep({ token, passkey })).toMatchObject({ status: 200, body: { user: { id: person.id } } });
  });

  it.each([
    ['of another challenge', { challenge: 'AAAA' }],
    ['on a page of another site', { origin: 'https://evil.example' }],
    ['bound to another host', { host: 'evil.example' }],
    ['of another kind', { type: 'webauthn.create' }],
    ['whose count of signatures went back', { signCount: 1 }],
  ])('401 for a signature %s', async (_name, { challenge, ...circumstances }: Record<string, unknown>) => {
    const person = await createWithPasskey();
    const first = await person.begin();
    expect(
      (await secondStep({ token: first.token, passkey: person.passkey.sign(first.options.challenge) })).status,
    ).toBe(200);
    const { token, options } = await person.begin();
    const passkey = person.passkey.sign((challenge as string) ?? options.challenge, circumstances);
    expect(await secondStep({ token, passkey })).toMatchObject({ status: 401 });
  });

  it("401 for another person's passkey, and for one that is known nowhere", async () => {
    const [one, other] = [await createWithPasskey(), await createWithPasskey()];
    const { token, options } = await one.begin();
    for (const passkey of [other.passkey, createTestPasskey()])
      expect((await secondStep({ token, passkey: passkey.sign(options.challenge) })).status).toBe(401);
  });
});

describe('POST /auth/login/passkey', () => {
  const ask = async () => (await call('POST', '/auth/login/passkey-options', {})).body;
  const signIn = (body: object): Promise<Answer> => call('POST', '/auth/login/passkey', body);

  it('200: a passkey that has checked the person signs in alone, once', async () => {
    const account = await createAccount(api);
    const { passkey } = await addTestPasskey(api, account);
    const { token, options } = await ask();
    expect(options).toMatchObject({ userVerification: 'required', allowCredentials: [] });
    const body = { token, passkey: passkey.sign(options.challenge) };
    const answer = await signIn(body);
    expect(answer).toMatchObject({ status: 200, body: { user: { id: account.id } } });
    expect(await actionsOf(account.id)).toContain('auth.passkey');
    expect((await signIn(body)).status).toBe(401);
    const another = { token, passkey: passkey.sign(options.challenge) };
    expect(await signIn(another)).toMatchObject({ status: 400, body: { issues: [{ path: 'token' }] } });
  });

  it('401 where the authenticator has not checked the person', async () => {
    const { passkey } = await addTestPasskey(api, await createAccount(api));
    const { token, options } = await ask();
    expect((await signIn({ token, passkey: passkey.sign(options.challenge, { isVerified: false }) })).status).toBe(401);
  });

  it('401 for an unknown passkey, alike for one of an erased person', async () => {
    const account = await createAccount(api);
    const { passkey } = await addTestPasskey(api, account);
    await api.db.query('update users set deleted_at = now() where id = $1', [account.id]);
    const { token, options } = await ask();
    const answers = [passkey, createTestPasskey()].map((one) =>
      signIn({ token, passkey: one.sign(options.challenge) }),
    );
    const bodies = (await Promise.all(answers)).map(({ status, body: { code, message } }) => ({
      status,
      code,
      message,
    }));
    expect(bodies[0]).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    expect(bodies[1]).toEqual(bodies[0]);
  });

  it('400 for the token of a sign-in by password, and the other way round', async () => {
    const account = await createAccount(api);
    const { passkey } = await addTestPasskey(api, account);
    const { token } = (await signInByPassword(api, account.email)).body;
    const { options } = (await call('POST', '/auth/login/passkey-options', { token })).body;
    const signed = passkey.sign(options.challenge);
    expect((await signIn({ token, passkey: signed })).status).toBe(400);
    const alone = await ask();
    const other = passkey.sign(alone.options.challenge);
    expect((await secondStep({ token: alone.token, passkey: other })).status).toBe(400);
  });

  it('403 FEATURE_NOT_AVAILABLE where the installation has an IP address', async () => {
    await using numbered = await createTestApi({ besides: api, baseUrl: 'http://192.0.2.1:3000' });
    const answer = await numbered.call(
      'POST',
      '/auth/login/passkey-options',
      {},
      { headers: { 'x-api-key': undefined } },
    );
    expect(answer).toMatchObject({ status: 403, body: { code: 'FEATURE_NOT_AVAILABLE' } });
  });
});

describe('other ways in', () => {
  it('a new password by mail does not sign a person with a second factor in', async () => {
    const person = await createWithTotp();
    await call('POST', '/auth/password/forgot', { email: person.email });
    const { rows } = await api.db.query<{ id: string }>('select id from password_resets where user_id = $1', [
      person.id,
    ]);
    const token = writeSignedId(rows[0]!.id, createSealing([testSecretKey]).deriveKeys(resetTokenPurpose)[0]!);
    const answer = await call('POST', '/auth/password/reset', { token, newPassword: 'another good passphrase' });
    expect(answer).toMatchObject({ status: 401, body: { code: 'SECOND_FACTOR_REQUIRED' } });
    expect(answer.headers['set-cookie']).toBeUndefined();
    const signedIn = await secondStep({ token: answer.body.token, code: codeOf(person.secret) });
    expect(signedIn.status).toBe(200);
    expect(await signInByPassword(api, person.email, 'another good passphrase')).toMatchObject({
      body: { code: 'SECOND_FACTOR_REQUIRED' },
    });
  });

  it('an invitation is accepted by the password of an account with a second factor once it is signed in', async () => {
    const person = await createWithTotp();
    const other = await createOrganization(api.db);
    const owner = await createSignedIn(api.db, other.id, 'owner');
    const invited = await callAs(api, owner.headers)('POST', '/organization/invitations', {
      email: person.email,
      role: 'member',
    });
    const token = writeSignedId(invited.body.id, createSealing([testSecretKey]).deriveKeys(invitationTokenPurpose)[0]!);
    const answer = await call('POST', '/auth/invitation/accept', { token, password: testPassword });
    expect(answer).toMatchObject({ status: 401, body: { code: 'SECOND_FACTOR_REQUIRED' } });
    const signedIn = await secondStep({ token: answer.body.token, code: codeOf(person.secret) });
    const joined = await callAs(api, headersOf(signedIn))('POST', '/auth/invitation/join', { token });
    expect(joined).toMatchObject({ status: 200, body: { organization: { id: other.id } } });
  });
});
