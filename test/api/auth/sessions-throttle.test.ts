// @module-tag slow

import { beforeEach, describe, expect, it } from 'vitest';
import { hashToken } from '#core/organizations/api-key.ts';
import { type Answer, createTestApi, type TestApi, useOwnTestApi } from '#test/support/api.ts';
import { createPerson, openTestSession, testPassword } from '#test/support/people.ts';

const signIn = (
  api: TestApi,
  email: string,
  password: string,
  address = '203.0.113.7',
  cookie?: string,
): Promise<Answer> =>
  api.call(
    'POST',
    '/auth/login',
    { email, password },
    {
      headers: { 'x-api-key': undefined, 'x-forwarded-for': address, cookie },
    },
  );
const trusted = { trustedProxies: ['127.0.0.1'] };
const tally = (answers: Answer[]): Record<string, number> =>
  Object.fromEntries(Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([k, v]) => [k, v!.length]));

/** Makes failures older. */
const passTime = (api: TestApi, interval: string): Promise<unknown> =>
  api.db.query('update sign_in_failures set failed_at = failed_at - $1::interval', [interval]);

describe('failed sign-ins', () => {
  const api = useOwnTestApi(trusted);
  beforeEach(() => api.db.query('delete from sign_in_failures'));

  it('the eleventh failed sign-in of an account and address in 15 minutes is answered 429, over two processes at once', async () => {
    await using second = await createTestApi({ ...trusted, besides: api });
    const { email } = await createPerson(api.db, { [api.organization.id]: 'member' });
    const attempts = Array.from({ length: 24 }, (_attempt, index) =>
      signIn(index % 2 === 0 ? api : second, email.toUpperCase(), 'wrong password'),
    );
    const answers = await Promise.all(attempts);
    expect(tally(answers)).toEqual({ 401: 10, 429: 14 });
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body.code).toBe('RATE_LIMIT_EXCEEDED');
    const retryAfter = Number(refused.headers['retry-after']);
    expect(retryAfter).toBeGreaterThan(14 * 60);
    expect(retryAfter).toBeLessThanOrEqual(15 * 60);
    // The right password must not tell itself apart from a wrong one.
    expect((await signIn(second, email, testPassword)).status).toBe(429);
    expect((await signIn(second, email, testPassword, '203.0.113.8')).status).toBe(200);
  });

  it('a failed sign-in counts for 15 minutes', async () => {
    const { email } = await createPerson(api.db, { [api.organization.id]: 'member' });
    for (let failure = 0; failure < 4; failure += 1) await signIn(api, email, 'wrong password');
    await passTime(api, '10 minutes');
    for (let failure = 0; failure < 6; failure += 1) await signIn(api, email, 'wrong password');
    const refused = await signIn(api, email, 'wrong password');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(5 * 60);
    await passTime(api, '5 minutes');
    const answers: Answer[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) answers.push(await signIn(api, email, 'wrong password'));
    expect(tally(answers)).toEqual({ 401: 4, 429: 2 });
  });

  it('failed sign-ins of unknown accounts count too, and each account by itself', async () => {
    const { email } = await createPerson(api.db, { [api.organization.id]: 'member' });
    const answers: Answer[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1)
      answers.push(await signIn(api, 'nobody@example.com', 'wrong one'));
    expect(tally(answers)).toEqual({ 401: 10, 429: 2 });
    expect((await signIn(api, email, testPassword)).status).toBe(200);
  });

  it('an account is closed after 100 failed sign-ins from any addresses', async () => {
    const { email } = await createPerson(api.db, { [api.organization.id]: 'member' });
    await signIn(api, email, 'wrong password');
    await api.db.query(
      `insert into sign_in_failures (id, account, client, failed_at)
       select gen_random_uuid(), account, 'client ' || n, failed_at from sign_in_failures, generate_series(1, 98) n`,
    );
    expect((await signIn(api, email, 'wrong password', '203.0.113.8')).status).toBe(401);
    expect((await signIn(api, email, testPassword, '203.0.113.9')).status).toBe(429);
  });

  it('a browser that is known to the account has ten tries of its own, whatever fails elsewhere', async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'member' });
    const other = await createPerson(api.db, { [api.organization.id]: 'member' });
    const tokens = ['a', 'b', 'c'].map((letter) => letter.repeat(43));
    for (const [index, token] of tokens.entries()) {
      await api.db.query(
        'insert into known_devices (user_id, token_hash, created_at, last_seen_at) values ($1, $2, now(), now())',
        [index === 2 ? other.id : person.id, hashToken(token)],
      );
    }
    const by = (index: number, password: string) =>
      signIn(api, person.email, password, '203.0.113.7', `waymark-device=${tokens[index]}`);
    for (let failure = 0; failure < 10; failure += 1) await signIn(api, person.email, 'wrong password');
    await api.db.query(
      `insert into sign_in_failures (id, account, client, failed_at)
       select gen_random_uuid(), min(account::text)::bytea, 'client ' || n, now() from sign_in_failures, generate_series(1, 90) n group by n`,
    );
    expect((await signIn(api, person.email, testPassword, '203.0.113.8')).status).toBe(429);
    // Unknown to this account, though known to another.
    expect((await by(2, testPassword)).status).toBe(429);
    const answers: Answer[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) answers.push(await by(0, 'wrong password'));
    expect(tally(answers)).toEqual({ 401: 10, 429: 2 });
    expect((await by(1, testPassword)).status).toBe(200);
    // The person asks for a new password there, however often strangers ask.
    const forgot = (cookie: string | undefined, address: string) =>
      api.call(
        'POST',
        '/auth/password/forgot',
        { email: person.email },
        { headers: { 'x-api-key': undefined, cookie, 'x-forwarded-for': address } },
      );
    const asked: Answer[] = [];
    for (let call = 0; call < 11; call += 1) asked.push(await forgot(undefined, `198.51.100.${call}`));
    expect(tally(asked)).toEqual({ 200: 10, 429: 1 });
    expect((await forgot(`waymark-device=${tokens[1]}`, '203.0.113.7')).status).toBe(200);
  });

  it('successful sign-ins leave no failure behind', async () => {
    const { email } = await createPerson(api.db, { [api.organization.id]: 'member' });
    for (let attempt = 0; attempt < 12; attempt += 1) expect((await signIn(api, email, testPassword)).status).toBe(200);
    expect((await api.db.query('select from sign_in_failures')).rowCount).toBe(0);
  });

  it('failed sign-ins and wrong current passwords count together', async () => {
    const { email, id } = await createPerson(api.db, { [api.organization.id]: 'member' });
    const headers = { ...(await openTestSession(api.db, id, api.organization.id)), 'x-forwarded-for': '203.0.113.7' };
    const change = () =>
      api.call('POST', '/auth/password', { current: 'wrong password', next: 'a good password' }, { headers });
    for (let failure = 0; failure < 5; failure += 1) expect((await change()).status).toBe(400);
    for (let failure = 0; failure < 5; failure += 1)
      expect((await signIn(api, email, 'wrong password')).status).toBe(401);
    const refused = await change();
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBeDefined();
  });

  it('failed sign-ins leave neither e-mail nor address in the database', async () => {
    await signIn(api, 'secretive@example.com', 'wrong password');
    const { rows } = await api.db.query<{ text: string; account: Buffer }>(
      `select to_jsonb(f)::text as text, account from sign_in_failures f`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.text).not.toMatch(/203\.0|secretive/);
    expect(rows[0]!.account).toHaveLength(32);
  });

  it(
    '40 sign-ins that fail at once, from one address and from many, are all answered',
    { tags: 'nightly' },
    async () => {
      const { email } = await createPerson(api.db, { [api.organization.id]: 'member' });
      const attempts = Array.from({ length: 80 }, (_attempt, index) =>
        signIn(api, email, testPassword, index < 40 ? '203.0.113.7' : `198.51.100.${index}`),
      );
      const answers = await Promise.all(attempts);
      expect(tally(answers)).toEqual({ 200: 80 });
    },
  );

  it(
    'failed sign-ins from one address do not make other addresses wait for all of them',
    { tags: 'nightly' },
    async () => {
      const { email } = await createPerson(api.db, { [api.organization.id]: 'member' });
      const ended: string[] = [];
      const flood = Array.from({ length: 45 }, (_attempt, index) =>
        signIn(api, `nobody${index}@example.com`, 'wrong password').then(() => ended.push('flood')),
      );
      const answer = signIn(api, email, testPassword, '198.51.100.9').then(({ status }) => {
        ended.push('person');
        return status;
      });
      expect(await answer).toBe(200);
      await Promise.all(flood);
      // Turns alternate; both slots were the flood's, and what has been hashed may be answered a little later.
      expect(ended.indexOf('person')).toBeLessThan(20);
    },
  );

  it('an unknown account costs a password check too, so that the time tells nothing', async () => {
    const attempts = Array.from({ length: 60 }, (_attempt, index) =>
      signIn(api, `nobody${index}@example.com`, 'wrong password'),
    );
    // Few checks run at once and few wait: further callers are refused, known or not.
    const statuses = new Set((await Promise.all(attempts)).map(({ status }) => status));
    expect([...statuses].toSorted((one, other) => one - other)).toEqual([401, 429]);
  });
});
