import { describe, expect, it } from 'vitest';
import { createTestApi, useOwnTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createSignedIn, createUserKey } from '#test/support/people.ts';
import { createStaff, createToolsClient, procedures, refusalOf, useStaff } from '#test/support/tools.ts';

const api = useOwnTestApi();
const staff = useStaff(api);

type Headers = Record<string, string | undefined>;
const list = '/trpc/organizations.list';
const read = (headers: Headers, url = list) =>
  api.call('GET', url, undefined, { headers: { 'x-api-key': undefined, ...headers } });
const write = (headers: Headers, path: string, body: unknown) =>
  api.call('POST', `/trpc/${path}`, body, { headers: { 'x-api-key': undefined, ...headers } });
const refused = (httpStatus: number, code: string) => ({
  status: httpStatus,
  body: { error: { data: { httpStatus, error: { code } } } },
});

describe('the internal tools', () => {
  it('every procedure refuses callers that are not signed-in staff', { tags: 'slow' }, async () => {
    const owner = await createSignedIn(api.db, api.organization.id, 'owner');
    const key = await createUserKey(api.db, api.organization.id, staff.id);
    const callers: [Headers, number, string][] = [
      [{}, 401, 'UNAUTHORIZED'],
      [{ cookie: `waymark=${'x'.repeat(43)}` }, 401, 'UNAUTHORIZED'],
      [{ 'x-api-key': api.organization.key }, 403, 'FORBIDDEN'],
      [{ ...staff.headers, 'x-api-key': key }, 403, 'FORBIDDEN'],
      [owner.headers, 403, 'FORBIDDEN'],
    ];
    for (const { path, type } of procedures) {
      for (const [headers, status, code] of callers) {
        const answer = type === 'query' ? await read(headers, `/trpc/${path}`) : await write(headers, path, {});
        expect({ path, ...answer }).toMatchObject({ path, ...refused(status, code) });
      }
    }
    expect((await api.db.query('select 1 from audit_log')).rowCount).toBe(0);
  });

  it('a member who leaves the staff, and a session that ends, lose access at once', async () => {
    const other = await createStaff(api.app, api.db, api.organization.id);
    expect((await read(other.headers)).status).toBe(200);
    await api.db.query('update users set is_staff = false where id = $1', [other.id]);
    expect(await read(other.headers)).toMatchObject(refused(403, 'FORBIDDEN'));
    const third = await createStaff(api.app, api.db, api.organization.id);
    expect((await api.call('POST', '/auth/logout', undefined, { headers: third.headers })).status).toBe(200);
    expect(await read(third.headers)).toMatchObject(refused(401, 'UNAUTHORIZED'));
  });

  it('pages of other sites change nothing through the staff router', async () => {
    const id = (await createOrganization(api.db)).id;
    for (const origin of [undefined, 'null', 'https://evil.example']) {
      const headers = { ...staff.headers, origin };
      expect(await write(headers, 'organizations.suspend', { id })).toMatchObject(refused(403, 'FORBIDDEN'));
      expect((await read(headers)).status).toBe(200);
    }
    expect((await write(staff.headers, 'organizations.suspend', { id })).status).toBe(200);
  });

  it('a GET changes nothing through the staff router', async () => {
    const { id } = await createOrganization(api.db);
    const input = encodeURIComponent(JSON.stringify({ id }));
    const answer = await read(staff.headers, `/trpc/organizations.suspend?input=${input}`);
    expect(answer).toMatchObject(refused(400, 'VALIDATION_ERROR'));
    expect((await staff.tools.organizations.get.query({ id })).isSuspended).toBe(false);
  });

  it('staff keep access while their own organization is suspended, so that they can resume it', async () => {
    const own = await createOrganization(api.db);
    const member = await createStaff(api.app, api.db, own.id);
    await member.tools.organizations.suspend.mutate({ id: own.id });
    const session = await api.call('GET', '/auth/session', undefined, { headers: member.headers });
    expect(session).toMatchObject({ status: 200, body: { organization: { isSuspended: true } } });
    expect((await member.tools.organizations.resume.mutate({ id: own.id })).isSuspended).toBe(false);
  });

  it('calls of the staff router are limited as those of sessions, by whole requests', async () => {
    await using limited = await createTestApi({ besides: api, limits: { perSecond: 1_000, perMinute: 1 } });
    const { headers } = await createStaff(api.app, api.db, api.organization.id);
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => limited.call('GET', list, undefined, { headers })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const last = answers.find(({ status }) => status === 429)!;
    expect(last).toMatchObject(refused(429, 'RATE_LIMIT_EXCEEDED'));
    expect(last.headers['x-ratelimit-limit']).toBe('10');
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(30);
  });

  it('the staff router is in no description of the API', { tags: 'slow' }, async () => {
    expect(JSON.stringify((await api.call('GET', '/doc')).body)).not.toContain('trpc');
  });
});

describe('an answer of the internal tools', () => {
  it('an answer of the staff router has its request id and is not cached', async () => {
    const { headers, status } = await read(staff.headers);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'x-ratelimit-limit': expect.anything() as string,
    });
  });

  it('a refusal of the staff router has the error body of the REST API', async () => {
    const id = '01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10';
    const answer = await read(staff.headers, `/trpc/organizations.get?input=${encodeURIComponent(`{"id":"${id}"}`)}`);
    const message = `There is no organization ${id}.`;
    const requestId = answer.headers['x-request-id'];
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      error: {
        message,
        code: -32_004,
        data: {
          code: 'NOT_FOUND',
          httpStatus: 404,
          path: 'organizations.get',
          error: { code: 'NOT_FOUND', message, requestId },
        },
      },
    });
  });

  it('a refusal of the staff router names fields that are wrong, missing or unknown', async () => {
    const input = encodeURIComponent(JSON.stringify({ id: 'x', color: 'red' }));
    const { body } = await read(staff.headers, `/trpc/organizations.get?input=${input}`);
    expect(body.error.data.error.issues.map(({ path }: { path: string }) => path).toSorted()).toEqual(['color', 'id']);
    const missing = await read(staff.headers, '/trpc/organizations.get');
    expect(missing).toMatchObject(refused(400, 'VALIDATION_ERROR'));
    expect(missing.body.error.data.error).toMatchObject({ message: 'is required' });
    const nothing = await read(staff.headers, '/trpc/organizations.get?input={}');
    expect(nothing.body.error.data.error.issues).toEqual([{ path: 'id', message: 'is required' }]);
    for (const query of ['?input={', `?input=${encodeURIComponent('{"limit":0}')}`, '?input=[]'])
      expect(await read(staff.headers, `${list}${query}`)).toMatchObject(refused(400, 'VALIDATION_ERROR'));
  });

  it('a body that is no JSON is refused as such', async () => {
    const broken = { path: '', message: 'The input is not valid JSON.' };
    const answers = [
      await read(staff.headers, `${list}?input={`),
      await api.call('POST', '/trpc/organizations.suspend', '{', {
        headers: { 'x-api-key': undefined, ...staff.headers, 'content-type': 'application/json' },
      }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject(refused(400, 'VALIDATION_ERROR'));
      expect(answer.body.error.data.error.issues).toEqual([broken]);
    }
    const empty = await api.call('POST', '/trpc/organizations.suspend', '', {
      headers: { 'x-api-key': undefined, ...staff.headers, 'content-type': 'application/json' },
    });
    expect(empty.body.error.data.error).toMatchObject({ code: 'VALIDATION_ERROR', message: 'is required' });
  });

  it('a refusal names a password that is too short beside every other wrong field', async () => {
    const { body } = await write(staff.headers, 'organizations.create', { name: '', ownerPassword: 'short' });
    expect(body.error.data.error.issues.map(({ path }: { path: string }) => path)).toEqual([
      'name',
      'plan',
      'ownerEmail',
      'ownerPassword',
    ]);
  });

  it('an unknown procedure is answered 404', async () => {
    for (const path of ['/trpc/organizations', '/trpc/organizations.drop', '/trpc/__proto__', '/trpc/a,b'])
      expect(await read(staff.headers, path)).toMatchObject(refused(404, 'NOT_FOUND'));
  });

  it('a body that cannot be read is answered 400', async () => {
    const send = (payload: string, type = 'application/json') =>
      api.call('POST', '/trpc/organizations.suspend', undefined, {
        payload,
        headers: { ...staff.headers, 'content-type': type },
      });
    for (const payload of ['{', '[]', '"x"', JSON.stringify({ id: 'x'.repeat(70_000) })])
      expect(await send(payload)).toMatchObject(refused(400, 'VALIDATION_ERROR'));
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])
      expect(await send('{}', type)).toMatchObject(refused(400, 'VALIDATION_ERROR'));
  });

  it('a refusal over a real connection is the same as an injected one', async () => {
    await using listening = await createTestApi({ besides: api });
    const address = await listening.app.listen({ host: '127.0.0.1', port: 0 });
    const { cookie } = staff.headers;
    const answer = await fetch(`${address}${list}`, { headers: { cookie: cookie! } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await answer.json()).toMatchObject({ result: { data: { nextCursor: null } } });
    const refusal = await fetch(`${address}/trpc/organizations.suspend`, {
      method: 'POST',
      headers: { cookie: cookie!, origin: 'http://localhost:3000', 'content-type': 'application/json' },
      body: '{"id":1}',
    });
    expect({ status: refusal.status, body: await refusal.json() }).toMatchObject(refused(400, 'VALIDATION_ERROR'));
  });

  it('an unexpected error is answered by a blank 500', async () => {
    await using broken = await createTestApi({
      besides: api,
      workflows: {
        list: () => Promise.reject(new Error('a secret')),
        countViews: async () => [],
        signal: async () => {},
        serverVersion: async () => null,
      },
    });
    const { headers } = staff;
    const answer = await broken.call('GET', '/trpc/workflows.list', undefined, { headers });
    expect(answer).toMatchObject(refused(500, 'INTERNAL_SERVER_ERROR'));
    expect(answer.body.error.message).toBe('');
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  it('a batch of calls has one answer, each call with its own outcome', async () => {
    const tools = createToolsClient(api.app, staff.headers, { batches: true });
    const [organizations, missing, members] = await Promise.allSettled([
      tools.organizations.list.query(),
      tools.organizations.get.query({ id: '01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10' }),
      tools.members.list.query(),
    ]);
    expect([organizations.status, missing.status, members.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const refusal = await refusalOf(Promise.reject((missing as PromiseRejectedResult).reason as Error));
    expect(refusal.error.code).toBe('NOT_FOUND');
    const many = Promise.all(Array.from({ length: 21 }, () => tools.members.list.query()));
    expect((await refusalOf(many)).error.code).toBe('VALIDATION_ERROR');
  });
});
