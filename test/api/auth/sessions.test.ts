// @module-tag slow

import { describe, expect, it } from 'vitest';
import { hashPassword } from '#commands/accounts/passwords.ts';
import { setPassword } from '#commands/accounts/people.ts';
import { openSession } from '#commands/accounts/sessions.ts';
import { hashToken } from '#core/organizations/api-key.ts';
import { User } from '#db/entities/accounts/people.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { type Answer, createTestApi, useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import {
  createPerson,
  createSignedIn,
  createUserKey,
  everyPermission,
  joinOrganization,
  openTestSession,
  testOrigin,
  testPassword,
} from '#test/support/people.ts';

const api = useTestApi();

const link = { destination: { type: 'link', value: 'https://example.com/' } };
const signIn = (
  email: string,
  password = testPassword,
  headers: Record<string, string | undefined> = {},
  target = api,
): Promise<Answer> =>
  target.call('POST', '/auth/login', { email, password }, { headers: { 'x-api-key': undefined, ...headers } });
const cookieOf = ({ headers }: Answer): string => String(headers['set-cookie']);
const browser = (answer: Answer) => ({
  'x-api-key': undefined,
  cookie: cookieOf(answer).split(';')[0]!,
  origin: testOrigin,
});
const session = (headers: Record<string, string | undefined>): Promise<Answer> =>
  api.call('GET', '/auth/session', undefined, { headers });

describe('POST /auth/login', () => {
  it('begins a session in a cookie, and says who and where', async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'admin' });
    const answer = await signIn(` ${person.email.toUpperCase()} `);
    const organization = {
      id: api.organization.id,
      name: expect.any(String),
      plan: 'premium',
      role: 'admin',
      isSuspended: false,
      suspensionReason: null,
    };
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(answer.body).toEqual({
      user: { id: person.id, email: person.email, name: 'Ada', isStaff: false, organizations: [organization] },
      organization,
      isByProvider: false,
      viewing: null,
      permissions: everyPermission,
      installation: {
        version: '1.2.3',
        edgeUrl: 'http://localhost:3001',
        hasGeoip: true,
        hasMail: true,
        supportContact: 'mailto:help@waymark.example',
        temporalUiUrl: null,
      },
    });
    expect(cookieOf(answer)).toMatch(/^waymark=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/);
    expect(await session(browser(answer))).toMatchObject({ status: 200, body: answer.body });
  });

  it('keeps the hash of the token and nothing more', async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'member' });
    const token = /waymark=([^;]+)/.exec(cookieOf(await signIn(person.email)))![1]!;
    const { rows } = await api.db.query<{ hash: Buffer; text: string }>(
      `select token_hash as hash, to_jsonb(s)::text as text from sessions s where user_id = $1`,
      [person.id],
    );
    expect(rows.map(({ hash }) => hash)).toEqual([hashToken(token)]);
    expect(rows[0]!.text).not.toContain(token);
  });

  it('makes a new token at each sign-in and ends the session that the browser had', async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'member' });
    const first = await signIn(person.email);
    const elsewhere = await signIn(person.email);
    const second = await signIn(person.email, testPassword, { cookie: browser(first).cookie });
    expect(new Set([first, elsewhere, second].map(cookieOf)).size).toBe(3);
    expect((await session(browser(first))).status).toBe(401);
    expect((await session(browser(elsewhere))).status).toBe(200);
    expect((await session(browser(second))).status).toBe(200);
  });

  it('has a cookie that only its own host can set, on https', async () => {
    await using secure = await createTestApi({ besides: api, baseUrl: 'https://go.example.com' });
    const person = await createPerson(api.db, { [api.organization.id]: 'member' });
    const answer = await signIn(person.email, testPassword, { origin: 'https://go.example.com' }, secure);
    expect(cookieOf(answer)).toMatch(
      /^__Host-waymark=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=2592000$/,
    );
    const cookie = cookieOf(answer).split(';')[0]!;
    const ask = (sent: string) =>
      secure.call('GET', '/auth/session', undefined, { headers: { 'x-api-key': undefined, cookie: sent } });
    expect((await ask(cookie)).status).toBe(200);
    expect((await ask(cookie.replace('__Host-', ''))).status).toBe(401);
    const { body } = await secure.call('GET', '/doc');
    expect(body.components.securitySchemes.session).toMatchObject({ in: 'cookie', name: '__Host-waymark' });
  });

  it('answers 401 alike to a wrong password, an unknown e-mail, and one who has no password', async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'member' });
    const passwordless = await createPerson(api.db, { [api.organization.id]: 'member' });
    await api.db.query('update users set password_hash = null where id = $1', [passwordless.id]);
    const gone = await createPerson(api.db, { [api.organization.id]: 'member' });
    await api.db.query('update users set deleted_at = now() where id = $1', [gone.id]);
    const answers = [
      await signIn(person.email, 'a wrong password'),
      await signIn('nobody@example.com'),
      await signIn(passwordless.email),
      await signIn(gone.email),
    ];
    for (const { status, headers, body } of answers) {
      expect(status).toBe(401);
      expect(headers['set-cookie']).toBeUndefined();
      expect({ ...body, requestId: '' }).toEqual({
        code: 'UNAUTHORIZED',
        message: 'E-mail or password is wrong.',
        requestId: '',
      });
    }
  });

  it.each([
    [{ email: 'ada', password: 'x' }, 'email'],
    [{ email: `${'a'.repeat(250)}@example.com`, password: 'x' }, 'email'],
    [{ email: 'ada@example.com', password: 'x'.repeat(129) }, 'password'],
  ])('answers 400 to %j', async (body, path) => {
    const answer = await api.call('POST', '/auth/login', body, { headers: { 'x-api-key': undefined } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', issues: [{ path }] } });
  });

  it('answers 403 to a page of another site, and takes calls that no browser makes', async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'member' });
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost:3001' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: testOrigin, 'sec-fetch-site': 'cross-site' },
    ]) {
      expect(await signIn(person.email, testPassword, headers)).toMatchObject({
        status: 403,
        body: { code: 'FORBIDDEN' },
      });
    }
    for (const headers of [{}, { origin: testOrigin }, { 'sec-fetch-site': 'same-origin' }]) {
      expect((await signIn(person.email, testPassword, headers)).status).toBe(200);
    }
  });

  it('takes the first organization joined, one that is not suspended if there is any', async () => {
    const [first, second] = [await createOrganization(api.db), await createOrganization(api.db)];
    const person = await createPerson(api.db, { [first.id]: 'member', [second.id]: 'owner' });
    expect((await signIn(person.email)).body).toMatchObject({
      user: { organizations: [{ id: first.id }, { id: second.id }] },
      organization: { id: first.id, role: 'member' },
    });
    await api.db.query('update organizations set suspended_at = now() where id = $1', [first.id]);
    expect((await signIn(person.email)).body.organization.id).toBe(second.id);
  });

  it('answers 403 to someone in no organization, once their password is right', async () => {
    const person = await createPerson(api.db, {});
    expect((await signIn(person.email, 'a wrong password')).status).toBe(401);
    const body = { code: 'FORBIDDEN', reason: 'no-organization' };
    expect(await signIn(person.email)).toMatchObject({ status: 403, body });
  });
});

describe('GET /auth/session', () => {
  it('shows a member the permissions of their role', async () => {
    const member = await createSignedIn(api.db, api.organization.id, 'member');
    const { apiKeys: _none, ...permissions } = everyPermission;
    expect((await session(member.headers)).body.permissions).toEqual(permissions);
  });

  it('shows the address of the Temporal UI to staff alone', async () => {
    const member = await createSignedIn(api.db, api.organization.id, 'owner');
    expect((await session(member.headers)).body.installation.temporalUiUrl).toBeNull();
    await api.db.query('update users set is_staff = true where id = $1', [member.id]);
    expect((await session(member.headers)).body).toMatchObject({
      user: { isStaff: true },
      installation: { temporalUiUrl: 'http://localhost:8233' },
    });
  });

  it('says what the installation lacks', async () => {
    const installation = { version: '1.2.3', hasMail: false, supportContact: null, temporalUiUrl: null };
    await using bare = await createTestApi({ besides: api, hasGeoip: false, installation });
    const member = await createSignedIn(api.db, api.organization.id, 'member');
    const answer = await bare.call('GET', '/auth/session', undefined, { headers: member.headers });
    expect(answer.body.installation).toMatchObject({
      hasGeoip: false,
      hasMail: false,
      supportContact: null,
      temporalUiUrl: null,
    });
  });
});

describe('POST /auth/organization', () => {
  const change = (headers: Record<string, string | undefined>, id: unknown): Promise<Answer> =>
    api.call('POST', '/auth/organization', { id }, { headers });

  it('goes on in another organization of the user', async () => {
    const person = await createSignedIn(api.db, api.organization.id, 'member');
    const other = await createOrganization(api.db, { plan: 'free' });
    await joinOrganization(api.db, person.id, other.id, 'owner');
    const moved = await change(person.headers, other.id);
    expect(moved).toMatchObject({ status: 200, body: { organization: { id: other.id, plan: 'free', role: 'owner' } } });
    expect((await session(person.headers)).body).toEqual(moved.body);
    const made = await api.call('POST', '/short-link', link, { headers: person.headers });
    expect(made.body.organizationId).toBe(other.id);
  });

  it('answers 403 to a foreign one, 404 to an unknown one, 400 to what is no id', async () => {
    const { headers } = await createSignedIn(api.db, api.organization.id, 'member');
    const other = await createOrganization(api.db);
    expect(await change(headers, other.id)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await change(headers, '01890000-0000-7000-8000-000000000000')).status).toBe(404);
    expect(await change(headers, 'x')).toMatchObject({ status: 400, body: { issues: [{ path: 'id' }] } });
  });
});

describe('POST /auth/password', () => {
  const change = (headers: Record<string, string | undefined>, body: object): Promise<Answer> =>
    api.call('POST', '/auth/password', body, { headers });
  const next = 'an even better password';

  it("changes it and ends the user's other sessions", async () => {
    const person = await createSignedIn(api.db, api.organization.id, 'member');
    const elsewhere = await openTestSession(api.db, person.id, api.organization.id);
    const bystander = await createSignedIn(api.db, api.organization.id, 'member');
    const answer = await change(person.headers, { current: testPassword, next });
    expect(answer).toMatchObject({ status: 200, body: { user: { id: person.id } } });
    expect((await session(person.headers)).status).toBe(200);
    expect((await session(elsewhere)).status).toBe(401);
    expect((await session(bystander.headers)).status).toBe(200);
    expect((await signIn(person.email)).status).toBe(401);
    expect((await signIn(person.email, next)).status).toBe(200);
  });

  it('leaves no session that was begun by the password before it', async () => {
    const person = await createSignedIn(api.db, api.organization.id, 'member');
    const before = await emOf(api.db).getRepository(User).findCredentials({ email: person.email });
    await change(person.headers, { current: testPassword, next });
    await expect(emOf(api.db).transactional((em) => openSession(em, before!))).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
  });

  it('lets one of two changes at once win, and tells the other', async () => {
    const person = await createSignedIn(api.db, api.organization.id, 'member');
    const nexts = ['a first new password', 'a second new password'];
    const answers = await Promise.all(nexts.map((next) => change(person.headers, { current: testPassword, next })));
    const statuses = answers.map(({ status }) => status);
    // 400 where it is checked only after the other has won: then the current password is wrong.
    expect([409, 400]).toContain(statuses.find((status) => status !== 200));
    expect(statuses).toContain(200);
    const winner = nexts[statuses.indexOf(200)]!;
    expect((await signIn(person.email, winner)).status).toBe(200);
    expect(
      (
        await signIn(
          person.email,
          nexts.find((next) => next !== winner),
        )
      ).status,
    ).toBe(401);
  });

  it('is refused where the password that allowed it has been replaced since', async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'member' });
    const { passwordHash: checkedHash } = (await emOf(api.db)
      .getRepository(User)
      .findCredentials({ email: person.email }))!;
    const [one, other] = await Promise.all([hashPassword('a new password'), hashPassword('another new password')]);
    const results = await Promise.allSettled(
      [one, other].map((hash) => emOf(api.db).transactional((em) => setPassword(em, person.id, hash, { checkedHash }))),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'CONFLICT' } });
    const { passwordHash } = (await emOf(api.db).getRepository(User).findCredentials({ email: person.email }))!;
    expect(passwordHash).toBe(results[0]!.status === 'fulfilled' ? one : other);
  });

  it.each([
    ['Password123!', 'a password that is guessed first'],
    ['qwertyuiop', 'a walk over the keyboard'],
    ['zanzibar-2026', 'the name of an organization'],
    ['zoe.zephyr', 'what stands before the @'],
  ])('refuses %s: %s', async (refused) => {
    const { id } = await createOrganization(api.db);
    await api.db.query(`update organizations set name = 'Zanzibar' where id = $1`, [id]);
    const email = `zoe.zephyr@z${id.slice(-12)}.example`;
    const person = await createPerson(api.db, { [id]: 'owner' }, { email });
    const headers = await openTestSession(api.db, person.id, id);
    const answer = await change(headers, { current: testPassword, next: refused });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', issues: [{ path: 'next' }] } });
    expect(JSON.stringify(answer.body)).not.toContain(refused);
    expect((await signIn(email)).status).toBe(200);
  });

  it('answers 400 to a wrong current password and to one that is too short or too long', async () => {
    const { headers } = await createSignedIn(api.db, api.organization.id, 'member');
    for (const [body, path] of [
      [{ current: 'wrong', next }, 'current'],
      [{ current: testPassword, next: '1234567' }, 'next'],
      [{ current: testPassword, next: 'x'.repeat(129) }, 'next'],
      [{ current: testPassword }, 'next'],
    ] as const) {
      expect(await change(headers, body)).toMatchObject({ status: 400, body: { issues: [{ path }] } });
    }
    expect((await change(headers, { current: testPassword, next: 'tulip 42' })).status).toBe(200);
  });
});

describe('a key on a path under /auth/', () => {
  it('a key under /auth/ is answered 403, whatever the path and the key', async () => {
    const { headers, id } = await createSignedIn(api.db, api.organization.id, 'owner');
    const userKey = await createUserKey(api.db, api.organization.id, id);
    for (const key of [api.organization.key, userKey, `wm_live_${'x'.repeat(43)}`, 'nonsense', '']) {
      for (const [method, path] of [
        ['POST', '/auth/login'],
        ['GET', '/auth/session'],
        ['GET', '/auth/nothing'],
        ['GET', '/auth/login'],
      ] as const) {
        const answer = await api.call(method, path, undefined, { headers: { ...headers, 'x-api-key': key } });
        expect([method, path, key, answer.status, answer.body.code]).toEqual([method, path, key, 403, 'FORBIDDEN']);
      }
    }
    expect((await session(headers)).status).toBe(200);
  });
});
