// @module-tag slow

import { describe, expect, it } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { resetTokenPurpose, writeSignedId } from '#core/secrets/signed-id.ts';
import { type Answer, createTestApi, testSecretKey, useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createSignedIn, testOrigin, testPassword } from '#test/support/people.ts';

const api = useTestApi();
const key = createSealing([testSecretKey]).deriveKeys(resetTokenPurpose)[0]!;
const newPassword = 'an even better password';

let clients = 0;
const withoutKey = (headers: Record<string, string> = {}) => ({
  headers: { 'x-api-key': undefined, ...headers },
  // Each call from a client of its own, so that no test meets the limit of another.
  remoteAddress: `198.51.100.${(clients += 1)}`,
});
const forgot = (email: unknown, options = withoutKey()): Promise<Answer> =>
  api.call('POST', '/auth/password/forgot', { email }, options);
const reset = (token: string, password = newPassword, options = withoutKey()): Promise<Answer> =>
  api.call('POST', '/auth/password/reset', { token, newPassword: password }, options);
const signIn = (email: string, password: string): Promise<Answer> =>
  api.call('POST', '/auth/login', { email, password }, withoutKey());
const session = (headers: Record<string, string | undefined>): Promise<Answer> =>
  api.call('GET', '/auth/session', undefined, { headers });

async function requestsOf(userId: string): Promise<string[]> {
  const { rows } = await api.db.query<{ id: string }>('select id from password_resets where user_id = $1', [userId]);
  return rows.map(({ id }) => id);
}

/** Asks for a link, and makes the token that its mail has. */
async function tokenFor(person: { id: string; email: string }): Promise<string> {
  expect((await forgot(person.email)).status).toBe(200);
  const [id] = await requestsOf(person.id);
  return writeSignedId(id!, key);
}

const member = () => createPerson(api.db, { [api.organization.id]: 'member' });
const refusedToken = { status: 400, body: { code: 'VALIDATION_ERROR', issues: [{ path: 'token' }] } };

describe('POST /auth/password/forgot', () => {
  it('requests a mail by the outbox, and stores no token', async () => {
    const person = await member();
    const token = await tokenFor({ ...person, email: ` ${person.email.toUpperCase()} ` });
    const { rows } = await api.db.query<{ text: string; waiting: boolean; kind: string }>(
      `select to_jsonb(r)::text as text, mailed_at is null as waiting, o.kind
       from password_resets r join outbox o on o.subject_id = r.id where user_id = $1`,
      [person.id],
    );
    expect(rows).toEqual([{ text: expect.any(String), waiting: true, kind: 'password-reset' }]);
    expect(rows[0]!.text).not.toContain(token);
    expect(rows[0]!.text).not.toContain(person.email);
  });

  it('answers alike to an e-mail that no account has, and to bots and erased people', async () => {
    const person = await member();
    const gone = await member();
    await api.db.query('update users set deleted_at = now() where id = $1', [gone.id]);
    const answers = [await forgot(person.email), await forgot('nobody@example.com'), await forgot(gone.email)];
    for (const { status, body, headers } of answers) {
      expect({ status, body }).toEqual({ status: 200, body: { expiresInSeconds: 3_600 } });
      expect(headers['set-cookie']).toBeUndefined();
    }
    expect(await requestsOf(gone.id)).toEqual([]);
  });

  it('answers 429 to the sixth request of an e-mail by one client and the eleventh by all, known or not', async () => {
    for (const email of [(await member()).email, 'unknown@example.com']) {
      const one = withoutKey();
      for (let call = 0; call < 5; call += 1) expect((await forgot(email, one)).status).toBe(200);
      const refused = await forgot(email, one);
      expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_EXCEEDED' } });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(800);
      for (let call = 0; call < 5; call += 1) expect((await forgot(email)).status).toBe(200);
      expect((await forgot(email)).status).toBe(429);
    }
  });

  it('answers 429 to the 31st request of a client, whatever the e-mail', async () => {
    const one = withoutKey();
    for (let call = 0; call < 30; call += 1) {
      expect((await forgot(`someone-${call}@example.com`, one)).status).toBe(200);
    }
    expect((await forgot('someone-else@example.com', one)).status).toBe(429);
    expect((await forgot('someone-else@example.com')).status).toBe(200);
  });

  it('takes no attempt to sign in away', async () => {
    const person = await member();
    const one = withoutKey();
    for (let call = 0; call < 6; call += 1) await forgot(person.email, one);
    const answer = await api.call('POST', '/auth/login', { email: person.email, password: testPassword }, one);
    expect(answer.status).toBe(200);
  });

  it('is in the audit log, for known and unknown accounts', async () => {
    const person = await member();
    await forgot(person.email);
    const { rows } = await api.db.query(`select action from audit_log where user_id = $1`, [person.id]);
    expect(rows).toEqual([{ action: 'auth.resetRequested' }]);
  });

  it('answers 403 where no mail is sent, with the setting that is missing', async () => {
    const installation = { version: '1.2.3', hasMail: false, supportContact: null, temporalUiUrl: null };
    await using bare = await createTestApi({ besides: api, installation });
    const person = await member();
    const answer = await bare.call('POST', '/auth/password/forgot', { email: person.email }, withoutKey());
    expect(answer).toMatchObject({ status: 403, body: { code: 'FEATURE_NOT_AVAILABLE' } });
    expect(answer.body.message).toContain('SMTP_URL');
    expect(await requestsOf(person.id)).toEqual([]);
  });

  it('answers 400 to what is no e-mail', async () => {
    for (const email of ['ada', `${'a'.repeat(250)}@example.com`, 7, undefined]) {
      expect(await forgot(email)).toMatchObject({ status: 400, body: { issues: [{ path: 'email' }] } });
    }
  });
});

describe('POST /auth/password/reset', () => {
  it('sets the password, ends the sessions of the person, and signs them in', async () => {
    const person = await createSignedIn(api.db, api.organization.id, 'admin');
    const bystander = await createSignedIn(api.db, api.organization.id, 'member');
    const answer = await reset(await tokenFor(person));
    expect(answer).toMatchObject({ status: 200, body: { user: { id: person.id }, organization: { role: 'admin' } } });
    const cookie = String(answer.headers['set-cookie']).split(';')[0]!;
    expect((await session({ 'x-api-key': undefined, cookie, origin: testOrigin })).status).toBe(200);
    expect((await session(person.headers)).status).toBe(401);
    expect((await session(bystander.headers)).status).toBe(200);
    expect((await signIn(person.email, testPassword)).status).toBe(401);
    expect((await signIn(person.email, newPassword)).status).toBe(200);
    const { rows } = await api.db.query('select action from audit_log where user_id = $1 order by id', [person.id]);
    expect(rows).toEqual(
      ['auth.resetRequested', 'auth.reset', 'auth.login', 'auth.loginFailed'].map((action) => ({ action })),
    );
  });

  it('hands an account whose e-mail was not verified to the person who has the mail', async () => {
    const email = 'squatted@example.com';
    const person = await createPerson(api.db, { [api.organization.id]: 'member' }, { email, isVerified: false });
    const factor = `insert into totp_factors (user_id, secret_sealed, last_step, created_at, confirmed_at) values ($1, '', 0, now(), now())`;
    await api.db.query(factor, [person.id]);
    expect((await signIn(email, testPassword)).body.code).toBe('SECOND_FACTOR_REQUIRED');
    expect((await reset(await tokenFor(person))).status).toBe(200);
    expect((await signIn(email, newPassword)).status).toBe(200);
    const { rows } = await api.db.query('select email_verified_at as at from users where id = $1', [person.id]);
    expect(rows).toEqual([{ at: expect.any(Date) }]);
    // Of a verified account the second factor stays.
    await api.db.query(factor, [person.id]);
    expect((await reset(await tokenFor(person))).body.code).toBe('SECOND_FACTOR_REQUIRED');
  });

  it('takes a token once, also of two calls at once', async () => {
    const person = await member();
    const token = await tokenFor(person);
    const answers = await Promise.all([reset(token, 'a first new password'), reset(token, 'a second new password')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(answers.find(({ status }) => status === 400)).toMatchObject(refusedToken);
    expect(await reset(token)).toMatchObject(refusedToken);
  });

  it('refuses the token of an earlier mail, of an hour ago, and of before a change of the password', async () => {
    const person = await createSignedIn(api.db, api.organization.id, 'member');
    const earlier = await tokenFor(person);
    const later = await tokenFor(person);
    expect(later).not.toBe(earlier);
    expect(await reset(earlier)).toMatchObject(refusedToken);
    await api.db.query(`update password_resets set expires_at = now() where user_id = $1`, [person.id]);
    expect(await reset(later)).toMatchObject(refusedToken);
    const third = await tokenFor(person);
    const change = { current: testPassword, next: 'changed while signed in' };
    const changed = await api.call('POST', '/auth/password', change, { headers: person.headers });
    expect(changed.status).toBe(200);
    expect(await reset(third)).toMatchObject(refusedToken);
    expect((await signIn(person.email, change.next)).status).toBe(200);
  });

  it('refuses a token of another key, and the id of a request alone', async () => {
    const person = await member();
    await tokenFor(person);
    const [id] = await requestsOf(person.id);
    for (const token of [writeSignedId(id!, Buffer.alloc(32)), id!, 'x', '\u0000']) {
      expect(await reset(token)).toMatchObject({ status: 400, body: { issues: [{ path: 'token' }] } });
    }
  });

  it('refuses a password as POST /auth/password does, and the link works on', async () => {
    const person = await member();
    const token = await tokenFor(person);
    for (const refused of ['1234567', 'x'.repeat(129), 'Password123!', person.email]) {
      expect(await reset(token, refused)).toMatchObject({ status: 400, body: { issues: [{ path: 'newPassword' }] } });
    }
    expect((await reset(token)).status).toBe(200);
  });

  it('sets the password of a person whose organization is suspended, and answers 403', async () => {
    const organization = await createOrganization(api.db);
    const person = await createPerson(api.db, { [organization.id]: 'owner' });
    const token = await tokenFor(person);
    await api.db.query('update organizations set suspended_at = now() where id = $1', [organization.id]);
    expect(await reset(token)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    await api.db.query('update organizations set suspended_at = null where id = $1', [organization.id]);
    expect((await signIn(person.email, newPassword)).status).toBe(200);
  });

  it('refuses the token of a person who was erased meanwhile', async () => {
    const person = await member();
    const token = await tokenFor(person);
    await api.db.query('update users set deleted_at = now(), email = null where id = $1', [person.id]);
    expect(await reset(token)).toMatchObject(refusedToken);
  });
});
