// @module-tag slow

import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { type Action, actions, type Permissions, type Resource } from '#core/organizations/permissions.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { readDescription, readDocument } from '#test/support/openapi.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createSignedIn, createUserKey, everyPermission, openTestSession } from '#test/support/people.ts';
import { byDay } from '#test/support/night.ts';
import { permittedRoutes, type Route, routes } from '#test/support/routes.ts';

const api = useTestApi();

/** Routes that keys may call; the others are for sessions alone. */
const ofKeys = permittedRoutes.filter(({ caller }) => caller === 'key');

type Headers = Record<string, string | undefined>;

/** Calls a route without a body and with ids that are nowhere: a caller with the permission gets a 400, a 404 or an empty list. */
function ask({ method, path }: Route, headers: Headers): Promise<Answer> {
  return inject({ method, url: path.replaceAll(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000') }, headers);
}

/** Calls a route with a wrong query, wrong ids and a wrong body: a caller whom the route refuses hears nothing of them. */
function askWrong({ method, path }: Route, headers: Headers): Promise<Answer> {
  const url = `${path.replaceAll(/\{\w+\}/g, 'x')}?surplus=1`;
  return inject({ method, url, ...(method !== 'GET' && { payload: { surplus: 1 } }) }, headers);
}

function inject(call: InjectOptions, headers: Headers): Promise<Answer> {
  return api.app
    .inject({
      ...call,
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as never,
    })
    .then((response) => ({
      status: response.statusCode,
      headers: response.headers,
      // An export is no JSON.
      body: /json/.test(String(response.headers['content-type'])) ? response.json() : {},
    }));
}

const isRefused = ({ body }: Answer): boolean =>
  ['UNAUTHORIZED', 'FORBIDDEN', 'ACTION_NOT_ALLOWED', 'FEATURE_NOT_AVAILABLE'].includes(body.code);

describe('the table of routes', () => {
  it('the table has every route of /doc and no other, each with the callers that /doc names', async () => {
    const { operations } = readDescription(await readDocument(api));
    const named = (rows: readonly Pick<Route, 'name' | 'caller'>[]) =>
      rows.map(({ name, caller }) => `${name}: ${caller}`).toSorted();
    expect(named(operations)).toEqual(named(routes));
  });
});

describe('keys of admins', () => {
  const cells = [
    ...new Set(ofKeys.flatMap(({ resource, actions: steps }) => steps.map((step) => `${resource} ${step}`))),
  ];

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
    for (const route of ofKeys) {
      const { name, actions: steps, isEither } = route;
      if (route.resource !== resource || !steps.includes(action) || isEither) continue;
      const answer = await ask(route, { 'x-api-key': withIt });
      const missing = steps.find((step) => step !== action);
      if (missing === undefined) expect([name, isRefused(answer)]).toEqual([name, false]);
      else expect([name, answer.body]).toMatchObject([name, { code: 'ACTION_NOT_ALLOWED', action: missing }]);
      expect([name, await ask(route, { 'x-api-key': withoutIt })]).toMatchObject([
        name,
        { status: 403, body: { code: 'ACTION_NOT_ALLOWED', resource, action } },
      ]);
    }
  });
});

describe('routes that need one of two permissions', () => {
  it('each of the permissions is enough, and none is not', async () => {
    for (const route of ofKeys.filter(({ isEither }) => isEither)) {
      const { name, resource, actions: either } = route;
      for (const action of actions) {
        const { key } = await createOrganization(api.db, { permissions: { [resource]: [action] } });
        const answer = await ask(route, { 'x-api-key': key });
        expect([name, action, isRefused(answer)]).toEqual([name, action, !either.includes(action)]);
      }
    }
  });
});

describe('routes of permissions that need a person', () => {
  it('such a route refuses the key of an owner before it looks at the input', async () => {
    const { id } = await createOrganization(api.db);
    const owner = await createPerson(api.db, { [id]: 'owner' });
    const key = await createUserKey(api.db, id, owner.id, everyPermission);
    const ofPeople = permittedRoutes.filter(({ caller }) => caller === 'session');
    expect(ofPeople).toHaveLength(4);
    for (const route of ofPeople)
      expect([route.name, await askWrong(route, { 'x-api-key': key })]).toMatchObject([
        route.name,
        { status: 403, body: { code: 'FORBIDDEN' } },
      ]);
  });
});

describe('permissions that no key may hold', () => {
  it('a key without permissions may do nothing', async () => {
    const { key } = await createOrganization(api.db, { permissions: {} });
    for (const route of permittedRoutes) {
      const {
        name,
        resource,
        actions: [action],
      } = route;
      expect([name, await askWrong(route, { 'x-api-key': key })]).toMatchObject([
        name,
        { status: 403, body: { code: 'ACTION_NOT_ALLOWED', resource, action } },
      ]);
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
        for (const route of ofKeys) {
          const { name, resource } = route;
          const answer = await ask(route, { 'x-api-key': key });
          if (resource === 'apiKeys' && !mayManage) expect(answer.body.code).toBe('ACTION_NOT_ALLOWED');
          else expect([name, isRefused(answer)]).toEqual([name, false]);
        }
      }
    },
  );

  it('a user key is dead without its membership', async () => {
    const { id: organizationId } = await createOrganization(api.db);
    const { id: userId } = await createPerson(api.db, {});
    const key = await createUserKey(api.db, organizationId, userId);
    expect((await ask(permittedRoutes[1]!, { 'x-api-key': key })).status).toBe(401);
  });
});

describe('without key and session', () => {
  it('every route that is not public answers 401 before it looks at the input', async () => {
    for (const route of routes.filter(({ caller }) => caller !== 'anybody')) {
      const { name } = route;
      const calls: Headers[] = [{}, { authorization: `Bearer ${api.organization.key}` }];
      // Paths under /auth/ take no keys at all.
      if (!route.path.startsWith('/auth/'))
        calls.push({ 'x-api-key': '' }, { 'x-api-key': 'nonsense' }, { 'x-api-key': `wm_live_${'0'.repeat(43)}` });
      for (const headers of calls)
        expect([name, await askWrong(route, headers)]).toMatchObject([
          name,
          { status: 401, body: { code: 'UNAUTHORIZED' } },
        ]);
    }
  });

  it('every path under /auth/ refuses keys, right and wrong ones', async () => {
    for (const route of routes.filter(({ path, caller }) => caller === 'session' && path.startsWith('/auth/'))) {
      for (const key of [api.organization.key, `wm_live_${'0'.repeat(43)}`])
        expect([route.name, await askWrong(route, { 'x-api-key': key })]).toMatchObject([
          route.name,
          { status: 403, body: { code: 'FORBIDDEN' } },
        ]);
    }
  });
});

describe('a key of a free organization', () => {
  it('a key of a free organization may call nothing', async () => {
    const organization = await createOrganization(api.db, { plan: 'free', permissions: everyPermission });
    const owner = await createPerson(api.db, { [organization.id]: 'owner' });
    const userKey = await createUserKey(api.db, organization.id, owner.id);
    for (const route of routes.filter(({ caller }) => caller === 'key')) {
      for (const key of [organization.key, userKey]) {
        expect([route.name, await askWrong(route, { 'x-api-key': key })]).toMatchObject([
          route.name,
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
    for (const route of permittedRoutes) {
      const {
        name,
        resource,
        actions: [action],
      } = route;
      const answer = await ask(route, headers);
      if (plan === 'free' && resource === 'webhooks') expect(answer.body.code).toBe('FEATURE_NOT_AVAILABLE');
      else if (role === 'member' && resource === 'apiKeys') {
        expect(answer).toMatchObject({ status: 403, body: { code: 'ACTION_NOT_ALLOWED', resource, action } });
      } else expect([name, isRefused(answer)]).toEqual([name, false]);
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
    expect((await ask(permittedRoutes[1]!, { 'x-api-key': foreign })).body).toMatchObject({
      code: 'ACTION_NOT_ALLOWED',
    });
  });
});
