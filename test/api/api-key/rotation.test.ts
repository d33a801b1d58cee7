// @module-tag slow

import { describe, expect, it } from 'vitest';
import { type Answer, createTestApi, useOwnTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createSignedIn } from '#test/support/people.ts';

const now = { ms: Date.now() };
const api = useOwnTestApi({ clock: () => new Date(now.ms) });

type Headers = Record<string, string | undefined>;
const hourMs = 3_600_000;
const draft = { type: 'integration', name: 'CI', permissions: { shortLinks: ['read'] } };

async function createHeld(body: object = draft) {
  const { id: organizationId } = await createOrganization(api.db);
  const { headers: owner } = await createSignedIn(api.db, organizationId, 'owner');
  const made = await api.call('POST', '/api-key', body, { headers: owner });
  return { organizationId, owner, id: made.body.id as string, key: made.body.key as string };
}

const rotate = (headers: Headers, id: string, body?: object): Promise<Answer> =>
  api.call('POST', `/api-key/${id}/rotate`, body, { headers });
const use = async (key: string, by = api): Promise<number> =>
  (await by.call('GET', '/short-link/list', undefined, { headers: { 'x-api-key': key } })).status;

describe('POST /api-key/{id}/rotate', () => {
  it('gives the key another value, and the one before works for a day', async () => {
    const { owner, id, key } = await createHeld();
    const answer = await rotate(owner, id);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).toMatchObject({
      id,
      last4: answer.body.key.slice(-4),
      previousKeyUntil: new Date(now.ms + 24 * hourMs).toISOString(),
      key: expect.stringMatching(/^wm_live_[0-9A-Za-z]{43}$/),
    });
    expect(answer.body.key).not.toBe(key);
    expect([await use(key), await use(answer.body.key)]).toEqual([200, 200]);
    now.ms += 24 * hourMs - 1;
    expect([await use(key), await use(answer.body.key)]).toEqual([200, 200]);
    now.ms += 1;
    expect([await use(key), await use(answer.body.key)]).toEqual([401, 200]);
  });

  it('ends the present value at once with an overlap of 0, and takes a week at most', async () => {
    const { owner, id, key } = await createHeld();
    const { body } = await rotate(owner, id, { overlapHours: 0 });
    expect(body.previousKeyUntil).toBeNull();
    expect([await use(key), await use(body.key)]).toEqual([401, 200]);
    const week = await rotate(owner, id, { overlapHours: 168 });
    expect(week.body.previousKeyUntil).toBe(new Date(now.ms + 168 * hourMs).toISOString());
    for (const overlapHours of [-1, 169, 0.5, '1'])
      expect(await rotate(owner, id, { overlapHours })).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'overlapHours' }] },
      });
  });

  it('a second rotation ends the value before the first', async () => {
    const { owner, id, key } = await createHeld();
    const second = (await rotate(owner, id)).body.key;
    const third = (await rotate(owner, id)).body.key;
    expect([await use(key), await use(second), await use(third)]).toEqual([401, 200, 200]);
  });

  it('of two rotations at once both succeed, and exactly the last two values work', async () => {
    const { owner, id, key } = await createHeld();
    const answers = await Promise.all([rotate(owner, id), rotate(owner, id)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const values = answers.map(({ body }) => body.key as string);
    expect(await use(key)).toBe(401);
    expect([await use(values[0]!), await use(values[1]!)]).toEqual([200, 200]);
  });

  it('a rotation holds with the next call on another process', async () => {
    await using remote = await createTestApi({ besides: api, clock: () => new Date(now.ms) });
    const { owner, id, key } = await createHeld();
    expect([await use(key, remote), await use(key, remote)]).toEqual([200, 200]);
    const second = (await rotate(owner, id, { overlapHours: 1 })).body.key;
    expect([await use(key, remote), await use(second, remote)]).toEqual([200, 200]);
    now.ms += hourMs;
    expect([await use(key, remote), await use(second, remote)]).toEqual([401, 200]);
    await rotate(owner, id, { overlapHours: 0 });
    expect(await use(second, remote)).toBe(401);
  });

  it('ends the value before with the key, and refuses a key that has ended', async () => {
    const expiresAt = new Date(now.ms + hourMs).toISOString();
    const { owner, id } = await createHeld({ ...draft, expiresAt });
    expect((await rotate(owner, id)).body.previousKeyUntil).toBe(expiresAt);
    now.ms += hourMs;
    expect(await rotate(owner, id)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('has ended') },
    });
  });

  it('a value before ends with an end of the key that is set later', async () => {
    const { owner, id } = await createHeld();
    await rotate(owner, id);
    const expiresAt = new Date(now.ms + hourMs).toISOString();
    const patch = (body: object) => api.call('PATCH', `/api-key/${id}`, body, { headers: owner });
    expect((await patch({ expiresAt })).body).toMatchObject({ expiresAt, previousKeyUntil: expiresAt });
    expect((await patch({ expiresAt: null })).body).toMatchObject({ expiresAt: null, previousKeyUntil: expiresAt });
  });

  it('revoking and the end of a key end both values', async () => {
    const { owner, id, key } = await createHeld();
    const second = (await rotate(owner, id)).body.key;
    const expiresAt = new Date(now.ms + hourMs).toISOString();
    await api.call('PATCH', `/api-key/${id}`, { expiresAt }, { headers: owner });
    now.ms += hourMs;
    expect([await use(key), await use(second)]).toEqual([401, 401]);
    await api.call('PATCH', `/api-key/${id}`, { expiresAt: null }, { headers: owner });
    expect([await use(key), await use(second)]).toEqual([401, 200]);
    await api.call('DELETE', `/api-key/${id}`, undefined, { headers: owner });
    expect([await use(key), await use(second)]).toEqual([401, 401]);
  });

  it('both values count against one rate limit', async () => {
    await using limited = await createTestApi({ besides: api, limits: { perSecond: 1_000, perMinute: 3 } });
    const { owner, id, key } = await createHeld();
    const second = (await rotate(owner, id)).body.key;
    const statuses = [];
    for (const value of [key, second, key, second]) statuses.push(await use(value, limited));
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('a value that is kept for an Idempotency-Key is sealed', async () => {
    const { organizationId, owner, id } = await createHeld();
    const headers = { ...owner, 'idempotency-key': 'rotate' };
    const first = await rotate(headers, id, {});
    const { rows } = await api.db.query<{ text: string }>(
      'select to_jsonb(i)::text as text from idempotency_keys i where organization_id = $1',
      [organizationId],
    );
    expect(rows[0]!.text).not.toContain(first.body.key);
  });

  it('the key of a member is rotated by that member alone', async () => {
    const { organizationId, owner, id } = await createHeld({ ...draft, type: 'user' });
    const admin = await createSignedIn(api.db, organizationId, 'admin');
    expect(await rotate(admin.headers, id)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await rotate(owner, id)).status).toBe(200);
  });

  it('a key rotates itself, and no key that holds more, lasts longer or is used from more places', async () => {
    const { owner, id, key } = await createHeld({
      type: 'user',
      name: 'Mine',
      permissions: { apiKeys: ['update'], stats: ['read'] },
      expiresAt: new Date(now.ms + 10 * hourMs).toISOString(),
      allowedAddresses: ['127.0.0.1'],
    });
    const headers = { 'x-api-key': key };
    const make = async (body: object): Promise<string> =>
      (await api.call('POST', '/api-key', { ...draft, name: JSON.stringify(body), ...body }, { headers: owner })).body
        .id;
    const within = {
      permissions: { stats: ['read'] },
      expiresAt: new Date(now.ms + 9 * hourMs).toISOString(),
      allowedAddresses: ['127.0.0.1'],
    };
    const refusal = async (body: object): Promise<unknown> => {
      const answer = await rotate(headers, await make(body));
      expect([answer.status, answer.body.code]).toEqual([403, 'ACTION_NOT_ALLOWED']);
      return answer.body.message;
    };
    expect(await refusal({ ...within, permissions: { shortLinks: ['read'] } })).toBe(
      'This key may not grant read shortLinks.',
    );
    expect(await refusal({ ...within, expiresAt: null })).toBe('This key may not grant expiresAt beyond its own.');
    expect(await refusal({ ...within, allowedAddresses: null })).toBe(
      'This key may not grant allowedAddresses beyond its own.',
    );
    expect((await rotate(headers, await make(within))).status).toBe(200);
    const own = await rotate(headers, id);
    expect(own.status).toBe(200);
    expect((await rotate({ 'x-api-key': own.body.key }, id)).status).toBe(200);
  });

  it('answers 404 to a revoked key', async () => {
    const { owner, id } = await createHeld();
    await api.call('DELETE', `/api-key/${id}`, undefined, { headers: owner });
    expect((await rotate(owner, id)).body.code).toBe('NOT_FOUND');
  });

  it('is in the audit log without the value', async () => {
    const { owner, id } = await createHeld();
    const { body } = await rotate(owner, id);
    const audit = await api.call('GET', '/organization/audit', undefined, { headers: owner });
    expect(audit.body.data[0]).toMatchObject({
      action: 'apiKey.rotated',
      subjectId: id,
      details: { name: 'CI', previousUntil: body.previousKeyUntil },
    });
    expect(JSON.stringify(audit.body)).not.toContain(body.key);
  });
});
