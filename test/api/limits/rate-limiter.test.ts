// @module-tag slow

import { describe, expect, it } from 'vitest';
import { createLimiter } from '#api/limits/rate-limiter.ts';
import { createDatabase } from '#db/connection/database.ts';
import { createTestApi, type TestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';

const path = '/short-link/01890000-0000-7000-8000-000000000000';
const limits = { perSecond: 5, perMinute: 100 };
// For calls one after the other: on a slow machine they take longer than a second.
const minuteLimits = { perSecond: 1_000, perMinute: 5 };

const statuses = async (
  api: TestApi,
  count: number,
  headers: Record<string, string | undefined> = {},
): Promise<number[]> => {
  const calls = Array.from({ length: count }, () => api.call('GET', path, undefined, { headers }));
  return (await Promise.all(calls)).map(({ status }) => status);
};
const tally = (codes: number[]): Record<number, number> =>
  Object.fromEntries(Object.entries(Object.groupBy(codes, String)).map(([code, all]) => [code, all!.length]));

/** Opens the windows of everyone anew, as if their time had passed. */
const passTime = (api: TestApi, interval: string): Promise<unknown> =>
  api.db.query('update rate_windows set second_at = second_at - $1::interval, minute_at = minute_at - $1::interval', [
    interval,
  ]);

describe('the rate limit of an API key', () => {
  it('exactly 5 calls of a burst go through, the others get Retry-After', async () => {
    await using api = await createTestApi({ limits });
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.call('GET', path)));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 404: 5, 429: 15 });
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', requestId: refused.headers['x-request-id'] });
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1',
    });
    const remaining = answers
      .filter(({ status }) => status === 404)
      .map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(remaining.toSorted()).toEqual([0, 1, 2, 3, 4]);
  });

  it('exactly 100 calls of a minute go through, whatever their seconds', { tags: 'nightly' }, async () => {
    await using api = await createTestApi({ limits: { perSecond: 1_000, perMinute: 100 } });
    const answers = await Promise.all(Array.from({ length: 130 }, () => api.call('GET', path)));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 404: 100, 429: 30 });
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.headers['x-ratelimit-limit']).toBe('100');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
  });

  it('a key may call again when the window is over', { tags: 'nightly' }, async () => {
    await using api = await createTestApi({ limits });
    expect(tally(await statuses(api, 6))).toEqual({ 404: 5, 429: 1 });
    await passTime(api, '1 second');
    // The process itself remembers until then.
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    expect(tally(await statuses(api, 6))).toEqual({ 404: 5, 429: 1 });
  });

  it('each key has a rate limit of its own', async () => {
    await using api = await createTestApi({ limits: minuteLimits });
    const other = await createOrganization(api.db);
    expect(tally(await statuses(api, 6))).toEqual({ 404: 5, 429: 1 });
    expect(tally(await statuses(api, 6, { 'x-api-key': other.key }))).toEqual({ 404: 5, 429: 1 });
  });

  it('a call over the limit of its key writes nothing', async () => {
    await using api = await createTestApi({ limits });
    const limiter = createLimiter({ sql: api.db, limits: minuteLimits });
    const take = () => limiter.takeKey(api.organization.key, '127.0.0.1');
    const writtenBy = async () => (await api.db.query('select xmin, ctid from rate_windows')).rows;
    for (let call = 0; call < 6; call += 1) await take();
    const before = await writtenBy();
    for (let call = 0; call < 50; call += 1) expect((await take()).rate?.ok).toBe(false);
    expect(await writtenBy()).toEqual(before);
  });

  it('a revoked key that is over its limit is answered 401 with the next call, and one moved away from its addresses 403', async () => {
    await using api = await createTestApi({
      limits: { perSecond: 1_000, perMinute: 3 },
      trustedProxies: ['127.0.0.1'],
    });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    expect(tally(await statuses(api, 4, from('203.0.113.1')))).toEqual({ 404: 3, 429: 1 });
    await api.db.query(`update api_keys set allowed_addresses = '{198.51.100.0/24}'`);
    expect(await statuses(api, 1, from('203.0.113.1'))).toEqual([403]);
    await api.db.query('update api_keys set allowed_addresses = null');
    expect(await statuses(api, 1, from('203.0.113.1'))).toEqual([429]);
    await api.db.query('update api_keys set deleted_at = now()');
    expect(await statuses(api, 1, from('203.0.113.1'))).toEqual([401]);
  });

  it('the rate limit of a key is exact over two processes: 5 in a second, 100 in a minute', async () => {
    await using api = await createTestApi();
    const second = createDatabase({ url: api.databaseUrl });
    const pair = (perSecond: number, perMinute: number) =>
      [api.db, second].map((sql) => createLimiter({ sql, limits: { perSecond, perMinute } }));
    for (const [perSecond, perMinute, expected] of [
      [5, 100, 5],
      [1_000, 100, 100],
    ] as const) {
      const { key } = await createOrganization(api.db);
      const limiters = pair(perSecond, perMinute);
      const calls = Array.from({ length: 300 }, (_call, index) => limiters[index % 2]!.takeKey(key, '127.0.0.1'));
      expect((await Promise.all(calls)).filter(({ rate }) => rate?.ok === true)).toHaveLength(expected);
    }
    await second.close();
  });
});

describe('the rate limit of calls without a valid key', () => {
  it('calls without a valid key count per client address, wrong keys and unknown paths alike, IPv6 by its /64', async () => {
    await using api = await createTestApi({ limits: minuteLimits, trustedProxies: ['127.0.0.1'] });
    const from = (address: string, key?: string) => ({ 'x-api-key': key, 'x-forwarded-for': address });
    expect(tally(await statuses(api, 7, from('203.0.113.7')))).toEqual({ 401: 5, 429: 2 });
    expect(tally(await statuses(api, 1, from('203.0.113.7', `wm_live_${'b'.repeat(43)}`)))).toEqual({ 429: 1 });
    expect(tally(await statuses(api, 5, from('203.0.113.8')))).toEqual({ 401: 5 });
    expect(tally(await statuses(api, 3, from('2001:db8:1:2::1')))).toEqual({ 401: 3 });
    expect(tally(await statuses(api, 3, from('2001:db8:1:2:ffff::2')))).toEqual({ 401: 2, 429: 1 });
    expect(tally(await statuses(api, 1, from('2001:db8:1:3::1')))).toEqual({ 401: 1 });
    const { rows } = await api.db.query<{ subject: string }>('select subject from rate_windows');
    expect(rows.map(({ subject }) => subject).join(' ')).not.toMatch(/203\.0|2001:/);
  });

  it('routes that need no key are not limited as calls without one', async () => {
    await using api = await createTestApi({ limits: { perSecond: 1, perMinute: 1 } });
    const headers = { 'x-api-key': undefined };
    for (const url of ['/healthz', '/readyz', '/doc', '/doc', '/ui', '/ui/scalar.js', '/ui/json']) {
      const { statusCode } = await api.app.inject({ url });
      expect([url, statusCode]).toEqual([url, 200]);
    }
    expect((await api.call('GET', '/doc')).headers).not.toHaveProperty('x-ratelimit-limit');
    expect((await api.call('GET', path, undefined, { headers })).status).toBe(401);
  });
});
