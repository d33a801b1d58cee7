import { describe, expect, it } from 'vitest';
import { hashToken } from '#core/organizations/api-key.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { readDocument } from '#test/support/openapi.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { type BrowserHeaders, createSignedIn, createUserKey } from '#test/support/people.ts';

const api = useTestApi();

type Headers = Record<string, string | undefined>;
const draft = { type: 'bot', name: 'CI', permissions: { shortLinks: ['read'] } };

/** An organization without a bot key, and its owner, signed in. */
async function createOwned(): Promise<{ organization: TestOrganization; ownerId: string; owner: BrowserHeaders }> {
  const organization = await createOrganization(api.db);
  await api.db.query('delete from api_keys where organization_id = $1', [organization.id]);
  const { id, headers } = await createSignedIn(api.db, organization.id, 'owner');
  return { organization, ownerId: id, owner: headers };
}

const create = (headers: Headers, body: object = draft): Promise<Answer> =>
  api.call('POST', '/api-key', body, { headers });

describe('POST /api-key', () => {
  it("makes a bot key whose value is in the answer, attributed to the organization's Bot", async () => {
    const { organization, owner } = await createOwned();
    const { status, body, headers } = await create(owner, { ...draft, name: '  CI ' });
    expect(status).toBe(201);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      organizationId: organization.id,
      type: 'bot',
      name: 'CI',
      permissions: { shortLinks: ['read'] },
      last4: body.key.slice(-4),
      userId: organization.botId,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      lastUsedAt: null,
      lastUsedFrom: null,
      expiresAt: null,
      allowedAddresses: null,
      folderIds: null,
      domainIds: null,
      previousKeyUntil: null,
      key: expect.stringMatching(/^wm_live_[0-9A-Za-z]{43}$/),
    });
    const use = (path: string) => api.call('GET', path, undefined, { headers: { 'x-api-key': body.key } });
    expect((await use('/short-link/list')).status).toBe(200);
    expect(await use('/domain/list')).toMatchObject({ status: 403, body: { resource: 'domains', action: 'read' } });
  });

  it('takes the example of its description', async () => {
    const { owner } = await createOwned();
    const body = await readDocument(api);
    const { example } = body.components.schemas.CreateApiKey;
    expect(await create(owner, example)).toMatchObject({ status: 201, body: example });
  });

  it('makes a user key of the one who asks', async () => {
    const { owner, ownerId } = await createOwned();
    const permissions = { apiKeys: ['read', 'create'], shortLinks: ['read'] };
    const { body } = await create(owner, { ...draft, type: 'user', permissions });
    const held = { apiKeys: ['create', 'read'], shortLinks: ['read'] };
    expect(body).toMatchObject({ type: 'user', userId: ownerId, permissions: held });
    const made = await create({ 'x-api-key': body.key });
    expect(made).toMatchObject({ status: 201, body: { type: 'bot' } });
  });

  it('keeps the hash of the key and nothing more', async () => {
    const { owner } = await createOwned();
    const { body } = await create(owner);
    const { rows } = await api.db.query<{ hash: Buffer; text: string }>(
      'select key_hash as hash, to_jsonb(k)::text as text from api_keys k where id = $1',
      [body.id],
    );
    expect(rows[0]!.hash).toEqual(hashToken(body.key));
    expect(rows[0]!.text).not.toContain(body.key);
  });

  it.each(['bot', 'user'])(
    'answers 409 to a second %s key, also of two at once, until the first is revoked',
    async (type) => {
      const { owner } = await createOwned();
      const answers = await Promise.all(Array.from({ length: 5 }, () => create(owner, { ...draft, type })));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
      expect(answers.find(({ status }) => status === 409)!.body.code).toBe('ALREADY_EXIST');
      const { id } = answers.find(({ status }) => status === 201)!.body;
      expect((await api.call('DELETE', `/api-key/${id}`, undefined, { headers: owner })).status).toBe(200);
      expect((await create(owner, { ...draft, type })).status).toBe(201);
    },
  );

  it('allows one user key per member', async () => {
    const { organization, owner } = await createOwned();
    const admin = await createSignedIn(api.db, organization.id, 'admin');
    for (const headers of [owner, admin.headers]) {
      expect((await create(headers, { ...draft, type: 'user' })).status).toBe(201);
    }
  });

  it('replays the key whole to the same Idempotency-Key, sealed at rest', async () => {
    const { owner } = await createOwned();
    const headers = { ...owner, 'idempotency-key': 'one' };
    const first = await create(headers);
    const again = await create(headers);
    expect(again).toMatchObject({ status: 201, body: first.body, headers: { 'idempotency-replayed': 'true' } });
    const { rows } = await api.db.query<{ text: string }>(
      `select to_jsonb(i)::text || encode(answer, 'escape') as text from idempotency_keys i where organization_id = $1`,
      [first.body.organizationId],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.text).not.toContain(first.body.key);
  });

  it.each([
    [{ ...draft, name: '   ' }, 'name'],
    [{ ...draft, name: '\u200b\u2060' }, 'name'],
    [{ ...draft, name: 'CI\nand more' }, 'name'],
    [{ ...draft, name: 'x'.repeat(256) }, 'name'],
    [{ ...draft, permissions: { apiKeys: ['read'] } }, 'permissions.apiKeys'],
  ])('answers 400 to %j', async (body, path) => {
    const { owner } = await createOwned();
    expect(await create(owner, body)).toMatchObject({ status: 400, body: { issues: [{ path }] } });
  });
});

describe('GET /api-key/list', () => {
  it("pages the organization's keys, most recent first, and finds them by name", async () => {
    const { organization, owner, ownerId } = await createOwned();
    const bot = await create(owner, { ...draft, name: 'Straße 1' });
    const own = await create(owner, { ...draft, type: 'user', name: 'Laptop' });
    await createOwned();
    const list = (query = '') => api.call('GET', `/api-key/list${query}`, undefined, { headers: owner });
    const { key: _bot, ...botRecord } = bot.body;
    const { key: _own, ...ownRecord } = own.body;
    expect((await list()).body).toEqual({ count: 2, data: [ownRecord, botRecord] });
    expect((await list('?limit=1&page=1')).body).toEqual({ count: 2, data: [botRecord] });
    expect((await list('?limit=0')).body).toEqual({ count: 2, data: [] });
    expect((await list('?search=STRASSE')).body).toEqual({ count: 1, data: [botRecord] });
    expect((await list('?search=nothing')).body).toEqual({ count: 0, data: [] });
    expect((await list('?limit=51')).status).toBe(400);
    expect(ownRecord.userId).toBe(ownerId);
    expect(JSON.stringify((await list()).body)).not.toContain(bot.body.key);
    expect(botRecord.organizationId).toBe(organization.id);
  });

  it('tells when a key was last used', async () => {
    const { owner } = await createOwned();
    const { body } = await create(owner, { ...draft, type: 'user', permissions: { apiKeys: ['read'] } });
    expect(body.lastUsedAt).toBeNull();
    await api.call('GET', '/api-key/list', undefined, { headers: { 'x-api-key': body.key } });
    const read = await api.call('GET', `/api-key/${body.id}`, undefined, { headers: owner });
    expect(Date.parse(read.body.lastUsedAt)).toBeGreaterThanOrEqual(Date.parse(body.createdAt));
  });
});

describe('PATCH /api-key/{id}', () => {
  const patch = (headers: Headers, id: string, body: object): Promise<Answer> =>
    api.call('PATCH', `/api-key/${id}`, body, { headers });

  it('changes what is sent, and takes back what GET returns', async () => {
    const { owner } = await createOwned();
    const { key: _key, ...record } = (await create(owner)).body;
    const renamed = await patch(owner, record.id, { ...record, name: 'New' });
    expect(renamed).toMatchObject({ status: 200, body: { ...record, name: 'New' } });
    const permissions = { stats: ['read'] };
    expect((await patch(owner, record.id, { permissions })).body).toEqual({ ...record, name: 'New', permissions });
    expect((await patch(owner, record.id, {})).body).toEqual({ ...record, name: 'New', permissions });
  });

  it('grants apiKeys to the user keys of owners and admins alone', async () => {
    const { organization, owner } = await createOwned();
    const permissions = { apiKeys: ['read'] };
    const refused = { status: 400, body: { issues: [{ path: 'permissions.apiKeys' }] } };
    const bot = (await create(owner)).body;
    expect(await patch(owner, bot.id, { permissions })).toMatchObject(refused);
    const member = await createSignedIn(api.db, organization.id, 'member');
    await createUserKey(api.db, organization.id, member.id, { stats: ['read'] });
    const { rows } = await api.db.query<{ id: string }>('select id from api_keys where user_id = $1', [member.id]);
    const { id } = rows[0]!;
    expect(await patch(owner, id, { permissions })).toMatchObject(refused);
    await api.db.query(`update memberships set role = 'admin' where user_id = $1`, [member.id]);
    expect(await patch(owner, id, { permissions })).toMatchObject({ status: 200, body: { permissions } });
  });
});

describe('a key grants no more than it holds itself', () => {
  const refusedFor = (resource: string, action: string) => ({
    status: 403,
    body: { code: 'ACTION_NOT_ALLOWED', resource, action },
  });
  const patch = (headers: Headers, id: string, permissions: object): Promise<Answer> =>
    api.call('PATCH', `/api-key/${id}`, { permissions }, { headers });

  /** An owner's user key of these permissions. */
  async function createOwnKey(permissions: object): Promise<{ owner: BrowserHeaders; id: string; headers: Headers }> {
    const { owner } = await createOwned();
    const { body } = await create(owner, { type: 'user', name: 'Narrow', permissions });
    return { owner, id: body.id, headers: { 'x-api-key': body.key } };
  }
  const readPermissions = async (owner: Headers, id: string) =>
    (await api.call('GET', `/api-key/${id}`, undefined, { headers: owner })).body.permissions;

  it('a key grants itself no permission that it lacks', async () => {
    const { owner, id, headers } = await createOwnKey({ apiKeys: ['update'] });
    expect(await patch(headers, id, { apiKeys: ['create', 'update'] })).toMatchObject(refusedFor('apiKeys', 'create'));
    expect(await patch(headers, id, { apiKeys: ['update'], stats: ['read'] })).toMatchObject(
      refusedFor('stats', 'read'),
    );
    expect(await readPermissions(owner, id)).toEqual({ apiKeys: ['update'] });
  });

  it('a key grants another key no permission that it lacks, and the other keeps its own', async () => {
    const { owner, headers } = await createOwnKey({ apiKeys: ['update'], stats: ['read'] });
    const bot = (await create(owner)).body;
    expect(await patch(headers, bot.id, { shortLinks: ['read', 'create'] })).toMatchObject(
      refusedFor('shortLinks', 'create'),
    );
    const permissions = { shortLinks: ['read'], stats: ['read'] };
    expect(await patch(headers, bot.id, permissions)).toMatchObject({ status: 200 });
    expect(await readPermissions(owner, bot.id)).toEqual(permissions);
    expect(await patch(headers, bot.id, {})).toMatchObject({ status: 200 });
    expect(await patch(headers, bot.id, { stats: ['read'] })).toMatchObject({ status: 200 });
    expect(await patch(headers, bot.id, { shortLinks: ['read'] })).toMatchObject(refusedFor('shortLinks', 'read'));
  });

  it('a key grants a new key no permission that it lacks', async () => {
    const { headers } = await createOwnKey({ apiKeys: ['create', 'read'], stats: ['read'] });
    expect(await create(headers)).toMatchObject(refusedFor('shortLinks', 'read'));
    expect(await create(headers, { ...draft, permissions: { stats: ['read'] } })).toMatchObject({ status: 201 });
  });

  it('a key of an admin grants nothing once the admin has lost the role', async () => {
    const { organization } = await createOwned();
    const admin = await createSignedIn(api.db, organization.id, 'admin');
    const permissions = { apiKeys: ['create', 'read', 'update'], stats: ['read'] };
    const { id, key } = (await create(admin.headers, { type: 'user', name: 'Was', permissions })).body;
    await api.db.query(`update memberships set role = 'member' where user_id = $1`, [admin.id]);
    const headers = { 'x-api-key': key };
    expect(await create(headers, { ...draft, permissions: { stats: ['read'] } })).toMatchObject(
      refusedFor('apiKeys', 'create'),
    );
    expect(await patch(headers, id, { stats: ['read'] })).toMatchObject(refusedFor('apiKeys', 'update'));
    expect(await create(admin.headers)).toMatchObject(refusedFor('apiKeys', 'create'));
  });

  it('a key grants no more than it holds even while its own permissions are taken', async () => {
    const { owner, id, headers } = await createOwnKey({ apiKeys: ['update'], stats: ['read'] });
    const bot = (await create(owner)).body;
    const client = await api.db.pool.connect();
    await client.query('begin');
    await client.query(`update api_keys set permissions = '{"apiKeys": ["update"]}' where id = $1`, [id]);
    const granted = patch(headers, bot.id, { stats: ['read'] });
    await eventually(
      () =>
        api.db.query(`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`),
      ({ rowCount }) => rowCount === 1,
    );
    await client.query('commit');
    client.release();
    expect(await granted).toMatchObject(refusedFor('stats', 'read'));
  });
});

describe('/api-key/{id}', () => {
  it('answers 404 to a revoked one', async () => {
    const { owner } = await createOwned();
    const revoked = (await create(owner)).body.id;
    expect((await api.call('DELETE', `/api-key/${revoked}`, undefined, { headers: owner })).body).toEqual({
      rowCount: 1,
    });
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const sent = method === 'PATCH' ? { name: 'New' } : undefined;
      expect(await api.call(method, `/api-key/${revoked}`, sent, { headers: owner })).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
    }
  });
});
