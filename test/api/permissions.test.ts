// @module-tag slow

import { describe, expect, it } from 'vitest';
import { type Action, actions, type Permissions, type Resource } from '#core/organizations/permissions.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { readDocument } from '#test/support/openapi.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createSignedIn, createUserKey, everyPermission, openTestSession } from '#test/support/people.ts';
import { byDay } from '#test/support/night.ts';

const api = useTestApi();

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
type Row = readonly [route: `${Method} /${string}`, resource: Resource, ...actions: Action[]];

/** Every route that needs a permission, with the permission that it needs (2.5). */
const routes: readonly Row[] = [
  ['POST /short-link', 'shortLinks', 'create'],
  ['GET /short-link/list', 'shortLinks', 'read'],
  ['GET /short-link/count', 'shortLinks', 'read'],
  ['GET /short-link/lookup', 'shortLinks', 'read'],
  ['PUT /short-link/upsert', 'shortLinks', 'create', 'update'],
  ['POST /short-link/check', 'shortLinks', 'create', 'update'],
  ['GET /short-link/counts', 'shortLinks', 'read'],
  ['POST /short-link/bulk', 'shortLinks', 'create'],
  ['PATCH /short-link/bulk', 'shortLinks', 'update'],
  ['DELETE /short-link/bulk', 'shortLinks', 'delete'],
  ['GET /short-link/export', 'shortLinks', 'read'],
  ['POST /short-link/import', 'shortLinks', 'create'],
  ['GET /short-link/import/list', 'shortLinks', 'read'],
  ['GET /short-link/import/{id}', 'shortLinks', 'read'],
  ['GET /short-link/import/{id}/rows', 'shortLinks', 'read'],
  ['POST /short-link/import/{id}/cancel', 'shortLinks', 'create'],
  ['POST /short-link/import/{id}/undo', 'shortLinks', 'delete'],
  ['GET /short-link/{id}', 'shortLinks', 'read'],
  ['PATCH /short-link/{id}', 'shortLinks', 'update'],
  ['DELETE /short-link/{id}', 'shortLinks', 'delete'],
  ['GET /short-link/{id}/qr-code', 'shortLinks', 'read'],
  ['GET /short-link/{id}/history', 'shortLinks', 'read'],
  ['POST /short-link/{id}/duplicate', 'shortLinks', 'create', 'read'],
  ['POST /short-link/{id}/move', 'shortLinks', 'update'],
  ['POST /short-link/{id}/archive', 'shortLinks', 'update'],
  ['POST /short-link/{id}/restore', 'shortLinks', 'update'],
  ['POST /short-link/{id}/history/{changeId}/undo', 'shortLinks', 'update'],
  ['POST /folder', 'shortLinks', 'create'],
  ['GET /folder/list', 'shortLinks', 'read'],
  ['GET /folder/{id}', 'shortLinks', 'read'],
  ['PATCH /folder/{id}', 'shortLinks', 'update'],
  ['DELETE /folder/{id}', 'shortLinks', 'delete'],
  ['POST /tag', 'shortLinks', 'create'],
  ['GET /tag/list', 'shortLinks', 'read'],
  ['GET /tag/{id}', 'shortLinks', 'read'],
  ['PATCH /tag/{id}', 'shortLinks', 'update'],
  ['DELETE /tag/{id}', 'shortLinks', 'delete'],
  ['GET /activity', 'shortLinks', 'read'],
  ['GET /organization/audit', 'apiKeys', 'read'],
  ['POST /organization/invitations', 'apiKeys', 'create'],
  ['GET /organization/invitations', 'apiKeys', 'read'],
  ['POST /organization/invitations/{id}/resend', 'apiKeys', 'update'],
  ['DELETE /organization/invitations/{id}', 'apiKeys', 'delete'],
  ['GET /organization/oidc', 'apiKeys', 'read'],
  ['POST /organization/transfer', 'apiKeys', 'update'],
  ['DELETE /organization', 'apiKeys', 'delete'],
  ['PUT /organization/oidc', 'apiKeys', 'update'],
  ['DELETE /organization/oidc', 'apiKeys', 'update'],
  ['GET /organization/audit/export', 'apiKeys', 'read'],
  ['GET /request-log', 'apiKeys', 'read'],
  ['GET /request-log/{id}', 'apiKeys', 'read'],
  ['GET /process', 'shortLinks', 'read'],
  ['GET /process/list', 'shortLinks', 'read'],
  ['GET /link-preview', 'shortLinks', 'create', 'update'],
  ['GET /link-preview/icon', 'shortLinks', 'read'],
  ['POST /utm-template', 'shortLinks', 'create'],
  ['GET /utm-template/list', 'shortLinks', 'read'],
  ['GET /utm-template/{id}', 'shortLinks', 'read'],
  ['PATCH /utm-template/{id}', 'shortLinks', 'update'],
  ['DELETE /utm-template/{id}', 'shortLinks', 'delete'],
  ['POST /domain', 'domains', 'create'],
  ['GET /domain/list', 'domains', 'read'],
  ['GET /domain/all', 'domains', 'read'],
  ['GET /domain/{id}', 'domains', 'read'],
  ['PATCH /domain/{id}', 'domains', 'update'],
  ['DELETE /domain/{id}', 'domains', 'delete'],
  ['GET /domain/{id}/dns', 'domains', 'read'],
  ['POST /domain/{id}/dns-check', 'domains', 'update'],
  ['GET /domain/{id}/qr-code-data', 'domains', 'read'],
  ['POST /files/meta-tag-image', 'files', 'create'],
  ['POST /files/qr-code-image', 'files', 'create'],
  ['GET /short-link/export', 'shortLinks', 'read'],
  ['POST /short-link/import', 'shortLinks', 'create'],
  ['GET /files/list', 'files', 'read'],
  ['GET /files/{id}', 'files', 'read'],
  ['DELETE /files/{id}', 'files', 'delete'],
  ['GET /stats/overview', 'stats', 'read'],
  ['GET /stats/clicks-over-time', 'stats', 'read'],
  ['GET /stats/report', 'stats', 'read'],
  ['GET /stats/clicks', 'stats', 'read'],
  ['GET /stats/export', 'stats', 'read'],
  ['POST /webhook', 'webhooks', 'create'],
  ['GET /webhook/list', 'webhooks', 'read'],
  ['GET /webhook/{id}', 'webhooks', 'read'],
  ['PATCH /webhook/{id}', 'webhooks', 'update'],
  ['DELETE /webhook/{id}', 'webhooks', 'delete'],
  ['GET /webhook/{id}/outlook', 'webhooks', 'read'],
  ['POST /webhook/{id}/rotate-secret', 'webhooks', 'update'],
  ['POST /webhook/{id}/test', 'webhooks', 'update'],
  ['POST /webhook/{id}/recover', 'webhooks', 'update'],
  ['GET /webhook/{id}/deliveries', 'webhooks', 'read'],
  ['GET /webhook/{id}/deliveries/{deliveryId}', 'webhooks', 'read'],
  ['POST /webhook/{id}/deliveries/{deliveryId}/redeliver', 'webhooks', 'update'],
  ['GET /events', 'webhooks', 'read'],
  ['PATCH /organization', 'apiKeys', 'update'],
  ['GET /organization/members', 'apiKeys', 'read'],
  ['PATCH /organization/members/{id}', 'apiKeys', 'update'],
  ['DELETE /organization/members/{id}', 'apiKeys', 'delete'],
  ['POST /api-key', 'apiKeys', 'create'],
  ['GET /api-key/list', 'apiKeys', 'read'],
  ['GET /api-key/{id}', 'apiKeys', 'read'],
  ['PATCH /api-key/{id}', 'apiKeys', 'update'],
  ['POST /api-key/{id}/rotate', 'apiKeys', 'update'],
  ['DELETE /api-key/{id}', 'apiKeys', 'delete'],
];

/** Routes that every key may call. */
const withoutPermission = new Set(['GET /organization']);

/** The routes that need a key or a session, as the description of the API has them. */
async function describedRoutes(): Promise<string[]> {
  const body = await readDocument(api);
  const paths: Record<string, Record<string, { security?: object[] }>> = body.paths;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security === undefined)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
}

/** The rows of routes that there are. */
async function builtRoutes(): Promise<Row[]> {
  const described = new Set(await describedRoutes());
  return routes.filter(([route]) => described.has(route));
}

/** Calls a route without a body and with ids that are nowhere: a caller with the permission gets a 400, a 404 or an empty list. */
function ask([route]: Row, headers: Record<string, string | undefined>): Promise<Answer> {
  const [method, path] = route.split(' ') as [Method, string];
  const url = path.replaceAll(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000');
  return api.app
    .inject({ method, url, headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value)) as never })
    .then((response) => ({
      status: response.statusCode,
      headers: response.headers,
      // An export is no JSON.
      body: /json/.test(String(response.headers['content-type'])) ? response.json() : {},
    }));
}

const isRefused = ({ body }: Answer): boolean =>
  ['UNAUTHORIZED', 'FORBIDDEN', 'ACTION_NOT_ALLOWED', 'FEATURE_NOT_AVAILABLE'].includes(body.code);

describe('the table of routes and permissions', () => {
  it('the table of permissions has every route that needs one', async () => {
    const named = new Set<string>(routes.map(([route]) => route));
    const unnamed = (await describedRoutes()).filter((route) => !named.has(route));
    expect(unnamed).toEqual([...withoutPermission]);
  });
});

describe('keys of admins', () => {
  const cells = [...new Set(routes.flatMap(([, resource, ...steps]) => steps.map((step) => `${resource} ${step}`)))];

  async function keyOfAdmin(permissions: Permissions): Promise<string> {
    const { id: organizationId } = await createOrganization(api.db);
    const { id: userId } = await createPerson(api.db, { [organizationId]: 'admin' });
    return createUserKey(api.db, organizationId, userId, permissions);
  }

  it.each(cells)('%s is enough where no more is needed, and no other permission stands in for it', async (cell) => {
    const [resource, action] = cell.split(' ') as [Resource, Action];
    const withIt = await keyOfAdmin({ [resource]: [action] });
    const others = actions.filter((other) => other !== action);
    const withoutIt = await keyOfAdmin({ ...everyPermission, [resource]: others });
    for (const row of await builtRoutes()) {
      const [route, needed, ...steps] = row;
      if (needed !== resource || !steps.includes(action)) continue;
      const answer = await ask(row, { 'x-api-key': withIt });
      const missing = steps.find((step) => step !== action);
      if (missing === undefined) expect([route, isRefused(answer)]).toEqual([route, false]);
      else expect([route, answer.body]).toMatchObject([route, { code: 'ACTION_NOT_ALLOWED', action: missing }]);
      expect([route, await ask(row, { 'x-api-key': withoutIt })]).toMatchObject([
        route,
        { status: 403, body: { code: 'ACTION_NOT_ALLOWED', resource, action } },
      ]);
    }
  });
});

describe('permissions that no key may hold', () => {
  it('a key without permissions may do nothing', async () => {
    const { key } = await createOrganization(api.db, { permissions: {} });
    for (const row of await builtRoutes()) {
      const [, resource, action] = row;
      expect((await ask(row, { 'x-api-key': key })).body).toMatchObject({
        code: 'ACTION_NOT_ALLOWED',
        resource,
        action,
      });
    }
  });

  it(
    "a key may do with API keys what its user's role allows: a bot's and a member's nothing",
    { tags: 'slow' },
    async () => {
      const organization = await createOrganization(api.db, { permissions: everyPermission });
      const member = await createPerson(api.db, { [organization.id]: 'member' });
      const admin = await createPerson(api.db, { [organization.id]: 'admin' });
      const keys: [string, boolean][] = [
        [organization.key, false],
        [await createUserKey(api.db, organization.id, member.id), false],
        [await createUserKey(api.db, organization.id, admin.id), true],
      ];
      for (const [key, mayManage] of keys) {
        for (const row of await builtRoutes()) {
          const answer = await ask(row, { 'x-api-key': key });
          if (row[1] === 'apiKeys' && !mayManage) expect(answer.body.code).toBe('ACTION_NOT_ALLOWED');
          else expect([row[0], isRefused(answer)]).toEqual([row[0], false]);
        }
      }
    },
  );

  it('a user key is dead without its membership', async () => {
    const { id: organizationId } = await createOrganization(api.db);
    const { id: userId } = await createPerson(api.db, {});
    const key = await createUserKey(api.db, organizationId, userId);
    expect((await ask(routes[1]!, { 'x-api-key': key })).status).toBe(401);
  });
});

describe('without key and session', () => {
  it('every route answers 401', async () => {
    for (const row of await builtRoutes()) {
      for (const headers of [{}, { 'x-api-key': 'nonsense' }, { authorization: `Bearer ${api.organization.key}` }]) {
        expect([row[0], (await ask(row, headers)).status]).toEqual([row[0], 401]);
      }
    }
  });
});

describe('a key of a free organization', () => {
  it('a key of a free organization may call nothing', async () => {
    const organization = await createOrganization(api.db, { plan: 'free', permissions: everyPermission });
    const owner = await createPerson(api.db, { [organization.id]: 'owner' });
    const userKey = await createUserKey(api.db, organization.id, owner.id);
    for (const row of await builtRoutes()) {
      for (const key of [organization.key, userKey]) {
        expect([row[0], await ask(row, { 'x-api-key': key })]).toMatchObject([
          row[0],
          { status: 403, body: { code: 'FEATURE_NOT_AVAILABLE' } },
        ]);
      }
    }
  });
});

describe.each(['free', 'premium'] as const)('a session of a %s organization', (plan) => {
  const roles = ['owner', 'admin', 'member'] as const;
  it.each(plan === 'free' ? byDay(roles, 1) : roles)('of an %s may call what the role allows', async (role) => {
    const { id } = await createOrganization(api.db, { plan });
    const { headers } = await createSignedIn(api.db, id, role);
    for (const row of await builtRoutes()) {
      const [route, resource, action] = row;
      const answer = await ask(row, headers);
      if (plan === 'free' && resource === 'webhooks') expect(answer.body.code).toBe('FEATURE_NOT_AVAILABLE');
      else if (role === 'member' && resource === 'apiKeys') {
        expect(answer).toMatchObject({ status: 403, body: { code: 'ACTION_NOT_ALLOWED', resource, action } });
      } else expect([route, isRefused(answer)]).toEqual([route, false]);
    }
  });
});

describe('the limits of the free plan', () => {
  it('the free plan allows a session 10 short links, 3 tags, 1 folder and 1 domain', async () => {
    const { id } = await createOrganization(api.db, { plan: 'free' });
    const { headers } = await createSignedIn(api.db, id, 'member');
    const statuses = async (path: string, count: number, body: (index: number) => object): Promise<unknown[]> => {
      const answers: unknown[] = [];
      for (let index = 0; index < count; index += 1) {
        const answer = await api.call('POST', path, body(index), { headers });
        answers.push(answer.status === 201 ? 201 : answer.body.code);
      }
      return answers;
    };
    const made = (count: number): number[] => Array.from({ length: count }, () => 201);
    const link = { destination: { type: 'link', value: 'https://example.com/' } };
    expect(await statuses('/short-link', 11, () => link)).toEqual([...made(10), 'PLAN_LIMIT_REACHED']);
    expect(await statuses('/tag', 4, (index) => ({ name: `Tag ${index}` }))).toEqual([
      ...made(3),
      'PLAN_LIMIT_REACHED',
    ]);
    expect(await statuses('/folder', 2, (index) => ({ name: `Folder ${index}` }))).toEqual([
      201,
      'FOLDER_LIMIT_REACHED',
    ]);
    const domain = (index: number) => ({ domain: `go${index}-${id.slice(-12)}.example` });
    expect(await statuses('/domain', 2, domain)).toEqual([201, 'PLAN_LIMIT_REACHED']);
  });
});

describe('another organization', () => {
  it('members of an organization cannot reach it in a session of another one', async () => {
    const [here, there] = [await createOrganization(api.db), await createOrganization(api.db)];
    const person = await createPerson(api.db, { [here.id]: 'owner', [there.id]: 'owner' });
    const headers = await openTestSession(api.db, person.id, here.id);
    const permissions: Permissions = { stats: ['read'] };
    const foreign = await createUserKey(api.db, there.id, person.id, permissions);
    const { rows } = await api.db.query<{ id: string }>('select id from api_keys where organization_id = $1', [
      there.id,
    ]);
    for (const { id } of rows) {
      expect((await api.call('GET', `/api-key/${id}`, undefined, { headers })).status).toBe(403);
    }
    expect(rows).toHaveLength(2);
    expect((await ask(routes[1]!, { 'x-api-key': foreign })).body).toMatchObject({ code: 'ACTION_NOT_ALLOWED' });
  });
});
