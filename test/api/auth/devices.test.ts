import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { createPerson, createSignedIn, testOrigin, testPassword } from '#test/support/people.ts';

const api = useTestApi();
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

/** Signs a person in by a browser. @returns the headers of its later calls. */
async function signIn(email: string, userAgent: string) {
  const headers = { 'x-api-key': undefined, 'user-agent': userAgent };
  const answer = await api.call('POST', '/auth/login', { email, password: testPassword }, { headers });
  expect(answer.status).toBe(200);
  return { 'x-api-key': undefined, cookie: String(answer.headers['set-cookie']).split(';')[0], origin: testOrigin };
}

type Headers = Record<string, string | undefined>;
const list = (headers: Headers): Promise<Answer> => api.call('GET', '/auth/sessions', undefined, { headers });
const end = (headers: Headers, id = ''): Promise<Answer> =>
  api.call('DELETE', `/auth/sessions${id === '' ? '' : `/${id}`}`, undefined, { headers });

describe('GET /auth/sessions', () => {
  it('lists the browsers in which the user is signed in, and no one else', async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'owner' });
    await createSignedIn(api.db, api.organization.id, 'owner');
    const desk = await signIn(person.email, firefox);
    const phone = await signIn(person.email, safari);
    const { status, headers, body } = await list(phone);
    expect({ status, cache: headers['cache-control'] }).toEqual({ status: 200, cache: 'no-store' });
    const shown = body.data.map(({ browser, os, isCurrent }: Record<string, unknown>) => ({ browser, os, isCurrent }));
    expect(shown).toHaveLength(2);
    expect(shown).toEqual(
      expect.arrayContaining([
        { browser: 'Safari', os: 'iOS', isCurrent: true },
        { browser: 'Firefox', os: 'Linux', isCurrent: false },
      ]),
    );
    expect((await list(desk)).body.data.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toMatchObject([
      { browser: 'Firefox' },
    ]);
  });

  it('leaves out sessions that have ended, and is for sessions alone', async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'owner' });
    const headers = await signIn(person.email, firefox);
    await signIn(person.email, 'x'.repeat(5_000));
    await api.db.query(`update sessions set expires_at = now() where user_id = $1 and os is null`, [person.id]);
    expect((await list(headers)).body.data).toHaveLength(1);
    expect(await api.call('GET', '/auth/sessions')).toMatchObject({ status: 403 });
    expect(await list({ 'x-api-key': undefined })).toMatchObject({ status: 401 });
  });
});

describe('DELETE /auth/sessions', () => {
  it('ends one other session at once, with a line in the audit log', async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'owner' });
    const desk = await signIn(person.email, firefox);
    const stolen = await signIn(person.email, safari);
    const { data } = (await list(desk)).body;
    const other = data.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent);
    expect(await end(desk, other.id)).toMatchObject({ status: 200, body: { rowCount: 1 } });
    expect(await list(stolen)).toMatchObject({ status: 401 });
    expect((await list(desk)).body.data).toHaveLength(1);
    const { rows } = await api.db.query(
      `select action from audit_log where user_id = $1 and action = 'auth.sessionEnded'`,
      [person.id],
    );
    expect(rows).toHaveLength(1);
  });

  it("answers 404 to unknown ids, to the session of the call, and to another person's", async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'owner' });
    const own = await signIn(person.email, firefox);
    const other = await createSignedIn(api.db, api.organization.id, 'owner');
    const [{ id: current }] = (await list(own)).body.data;
    const [{ id: foreign }] = (await list(other.headers)).body.data;
    for (const id of [uuidv7(), current, foreign])
      expect(await end(own, id)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect((await list(other.headers as unknown as Headers)).status).toBe(200);
  });

  it('ends all other sessions, and keeps that of the call', async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'owner' });
    const [desk, ...others] = [
      await signIn(person.email, firefox),
      await signIn(person.email, safari),
      await signIn(person.email, safari),
    ];
    expect(await end(desk)).toMatchObject({ status: 200, body: { rowCount: 2 } });
    for (const headers of others) expect(await list(headers)).toMatchObject({ status: 401 });
    expect(await end(desk)).toMatchObject({ status: 200, body: { rowCount: 0 } });
  });
});

describe('PATCH /auth/user', () => {
  it('changes the name, trimmed, as sessions show it', async () => {
    const person = await createPerson(api.db, { [api.organization.id]: 'owner' });
    const headers = await signIn(person.email, firefox);
    const answer = await api.call('PATCH', '/auth/user', { name: ' Grace Hopper ' }, { headers });
    expect(answer).toMatchObject({ status: 200, body: { id: person.id, email: person.email, name: 'Grace Hopper' } });
    const session = await api.call('GET', '/auth/session', undefined, { headers });
    expect(session.body.user.name).toBe('Grace Hopper');
    const sent = { ...session.body.user, name: 'Grace' };
    expect(await api.call('PATCH', '/auth/user', sent, { headers })).toMatchObject({
      status: 200,
      body: { id: person.id, email: person.email, name: 'Grace' },
    });
  });

  it.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: '\u3164' }, 'name'],
    [{ name: 'Ada\n\nYour account ends today: https://phish.example' }, 'name'],
  ])('answers 400 to %j', async (body, path) => {
    const person = await createPerson(api.db, { [api.organization.id]: 'owner' });
    const headers = await signIn(person.email, firefox);
    const answer = await api.call('PATCH', '/auth/user', body, { headers });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', issues: [{ path }] } });
  });
});
