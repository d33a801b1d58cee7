// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { findPlatformDomain } from '#test/support/factories.ts';
import { callOf, createScene, type Scene } from '#test/support/restricted-key.ts';

const api = useTestApi();
const call = callOf(api);
let scene: Scene;
beforeAll(async () => {
  scene = await createScene(api);
});

describe('restricting a key', () => {
  const draft = { type: 'integration', name: 'CI', permissions: { shortLinks: ['read'] } };
  const patch = (body: object, { owner, keyId } = scene): Promise<Answer> =>
    call(owner, 'PATCH', `/api-key/${keyId}`, body);

  it('a key is restricted to folders alone or domains alone, and no longer by null', async () => {
    const own = await createScene(api);
    const list = async (): Promise<number> => (await call(own.key, 'GET', '/short-link/list')).body.count;
    expect(await list()).toBe(1);
    expect((await patch({ domainIds: null }, own)).body).toMatchObject({ folderIds: [own.folderId], domainIds: null });
    expect(await list()).toBe(2);
    await patch({ folderIds: null, domainIds: [own.domainId] }, own);
    expect(await list()).toBe(2);
    await patch({ folderIds: [own.folderId, own.otherFolderId], domainIds: [own.domainId, own.otherDomainId] }, own);
    expect(await list()).toBe(3);
    await patch({ folderIds: null, domainIds: null }, own);
    expect(await list()).toBe(4);
    expect((await call(own.key, 'GET', '/tag/list')).status).toBe(200);
  });

  it('takes folders and domains of the organization, and domains of the platform', async () => {
    const { owner } = scene;
    const foreign = await createScene(api);
    const make = (limits: object): Promise<Answer> =>
      call(owner, 'POST', '/api-key', { ...draft, name: uuidv7(), ...limits });
    const platformId = await findPlatformDomain(api.db);
    expect(await make({ domainIds: [platformId, platformId] })).toMatchObject({
      status: 201,
      body: { domainIds: [platformId] },
    });
    expect(await make({ folderIds: [uuidv7()] })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await make({ domainIds: [uuidv7()] })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await make({ folderIds: [foreign.folderId] })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await make({ domainIds: [foreign.domainId] })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    for (const [limits, path] of [
      [{ folderIds: [] }, 'folderIds'],
      [{ domainIds: ['x'] }, 'domainIds.0'],
      [{ folderIds: Array.from({ length: 51 }, () => uuidv7()) }, 'folderIds'],
    ] as const)
      expect(await make(limits)).toMatchObject({ status: 400, body: { issues: [{ path }] } });
  });

  it('a record is sent back as it is, also when a folder of it was deleted', async () => {
    const own = await createScene(api);
    await call(own.owner, 'DELETE', `/folder/${own.folderId}`);
    const { body } = await call(own.owner, 'GET', `/api-key/${own.keyId}`);
    expect(await patch({ ...body, name: 'New' }, own)).toMatchObject({
      status: 200,
      body: { name: 'New', folderIds: [own.folderId] },
    });
    expect((await call(own.key, 'GET', '/short-link/list')).body.count).toBe(0);
  });

  it('a restricted key never holds apiKeys', async () => {
    const { owner, folderId } = scene;
    const refusal = { status: 400, body: { issues: [{ path: 'permissions.apiKeys' }] } };
    const permissions = { apiKeys: ['read', 'update'] };
    const body = { type: 'user', name: 'Mine', permissions };
    expect(await call(owner, 'POST', '/api-key', { ...body, folderIds: [folderId] })).toMatchObject(refusal);
    const made = await call(owner, 'POST', '/api-key', body);
    expect(made.status).toBe(201);
    const change = (change: object) => call(owner, 'PATCH', `/api-key/${made.body.id}`, change);
    expect(await change({ folderIds: [folderId] })).toMatchObject(refusal);
    expect((await change({ folderIds: [folderId], permissions: { shortLinks: ['read'] } })).status).toBe(200);
    expect(await change({ permissions })).toMatchObject(refusal);
  });

  it('a session reaches everything', async () => {
    expect((await call(scene.owner, 'GET', '/short-link/list')).body.count).toBeGreaterThan(3);
  });
});
