// @module-tag slow
import { describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPictures } from '#test/support/pictures.ts';
import { createSignedIn, createUserKey, testPassword } from '#test/support/people.ts';
import { upload } from '#test/support/upload.ts';

const body = (path = 'a') => ({ destination: { type: 'link', value: `https://example.com/${path}` } });
const post = (api: TestApi, key: string, sent: object = body(), apiKey = api.organization.key) =>
  api.call('POST', '/short-link', sent, { headers: { 'idempotency-key': key, 'x-api-key': apiKey } });
const countLinks = async (api: TestApi): Promise<number> =>
  (await api.db.query<{ count: number }>('select count(*) as count from short_links')).rows[0]!.count;

describe('Idempotency-Key', () => {
  it('the same key and body get the first answer again, and make nothing twice', async () => {
    await using api = await createTestApi();
    const first = await post(api, 'one');
    const again = await post(api, 'one');
    expect(first.status).toBe(201);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(again.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'idempotency-original-request-id': first.headers['x-request-id'],
    });
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(first.headers['idempotency-original-request-id']).toBeUndefined();
    expect(await countLinks(api)).toBe(1);
  });

  it('a bulk call with a wrong row, whose field name no database can hold, is answered and replayed', async () => {
    await using api = await createTestApi();
    const links = [{ ...body(), 'a\u0000b': 1 }, body('b')];
    const send = () => api.call('POST', '/short-link/bulk', { links }, { headers: { 'idempotency-key': 'one' } });
    const first = await send();
    expect(first).toMatchObject({ status: 201, body: { results: [{ status: 400 }, { status: 201 }] } });
    expect(first.body.results[0].error.issues).toEqual([{ path: 'a\ufffdb', message: 'is not a known field' }]);
    expect(await send()).toMatchObject({ status: 201, body: first.body });
    expect(await countLinks(api)).toBe(1);
  });

  it('an organization whose stored answers fill its room waits with new keys, and with them alone', async () => {
    await using api = await createTestApi();
    const first = await post(api, 'one');
    const { rows } = await api.db.query<{ bytes: number; kept: number }>(
      'select bytes, octet_length(answer) + pg_column_size(made) as kept from idempotency_bytes, idempotency_keys',
    );
    expect(rows).toEqual([{ bytes: rows[0]!.kept, kept: rows[0]!.kept }]);
    const fill = (bytes: string, age: string) =>
      api.db.query('update idempotency_bytes set bytes = $1, hour_at = hour_at - $2::interval', [bytes, age]);
    await fill(String(2 ** 30), '20 hours');
    const refused = await post(api, 'two', body('b'));
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_EXCEEDED' } });
    const retryAfter = Number(refused.headers['retry-after']);
    expect([retryAfter > 3.9 * 3_600, retryAfter <= 5 * 3_600]).toEqual([true, true]);
    expect(await post(api, 'one')).toMatchObject({ status: 201, body: first.body });
    const other = await createOrganization(api.db);
    expect((await post(api, 'two', body('b'), other.key)).status).toBe(201);
    await fill(String(2 ** 30), '5 hours');
    expect((await post(api, 'two', body('b'))).status).toBe(201);
  });

  it('the same key with another body is refused', async () => {
    await using api = await createTestApi();
    await post(api, 'one');
    expect(await post(api, 'one', body('b'))).toMatchObject({
      status: 409,
      body: {
        code: 'ALREADY_EXIST',
        message: 'This Idempotency-Key was used with another path, query or body.',
      },
    });
    expect((await post(api, 'one')).status).toBe(201);
  });

  it('bodies are compared by their values, not by how they are written', async () => {
    await using api = await createTestApi();
    const write = (payload: string) =>
      api.call('POST', '/tag', undefined, {
        payload,
        headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
      });
    const first = await write('{"name":"a","color":"#112233"}');
    const again = await write('{ "color": "#112233", "name": "\\u0061" }');
    expect(again).toMatchObject({ status: 201, body: first.body, headers: { 'idempotency-replayed': 'true' } });
    expect(again.headers['cache-control']).toBe('no-store');
    expect((await write('{"name":"#112233","color":"a"}')).status).toBe(409);
  });

  it('a 4xx is replayed, but not a 401 or the 409 of a key in use', async () => {
    await using api = await createTestApi();
    const wrong = { ...body(), maxClicks: 0 };
    const first = await post(api, 'one', wrong);
    const again = await post(api, 'one', wrong);
    // An error's body names the call that it answers.
    expect(again.body).toEqual({ ...first.body, requestId: again.headers['x-request-id'] });
    expect(again).toMatchObject({ status: 400, headers: { 'idempotency-replayed': 'true' } });
    expect(again.body.requestId).not.toBe(first.body.requestId);
    await post(api, 'two', body(), `wm_live_${'c'.repeat(43)}`);
    expect((await post(api, 'two')).status).toBe(201);
  });

  it('one of many calls at once goes through, the others get 409 or the same answer', async () => {
    await using api = await createTestApi();
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(api, 'one')));
    expect(answers.some(({ status }) => status === 201)).toBe(true);
    expect(new Set(answers.filter(({ status }) => status === 201).map((answer) => answer.body.id)).size).toBe(1);
    expect(await countLinks(api)).toBe(1);
  });

  it('only its caller gets the answer of a key, whether the call succeeded, died or failed', async () => {
    await using api = await createTestApi();
    const owner = await createSignedIn(api.db, api.organization.id, 'owner');
    const admin = await createSignedIn(api.db, api.organization.id, 'admin');
    const key = await createUserKey(api.db, api.organization.id, owner.id);
    const callers = [owner.headers, admin.headers, { 'x-api-key': key }, {}];
    const sent = { type: 'user', name: 'Laptop', permissions: {} };
    const make = (headers: object) =>
      api.call('POST', '/api-key', sent, { headers: { ...headers, 'idempotency-key': 'one' } });
    const first = await make(admin.headers);
    expect(first).toMatchObject({ status: 201, body: { key: expect.any(String) } });
    const refused = {
      status: 409,
      body: { code: 'ALREADY_EXIST', message: expect.stringContaining('another caller') },
    };
    for (const state of ['status = status', 'status = null, answer = null, claimed_until = now()']) {
      await api.db.query(`update idempotency_keys set ${state}`);
      expect(await make(owner.headers)).toMatchObject(refused);
      expect(await make({ 'x-api-key': key })).toMatchObject(refused);
    }
    expect(await make(admin.headers)).toMatchObject({ status: 201, body: first.body });
    expect(await make({ ...owner.headers, 'idempotency-key': 'two' })).toMatchObject({ status: 409 });
    for (const [index, headers] of callers.entries()) {
      const tagged = await api.call(
        'POST',
        '/tag',
        { name: 'a' },
        { headers: { ...headers, 'idempotency-key': 'tag' } },
      );
      expect(tagged.status).toBe(index === 0 ? 201 : 409);
      expect(tagged.headers['idempotency-replayed']).toBeUndefined();
    }
  });

  it('an Idempotency-Key is ignored under /auth/', async () => {
    await using api = await createTestApi();
    const { email } = await createSignedIn(api.db, api.organization.id, 'member');
    const login = (password: string) =>
      api.call(
        'POST',
        '/auth/login',
        { email, password },
        { headers: { 'x-api-key': undefined, 'idempotency-key': 'one' } },
      );
    expect((await login('wrong password')).status).toBe(401);
    expect((await login(testPassword)).headers['idempotency-replayed']).toBeUndefined();
    expect((await login('wrong password')).status).toBe(401);
    expect((await login(testPassword)).status).toBe(200);
    expect((await api.db.query('select from idempotency_keys')).rowCount).toBe(0);
  });

  it('multipart bodies are compared by the content of their parts', async () => {
    await using api = await createTestApi();
    const { png, webp } = await createPictures();
    const headers = { 'idempotency-key': 'one' };
    const send = (content: Buffer) => upload(api, 'meta-tag', [{ content }], { headers });
    const first = await send(png);
    expect(first.status).toBe(201);
    expect(await send(png)).toMatchObject({
      status: 201,
      body: first.body,
      headers: { 'idempotency-replayed': 'true' },
    });
    expect((await send(webp)).status).toBe(409);
  });

  it('organizations do not share idempotency keys', async () => {
    await using api = await createTestApi();
    const other = await createOrganization(api.db);
    const mine = await post(api, 'one');
    const theirs = await post(api, 'one', body(), other.key);
    expect(theirs.status).toBe(201);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  it('an Idempotency-Key has at most 255 characters', async () => {
    await using api = await createTestApi();
    expect((await post(api, 'k'.repeat(255))).status).toBe(201);
    expect(await post(api, 'k'.repeat(256))).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'Idempotency-Key' }] },
    });
  });

  it('the key of a call that died stays claimed for 60 s, then the call runs', async () => {
    await using api = await createTestApi();
    await post(api, 'one');
    await api.db.query('update idempotency_keys set status = null, answer = null, made = null');
    expect((await post(api, 'one')).status).toBe(409);
    await api.db.query(`update idempotency_keys set claimed_until = now()`);
    expect((await post(api, 'one')).status).toBe(201);
    expect(await countLinks(api)).toBe(2);
  });

  it('a call that died after its commit is presented to its key', async () => {
    await using api = await createTestApi();
    const first = await post(api, 'one');
    await api.db.query('update idempotency_keys set status = null, answer = null, claimed_until = now()');
    const again = await post(api, 'one');
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id } });
    expect(await countLinks(api)).toBe(1);
  });

  it('a 5xx frees the key', async () => {
    let fail = true;
    const clock = (): Date => {
      if (fail) throw new Error('no clock');
      return new Date();
    };
    await using api = await createTestApi({ clock });
    expect(await post(api, 'one')).toMatchObject({ status: 500, body: { code: 'INTERNAL_SERVER_ERROR', message: '' } });
    fail = false;
    expect((await post(api, 'one')).status).toBe(201);
  });

  it('an answer is forgotten after 24 hours', async () => {
    await using api = await createTestApi();
    const first = await post(api, 'one');
    await api.db.query(`update idempotency_keys set created_at = now() - interval '24 hours'`);
    expect((await post(api, 'one', body('b'))).body.id).not.toBe(first.body.id);
  });
});
