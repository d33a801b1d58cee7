import { describe, expect, it } from 'vitest';
import { type Answer, createTestApi, useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createSignedIn, openTestSession } from '#test/support/people.ts';

const api = useTestApi();

const link = { destination: { type: 'link', value: 'https://example.com/' } };
const cookieOf = ({ headers }: Answer): string => String(headers['set-cookie']);
const session = (headers: Record<string, string | undefined>): Promise<Answer> =>
  api.call('GET', '/auth/session', undefined, { headers });

describe('a session', () => {
  it('POST /auth/logout ends the session and removes its cookie', async () => {
    const { headers } = await createSignedIn(api.db, api.organization.id, 'member');
    const answer = await api.call('POST', '/auth/logout', undefined, { headers });
    expect(answer).toMatchObject({ status: 200, body: { rowCount: 1 } });
    expect(cookieOf(answer)).toBe('waymark=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
    expect(await session(headers)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    expect((await api.call('POST', '/auth/logout', undefined, { headers })).status).toBe(401);
  });

  it('a session is found among other cookies, and only by its token', async () => {
    const { headers } = await createSignedIn(api.db, api.organization.id, 'member');
    expect((await session({ ...headers, cookie: `a=1; ${headers.cookie}; xwaymark=2` })).status).toBe(200);
    const wrong = ['', 'waymark=', `x${headers.cookie}`, `${headers.cookie}x`, `waymark=${'a'.repeat(43)}`, 'waymark'];
    for (const cookie of wrong) expect((await session({ ...headers, cookie })).status).toBe(401);
  });

  it('a session and its cookie last 30 days after the last use', async () => {
    const { headers, id } = await createSignedIn(api.db, api.organization.id, 'member');
    const endsInDays = async (): Promise<number> => {
      const text = `select round(extract(epoch from expires_at - now()) / 86400)::int as days from sessions where user_id = $1`;
      return (await api.db.query<{ days: number }>(text, [id])).rows[0]!.days;
    };
    const age = (interval: string) =>
      api.db.query(
        'update sessions set last_seen_at = last_seen_at - $2::interval, expires_at = expires_at - $2::interval where user_id = $1',
        [id, interval],
      );
    expect((await session(headers)).headers['set-cookie']).toBeUndefined();
    await age('29 days');
    expect(await endsInDays()).toBe(1);
    expect(cookieOf(await session(headers))).toBe(`${headers.cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000`);
    expect(await endsInDays()).toBe(30);
    await age('30 days');
    expect((await session(headers)).status).toBe(401);
  });

  it('a session ends 90 days after the sign-in, however often it is used, and that of staff after 12 hours', async () => {
    const { headers, id } = await createSignedIn(api.db, api.organization.id, 'member');
    const signedInAgo = (interval: string) =>
      api.db.query(
        `update sessions set created_at = now() - $2::interval, last_seen_at = now() - interval '2 hours' where user_id = $1`,
        [id, interval],
      );
    await signedInAgo('89 days 23 hours');
    expect((await session(headers)).status).toBe(200);
    const { rows } = await api.db.query<{ hours: number }>(
      'select round(extract(epoch from expires_at - now()) / 3600)::int as hours from sessions where user_id = $1',
      [id],
    );
    expect(rows).toEqual([{ hours: 1 }]);
    await api.db.query(`update sessions set expires_at = now() + interval '1 day' where user_id = $1`, [id]);
    await signedInAgo('90 days 1 second');
    expect((await session(headers)).status).toBe(401);
    await signedInAgo('12 hours 1 second');
    expect((await session(headers)).status).toBe(200);
    await api.db.query('update users set is_staff = true where id = $1', [id]);
    expect((await session(headers)).status).toBe(401);
    await signedInAgo('11 hours 59 minutes');
    expect((await session(headers)).status).toBe(200);
  });

  it('a session ends with the membership, the user or the organization', async () => {
    for (const statement of [
      'delete from memberships where user_id = $1 and organization_id = $2',
      'update users set deleted_at = now() where id = $1 and $2::uuid is not null',
      'update organizations set deleted_at = now() where id = $2 and $1::uuid is not null',
    ]) {
      const { id } = await createOrganization(api.db);
      const person = await createSignedIn(api.db, id, 'member');
      expect((await session(person.headers)).status).toBe(200);
      await api.db.query(statement, [person.id, id]);
      expect((await session(person.headers)).status).toBe(401);
    }
  });

  it('a session may change something only for pages of the API itself', async () => {
    const { headers } = await createSignedIn(api.db, api.organization.id, 'member');
    const origins = [
      undefined,
      'null',
      'https://evil.example',
      'http://localhost',
      'http://localhost:3000.evil.example',
    ];
    for (const origin of origins) {
      const sent = { headers: { ...headers, origin } };
      expect(await api.call('POST', '/short-link', link, sent)).toMatchObject({
        status: 403,
        body: { code: 'FORBIDDEN' },
      });
      expect((await api.call('POST', '/auth/logout', undefined, sent)).status).toBe(403);
      expect((await api.call('GET', '/short-link/list', undefined, sent)).status).toBe(200);
    }
    expect((await api.call('POST', '/short-link', link, { headers })).status).toBe(201);
  });

  it('a page from the name by which the API is called counts as its own', async () => {
    const { headers } = await createSignedIn(api.db, api.organization.id, 'member');
    const from = (origin: string, host: string): Promise<Answer> =>
      api.call('POST', '/short-link', link, { headers: { ...headers, origin, host } });
    expect((await from('http://127.0.0.1:3000', '127.0.0.1:3000')).status).toBe(201);
    for (const [origin, host] of [
      ['https://127.0.0.1:3000', '127.0.0.1:3000'],
      ['http://127.0.0.1:3001', '127.0.0.1:3000'],
      ['http://127.0.0.1', '127.0.0.1:3000'],
      ['http://evil.example', '127.0.0.1:3000'],
    ] as const) {
      expect(await from(origin, host)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    }
    const forwarded = { ...headers, origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' };
    expect((await api.call('POST', '/short-link', link, { headers: forwarded })).status).toBe(403);
  });

  it('a link made in a session is attributed to the user', async () => {
    const person = await createSignedIn(api.db, api.organization.id, 'member');
    const { body } = await api.call('POST', '/short-link', link, { headers: person.headers });
    const { rows } = await api.db.query('select created_by from short_links where id = $1', [body.id]);
    expect(rows).toEqual([{ created_by: person.id }]);
  });

  it('a session is ignored where a key is sent too', async () => {
    const other = await createOrganization(api.db);
    const { headers } = await createSignedIn(api.db, other.id, 'owner');
    const made = await api.call('POST', '/short-link', link, {
      headers: { ...headers, origin: undefined, 'x-api-key': api.organization.key },
    });
    expect(made).toMatchObject({ status: 201, body: { organizationId: api.organization.id } });
    const wrong = { ...headers, 'x-api-key': `wm_live_${'x'.repeat(43)}` };
    expect((await api.call('GET', '/short-link/list', undefined, { headers: wrong })).status).toBe(401);
  });

  it(
    'a session may make ten times as many calls as a key, per user, with the same headers',
    { tags: 'slow' },
    async () => {
      await using limited = await createTestApi({ besides: api, limits: { perSecond: 1_000, perMinute: 2 } });
      const { headers, id } = await createSignedIn(api.db, api.organization.id, 'member');
      const again = await openTestSession(api.db, id, api.organization.id);
      const calls = Array.from({ length: 30 }, (_call, index) =>
        limited.call('GET', '/auth/session', undefined, { headers: index % 2 === 0 ? headers : again }),
      );
      const answers = await Promise.all(calls);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
      const refused = answers.find(({ status }) => status === 429)!;
      expect(refused.body.code).toBe('RATE_LIMIT_EXCEEDED');
      expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0' });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30);
    },
  );
});
