// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, useTestApi } from '#test/support/api.ts';
import {
  createDomain,
  createFile,
  createFolder,
  createOrganization,
  findPlatformDomain,
} from '#test/support/factories.ts';
import { createPerson, createUserKey } from '#test/support/people.ts';
import { type Route, routes } from '#test/support/routes.ts';
import { writeMultipart } from '#test/support/upload.ts';

// Keys of organizations with ids of another one, of nothing, and with no ids at all.

/** Routes whose ids are of a user, or of a row that one statement finds by organization and id; their own tests have foreign ids. */
const elsewhere = /^\/(?:organization\/members|request-log)\/\{id\}/;
const withId = routes.filter(({ caller, path }) => caller === 'key' && path.includes('{id}') && !elsewhere.test(path));

/** Bodies of routes that need one; each would change something. */
const bodies: Record<string, object> = {
  'PATCH /short-link/{id}': { title: 'x' },
  'POST /short-link/{id}/duplicate': {},
  'POST /short-link/{id}/move': { domain: 'localhost', slug: 'moved' },
  'PATCH /folder/{id}': { color: '#112233' },
  'PATCH /tag/{id}': { color: '#112233' },
  'PATCH /utm-template/{id}': { utmTerm: 'x' },
  'PATCH /domain/{id}': { isActive: true },
  'PATCH /webhook/{id}': { name: 'x' },
  'POST /webhook/{id}/recover': { since: new Date().toISOString() },
  'PATCH /api-key/{id}': { name: 'x' },
};

let key: string;
let foreignKey: string;
let platformId: string;
/** Ids by the path before them. */
let owned: Record<string, string>;

const api = useTestApi();
beforeAll(async () => {
  const { db, organization } = api;
  // Keys of owners: bots manage no keys and no members.
  const createOwnerKey = async (organizationId: string) =>
    createUserKey(db, organizationId, (await createPerson(db, { [organizationId]: 'owner' })).id);
  key = await createOwnerKey(organization.id);
  foreignKey = await createOwnerKey((await createOrganization(db)).id);
  const create = async (path: string, body: object): Promise<Answer['body']> =>
    (await api.call('POST', path, body, { headers: { 'x-api-key': key } })).body;
  const destination = { type: 'link', value: 'https://example.com/isolation' };
  const link = await create('/short-link', { destination, tags: ['isolated'] });
  const file = writeMultipart([{ filename: 'links.csv', content: 'keyword,url\n' }]);
  const imported = await api.call('POST', '/short-link/import', undefined, file);
  const made = {
    '/utm-template': { name: 'Owned' },
    '/webhook': { url: 'https://hooks.example.com/isolation', events: ['link.created'] },
    '/api-key': { type: 'integration', name: 'Owned', permissions: { stats: ['read'] } },
    '/organization/invitations': { email: 'isolated@example.com', role: 'member' },
  };
  owned = {
    '/short-link': link.id,
    '/short-link/import': imported.body.id,
    '/tag': link.tags[0].id,
    '/folder': await createFolder(db, organization.id),
    '/domain': (await createDomain(db, organization.id)).id,
    '/files': await createFile(db, organization.id, 'meta-tag'),
  };
  platformId = await findPlatformDomain(db);
  for (const [path, body] of Object.entries(made)) owned[path] = (await create(path, body)).id;
});

function call({ name, method, path }: Route, id: string, by: string): Promise<Answer> {
  const url = path.replace('{id}', id).replaceAll(/\{\w+\}/g, uuidv7());
  return api.call(method, url, bodies[name], { headers: { 'x-api-key': by } });
}

describe('every route with an id', () => {
  it.each(withId)('$name answers 403 to an id of another organization or of the platform', async (route) => {
    const kind = route.path.split('/{id}')[0]!;
    // The platform's domains are no organization's.
    for (const id of kind === '/domain' ? [owned[kind]!, platformId] : [owned[kind]!])
      expect(await call(route, id, foreignKey)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });

  it.each(withId)('$name answers 404 to an unknown id', async (route) => {
    expect(await call(route, uuidv7(), key)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it.each(withId)('$name answers 400 to a malformed id', async (route) => {
    for (const id of ['x', '123', `${uuidv7()}0`, 'a'.repeat(400), '%20', '%00']) {
      const answer = await call(route, id, key);
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', issues: [{ path: 'id' }] } });
    }
  });
});
