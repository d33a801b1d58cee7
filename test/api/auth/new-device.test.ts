import { expect, it } from 'vitest';
import { createHousekeepingActivities } from '#activities/housekeeping/housekeeping.ts';
import { asActivity } from '#test/support/activities.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createPerson, testOrigin, testPassword } from '#test/support/people.ts';

const api = useTestApi();
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** A browser with its cookies; other programs send no fetch metadata. */
function openBrowser(fetchMetadata: Record<string, string> = { 'sec-fetch-site': 'same-origin' }) {
  const cookies = new Map<string, string>();
  const call = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'x-api-key': undefined, cookie, origin: testOrigin, 'user-agent': firefox, ...fetchMetadata };
    const answer = await api.call(method, path, body, { headers });
    for (const set of [answer.headers['set-cookie'] ?? []].flat().map(String)) {
      const [name, value] = set.split(';')[0]!.split('=') as [string, string];
      if (set.includes('Max-Age=0')) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return {
    cookies,
    call,
    async signIn(email: string, password = testPassword): Promise<void> {
      expect((await call('POST', '/auth/login', { email, password })).status).toBe(200);
    },
    /** What the console does after a sign-in. */
    async readSession(): Promise<void> {
      expect((await call('GET', '/auth/session')).status).toBe(200);
    },
  };
}

const person = () => createPerson(api.db, { [api.organization.id]: 'member' });
async function noticesOf(userId: string) {
  const { rows } = await api.db.query<{ kind: string; details: object; queued: boolean }>(
    `select kind, details, exists (select from outbox where kind = 'account-notice' and subject_id = n.id) as queued
     from account_notices n where user_id = $1 order by created_at, id`,
    [userId],
  );
  return rows;
}

it(
  'a sign-in by a second browser is told by mail, the first one and known ones are not',
  { tags: 'slow' },
  async () => {
    const { id, email } = await person();
    const [desk, phone] = [openBrowser(), openBrowser()];
    await desk.signIn(email);
    await desk.readSession();
    expect(await noticesOf(id)).toEqual([]);
    await phone.signIn(email);
    const notice = { kind: 'newDevice', details: { browser: 'Firefox', os: 'Linux' }, queued: true };
    expect(await noticesOf(id)).toEqual([notice]);
    await phone.readSession();
    for (const browser of [desk, phone, desk]) {
      await browser.call('POST', '/auth/logout');
      await browser.signIn(email);
      await browser.readSession();
    }
    expect(await noticesOf(id)).toEqual([notice]);
  },
);

it('the cookie of a browser opens nothing, is set by reading the session, and is not that of the session', async () => {
  const { email } = await person();
  const browser = openBrowser();
  await browser.signIn(email);
  expect([...browser.cookies.keys()]).toEqual(['waymark']);
  const answer = await browser.call('GET', '/auth/session');
  expect([answer.headers['set-cookie']].flat()).toEqual([
    expect.stringMatching(/^waymark-device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000$/),
  ]);
  expect((await browser.call('GET', '/auth/session')).headers['set-cookie']).toBeUndefined();
  await browser.call('POST', '/auth/logout');
  expect([...browser.cookies.keys()]).toEqual(['waymark-device']);
  expect((await browser.call('GET', '/auth/session')).status).toBe(401);
  const { rows } = await api.db.query('select token_hash from known_devices');
  expect(JSON.stringify(rows)).not.toContain(browser.cookies.get('waymark-device'));
});

it('a program that signs in is not remembered, and gets the cookie of the session alone', async () => {
  const { id, email } = await person();
  const program = openBrowser({});
  await program.signIn(email);
  await program.readSession();
  expect([...program.cookies.keys()]).toEqual(['waymark']);
  await openBrowser({}).signIn(email);
  expect(await noticesOf(id)).toEqual([]);
});

it('a browser that one person has used is new to another person', async () => {
  const [ada, grace] = [await person(), await person()];
  const [shared, own] = [openBrowser(), openBrowser()];
  await own.signIn(grace.email);
  await own.readSession();
  await shared.signIn(ada.email);
  await shared.readSession();
  await shared.signIn(grace.email);
  expect(await noticesOf(grace.id)).toMatchObject([{ kind: 'newDevice' }]);
  expect(await noticesOf(ada.id)).toEqual([]);
});

it('an account knows 50 browsers, and forgets one that was not used for 400 days', async () => {
  const { id, email } = await person();
  const browser = openBrowser();
  await browser.signIn(email);
  await browser.readSession();
  await api.db.query(
    `insert into known_devices (user_id, token_hash, created_at, last_seen_at)
     select $1, sha256(convert_to(i::text, 'UTF8')), now(), now() - i * interval '1 hour' from generate_series(1, 60) i`,
    [id],
  );
  const count = async () => (await api.db.query('select 1 from known_devices where user_id = $1', [id])).rowCount;
  const second = openBrowser();
  await second.signIn(email);
  await second.readSession();
  expect(await count()).toBe(50);
  await api.db.query(`update known_devices set last_seen_at = now() - interval '401 days' where user_id = $1`, [id]);
  await asActivity(() =>
    createHousekeepingActivities({ em: emOf(api.db), callsKeptDays: 7 }).forgetRows({ rows: 'sessions' }),
  );
  expect(await count()).toBe(0);
});

it('a changed password is told by mail', async () => {
  const { id, email } = await person();
  const browser = openBrowser();
  await browser.signIn(email);
  const change = { current: testPassword, next: 'another long password' };
  expect((await browser.call('POST', '/auth/password', change)).status).toBe(200);
  expect(await noticesOf(id)).toEqual([{ kind: 'passwordChanged', details: {}, queued: true }]);
});
