// @module-tag slow

import { describe, expect, it } from 'vitest';
import { createApiKey } from '#core/organizations/api-key.ts';
import { createTestApi, type Answer, useTestApi } from '#test/support/api.ts';
import { createFolder, createOrganization } from '#test/support/factories.ts';
import { type BrowserHeaders, createSignedIn } from '#test/support/people.ts';

const api = useTestApi();

type Headers = Record<string, string | undefined>;
const permissions = { shortLinks: ['read'] };
const draft = { type: 'integration', name: 'CI', permissions };
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

async function createOwner(): Promise<{ organizationId: string; botId: string; owner: BrowserHeaders }> {
  const { id, botId } = await createOrganization(api.db);
  const { headers } = await createSignedIn(api.db, id, 'owner');
  return { organizationId: id, botId, owner: headers };
}

const create = (headers: Headers, body: object): Promise<Answer> => api.call('POST', '/api-key', body, { headers });
const patch = (headers: Headers, id: string, body: object): Promise<Answer> =>
  api.call('PATCH', `/api-key/${id}`, body, { headers });
const use = (key: string, remoteAddress = '127.0.0.1'): Promise<Answer> =>
  api.call('GET', '/short-link/list', undefined, { headers: { 'x-api-key': key }, remoteAddress });

describe('integration keys', () => {
  it("an organization has several integration keys, each by its name, attributed to the organization's Bot", async () => {
    const { owner, botId } = await createOwner();
    const first = await create(owner, draft);
    expect(first).toMatchObject({ status: 201, body: { type: 'integration', name: 'CI', userId: botId } });
    expect((await use(first.body.key)).status).toBe(200);
    const second = await create(owner, { ...draft, name: 'Newsletter' });
    expect(second.status).toBe(201);
    expect(await create(owner, draft)).toMatchObject({ status: 409, body: { code: 'ALREADY_EXIST' } });
    expect(await patch(owner, second.body.id, { name: 'CI' })).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_EXIST' },
    });
    await api.call('DELETE', `/api-key/${first.body.id}`, undefined, { headers: owner });
    expect((await patch(owner, second.body.id, { name: 'CI' })).status).toBe(200);
  });

  it('of concurrent creates of one name one succeeds', async () => {
    const { owner } = await createOwner();
    const answers = await Promise.all(Array.from({ length: 4 }, () => create(owner, draft)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
  });

  it('an organization has at most 100 of them, also when the last ones are made at once', async () => {
    const { organizationId, botId, owner } = await createOwner();
    await api.db.query(
      `insert into api_keys (id, organization_id, user_id, type, name, permissions, key_hash, last4)
       select gen_random_uuid(), $1, $2::uuid, 'integration', 'Key ' || n, '{}', sha256(($2::text || n)::bytea), '0000'
       from generate_series(1, 98) n`,
      [organizationId, botId],
    );
    const answers = await Promise.all([1, 2, 3, 4].map((n) => create(owner, { ...draft, name: `New ${n}` })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 403, 403]);
    expect(answers.find(({ status }) => status === 403)!.body.code).toBe('PLAN_LIMIT_REACHED');
  });
});

describe('expiresAt', () => {
  it('a key works until its end, is refused after it, and again works when it ends later', async () => {
    const now = { ms: Date.now() };
    await using clocked = await createTestApi({ besides: api, clock: () => new Date(now.ms) });
    const { owner } = await createOwner();
    const expiresAt = inDays(1);
    const { body } = await create(owner, { ...draft, expiresAt });
    expect(body.expiresAt).toBe(expiresAt);
    const ask = () => clocked.call('GET', '/short-link/list', undefined, { headers: { 'x-api-key': body.key } });
    now.ms = Date.parse(body.expiresAt) - 1;
    expect((await ask()).status).toBe(200);
    now.ms += 1;
    expect(await ask()).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED', message: 'This API key has expired.' },
    });
    expect((await patch(owner, body.id, { expiresAt: inDays(2) })).status).toBe(200);
    expect((await ask()).status).toBe(200);
    expect((await patch(owner, body.id, { expiresAt: null })).body.expiresAt).toBeNull();
    now.ms += 1e9;
    expect((await ask()).status).toBe(200);
  });

  it('the end of a key holds with the next call on another process', async () => {
    const now = { ms: Date.now() };
    await using remote = await createTestApi({ besides: api, clock: () => new Date(now.ms) });
    const { owner } = await createOwner();
    const { body } = await create(owner, draft);
    const ask = async (): Promise<number> =>
      (await remote.call('GET', '/short-link/list', undefined, { headers: { 'x-api-key': body.key } })).status;
    expect([await ask(), await ask()]).toEqual([200, 200]);
    const { body: ended } = await patch(owner, body.id, { expiresAt: inDays(1) });
    expect(await ask()).toBe(200);
    now.ms = Date.parse(ended.expiresAt);
    expect([await ask(), await ask()]).toEqual([401, 401]);
  });

  it('an expired key sends its record back as it is', async () => {
    const { owner } = await createOwner();
    const { key: _key, ...record } = (await create(owner, { ...draft, expiresAt: inDays(1) })).body;
    await api.db.query(`update api_keys set expires_at = '2020-01-01' where id = $1`, [record.id]);
    const { body } = await api.call('GET', `/api-key/${record.id}`, undefined, { headers: owner });
    expect(await patch(owner, record.id, { ...body, name: 'Old' })).toMatchObject({
      status: 200,
      body: { name: 'Old', expiresAt: '2020-01-01T00:00:00.000Z' },
    });
  });

  it.each(['2020-01-01T00:00:00Z', '2020-01-01', 'soon', 5])('answers 400 to %j', async (expiresAt) => {
    const { owner } = await createOwner();
    const refused = { status: 400, body: { issues: [{ path: 'expiresAt' }] } };
    expect(await create(owner, { ...draft, expiresAt })).toMatchObject(refused);
    const { id } = (await create(owner, draft)).body;
    expect(await patch(owner, id, { expiresAt })).toMatchObject(refused);
  });
});

describe('allowedAddresses', () => {
  it('a key is refused with 403 elsewhere, and the refusal names the address', async () => {
    const { owner } = await createOwner();
    const { body } = await create(owner, {
      ...draft,
      allowedAddresses: ['203.0.113.0/24', '2001:DB8::/32', '203.0.113.0/24'],
    });
    expect(body.allowedAddresses).toEqual(['203.0.113.0/24', '2001:db8::/32']);
    for (const from of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8::5'])
      expect([from, (await use(body.key, from)).status]).toEqual([from, 200]);
    expect(await use(body.key, '198.51.100.1')).toMatchObject({
      status: 403,
      body: {
        code: 'FORBIDDEN',
        message: 'This API key may not be used from 198.51.100.1: see its allowedAddresses.',
      },
    });
    expect((await patch(owner, body.id, { allowedAddresses: ['198.51.100.1'] })).status).toBe(200);
    expect((await use(body.key, '198.51.100.1')).status).toBe(200);
    expect((await use(body.key, '203.0.113.9')).status).toBe(403);
    expect((await patch(owner, body.id, { allowedAddresses: null })).body.allowedAddresses).toBeNull();
    expect((await use(body.key, '203.0.113.9')).status).toBe(200);
  });

  it('the address is the one behind trusted proxies, and a header of anybody else changes nothing', async () => {
    await using proxied = await createTestApi({ besides: api, trustedProxies: ['10.0.0.1'] });
    const { owner } = await createOwner();
    const { body } = await create(owner, { ...draft, allowedAddresses: ['203.0.113.9'] });
    const ask = async (app: typeof api, remoteAddress: string, forwarded: string): Promise<number> => {
      const headers = { 'x-api-key': body.key, 'x-forwarded-for': forwarded };
      return (await app.call('GET', '/short-link/list', undefined, { headers, remoteAddress })).status;
    };
    expect(await ask(proxied, '10.0.0.1', '203.0.113.9')).toBe(200);
    expect(await ask(proxied, '10.0.0.1', '203.0.113.9, 198.51.100.1')).toBe(403);
    expect(await ask(proxied, '10.0.0.2', '203.0.113.9')).toBe(403);
    expect(await ask(api, '10.0.0.1', '203.0.113.9')).toBe(403);
  });

  it('calls from elsewhere count for their client, and do not use up the limit of the key', async () => {
    await using limited = await createTestApi({ besides: api, limits: { perSecond: 1_000, perMinute: 2 } });
    const { owner } = await createOwner();
    const { body } = await create(owner, { ...draft, allowedAddresses: ['203.0.113.9'] });
    const ask = async (remoteAddress: string): Promise<number> => {
      const headers = { 'x-api-key': body.key };
      return (await limited.call('GET', '/short-link/list', undefined, { headers, remoteAddress })).status;
    };
    const elsewhere = '198.51.100.77';
    expect([await ask(elsewhere), await ask(elsewhere), await ask(elsewhere)]).toEqual([403, 403, 429]);
    expect([await ask('203.0.113.9'), await ask('203.0.113.9'), await ask('203.0.113.9')]).toEqual([200, 200, 429]);
  });

  it('the address of the last use is shown, and a refused call is none', async () => {
    const { owner } = await createOwner();
    const { body } = await create(owner, { ...draft, allowedAddresses: ['203.0.113.0/24'] });
    const read = async () =>
      (await api.call('GET', `/api-key/${body.id}`, undefined, { headers: owner })).body as Record<string, unknown>;
    await use(body.key, '198.51.100.1');
    expect(await read()).toMatchObject({ lastUsedAt: null, lastUsedFrom: null });
    await use(body.key, '203.0.113.9');
    await use(body.key, '::ffff:203.0.113.10');
    await use(body.key, '198.51.100.1');
    expect(await read()).toMatchObject({ lastUsedAt: expect.any(String), lastUsedFrom: '203.0.113.10' });
  });

  it.each([
    [['203.0.113.7/24'], 'allowedAddresses.0'],
    [['203.0.113.0/24', 'example.com'], 'allowedAddresses.1'],
    [Array.from({ length: 51 }, (_, index) => `10.0.0.${index}`), 'allowedAddresses'],
  ])('answers 400 to %j', async (allowedAddresses, path) => {
    const { owner } = await createOwner();
    expect(await create(owner, { ...draft, allowedAddresses })).toMatchObject({
      status: 400,
      body: { issues: [{ path }] },
    });
  });
});

describe('a key that manages keys', () => {
  const all = { apiKeys: ['create', 'read', 'update'], shortLinks: ['read'] };
  const limits = { expiresAt: inDays(10), allowedAddresses: ['127.0.0.0/8', '203.0.113.0/24'] };
  const refused = (limit: string) => ({
    status: 403,
    body: { code: 'ACTION_NOT_ALLOWED', message: `This key may not grant ${limit} beyond its own.` },
  });

  async function createLimited() {
    const { owner } = await createOwner();
    const { key, id } = (await create(owner, { type: 'user', name: 'Mine', permissions: all, ...limits })).body;
    return { owner, id, headers: { 'x-api-key': key } };
  }

  it('makes no key that outlives it, or that may be used from more places', async () => {
    const { headers } = await createLimited();
    expect(await create(headers, draft)).toMatchObject(refused('expiresAt'));
    expect(await create(headers, { ...draft, ...limits, expiresAt: inDays(11) })).toMatchObject(refused('expiresAt'));
    expect(await create(headers, { ...draft, ...limits, allowedAddresses: null })).toMatchObject(
      refused('allowedAddresses'),
    );
    expect(await create(headers, { ...draft, ...limits, allowedAddresses: ['203.0.0.0/16'] })).toMatchObject(
      refused('allowedAddresses'),
    );
    const narrower = { expiresAt: inDays(9), allowedAddresses: ['203.0.113.128/25', '127.0.0.1'] };
    expect(await create(headers, { ...draft, ...narrower })).toMatchObject({ status: 201 });
  });

  it('gives neither itself nor another key more time or more places, and may take some away', async () => {
    const { owner, id, headers } = await createLimited();
    for (const expiresAt of [inDays(11), null])
      expect(await patch(headers, id, { expiresAt })).toMatchObject(refused('expiresAt'));
    for (const allowedAddresses of [null, ['0.0.0.0/0'], ['127.0.0.0/8', '198.51.100.1']])
      expect(await patch(headers, id, { allowedAddresses })).toMatchObject(refused('allowedAddresses'));
    const other = (await create(owner, draft)).body;
    // It has no limits: nothing that it has needs a grant.
    expect((await patch(headers, other.id, { expiresAt: inDays(100) })).status).toBe(200);
    expect(await patch(headers, other.id, { expiresAt: inDays(101) })).toMatchObject(refused('expiresAt'));
    expect((await patch(headers, other.id, { allowedAddresses: ['198.51.100.0/24'] })).status).toBe(200);
    expect((await patch(headers, other.id, { allowedAddresses: ['198.51.100.0/25', '203.0.113.1'] })).status).toBe(200);
    expect(await patch(headers, other.id, { allowedAddresses: ['198.51.100.0/24'] })).toMatchObject(
      refused('allowedAddresses'),
    );
    expect((await patch(headers, id, { expiresAt: inDays(5), allowedAddresses: ['127.0.0.1'] })).status).toBe(200);
    expect(await patch(headers, id, { expiresAt: inDays(6) })).toMatchObject(refused('expiresAt'));
  });
});

describe('a wider limit of a key that holds more', () => {
  const stronger = { name: 'Stronger', permissions: { shortLinks: ['read', 'create'] } };

  async function createPair(limits: object) {
    const { organizationId, owner } = await createOwner();
    const made = await create(owner, { type: 'user', name: 'Mine', permissions: { apiKeys: ['read', 'update'] } });
    const folderIds = [await createFolder(api.db, organizationId)];
    const other = await create(owner, { ...draft, ...stronger, folderIds, ...limits });
    return { owner, id: other.body.id as string, weak: { 'x-api-key': made.body.key as string } };
  }

  it.each([
    ['folders', {}, { folderIds: null }],
    ['time', { expiresAt: inDays(1) }, { expiresAt: inDays(2) }],
    ['places', { allowedAddresses: ['127.0.0.1'] }, { allowedAddresses: ['127.0.0.0/8'] }],
  ])('a key gives no more %s to a key that holds what it lacks', async (_what, limits, wider) => {
    const { owner, id, weak } = await createPair(limits);
    expect(await patch(weak, id, wider)).toMatchObject({
      status: 403,
      body: { code: 'ACTION_NOT_ALLOWED', message: 'This key may not grant create shortLinks.' },
    });
    expect((await patch(owner, id, wider)).status).toBe(200);
  });

  it('a key narrows a key that holds what it lacks, and sends its record back', async () => {
    const { id, weak } = await createPair({});
    const { body } = await patch(weak, id, { expiresAt: inDays(1), allowedAddresses: ['127.0.0.1'] });
    expect((await patch(weak, id, { ...body, name: 'Renamed' })).status).toBe(200);
  });

  it('a key that takes away what it lacks in the same call gives more folders', async () => {
    const { id, weak } = await createPair({});
    expect((await patch(weak, id, { folderIds: null, permissions: {} })).status).toBe(200);
  });
});

describe('what is no key', () => {
  it('a mistyped key is told so, an unknown one with a right checksum is not', async () => {
    const key = createApiKey();
    const mistyped = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
    expect((await use(key)).body).toMatchObject({
      code: 'UNAUTHORIZED',
      message: 'The API key is missing, wrong or revoked.',
    });
    expect((await use(mistyped)).body).toMatchObject({
      code: 'UNAUTHORIZED',
      message: expect.stringContaining('may be mistyped'),
    });
  });

  it('a key of an earlier version, without checksum, works', async () => {
    const { owner } = await createOwner();
    const { body } = await create(owner, draft);
    const old = `wm_live_${'A'.repeat(43)}`;
    await api.db.query('update api_keys set key_hash = sha256($2::bytea), updated_at = now() where id = $1', [
      body.id,
      old,
    ]);
    expect((await use(old)).status).toBe(200);
  });
});

describe('GET /process/list', () => {
  it('has keys and earlier values that end, for callers that may read keys', async () => {
    const { organizationId, owner } = await createOwner();
    const { body } = await create(owner, { ...draft, expiresAt: inDays(20) });
    await create(owner, { ...draft, name: 'Later', expiresAt: inDays(40) });
    await api.call('POST', `/api-key/${body.id}/rotate`, {}, { headers: owner });
    const list = async (headers: Headers) =>
      (await api.call('GET', '/process/list', undefined, { headers })).body.upcoming as { kind: string }[];
    expect(await list(owner)).toMatchObject([
      { kind: 'secretEnds', subject: { type: 'apiKey', id: body.id, name: 'CI' } },
      { kind: 'keyEnds', subject: { type: 'apiKey', id: body.id, name: 'CI' }, at: body.expiresAt },
    ]);
    const member = await createSignedIn(api.db, organizationId, 'member');
    expect(await list(member.headers)).toEqual([]);
  });
});
