// @module-tag slow

import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { readDocument } from '#test/support/openapi.ts';
import { callOf, createScene, type Method, type Scene } from '#test/support/restricted-key.ts';

const api = useTestApi();
const call = callOf(api);
let scene: Scene;
beforeAll(async () => {
  scene = await createScene(api);
});

/** Routes that keep to the folders and domains of a restricted key. */
const kept = [
  'POST /short-link',
  'GET /short-link/list',
  'GET /short-link/count',
  'GET /short-link/counts',
  'GET /short-link/lookup',
  'PUT /short-link/upsert',
  'POST /short-link/check',
  'POST /short-link/bulk',
  'PATCH /short-link/bulk',
  'DELETE /short-link/bulk',
  'GET /short-link/export',
  'GET /short-link/{id}',
  'PATCH /short-link/{id}',
  'DELETE /short-link/{id}',
  'GET /short-link/{id}/qr-code',
  'GET /short-link/{id}/history',
  'POST /short-link/{id}/history/{changeId}/undo',
  'POST /short-link/{id}/duplicate',
  'POST /short-link/{id}/move',
  'POST /short-link/{id}/archive',
  'POST /short-link/{id}/restore',
  'GET /link-preview',
  'GET /link-preview/icon',
  'GET /folder/list',
  'GET /folder/{id}',
  'GET /domain/list',
  'GET /domain/all',
  'GET /domain/{id}',
  'GET /domain/{id}/qr-code-data',
  'GET /stats/overview',
  'GET /stats/clicks-over-time',
  'GET /stats/report',
  'GET /stats/clicks',
  'GET /stats/export',
];

/** Routes that refuse restricted keys: what they show or change is of the whole organization. */
const refused = [
  'POST /short-link/import',
  'GET /short-link/import/list',
  'GET /short-link/import/{id}',
  'GET /short-link/import/{id}/rows',
  'POST /short-link/import/{id}/cancel',
  'POST /short-link/import/{id}/undo',
  'POST /folder',
  'PATCH /folder/{id}',
  'DELETE /folder/{id}',
  'POST /tag',
  'GET /tag/list',
  'GET /tag/{id}',
  'PATCH /tag/{id}',
  'DELETE /tag/{id}',
  'POST /utm-template',
  'GET /utm-template/list',
  'GET /utm-template/{id}',
  'PATCH /utm-template/{id}',
  'DELETE /utm-template/{id}',
  'GET /activity',
  'GET /process',
  'GET /process/list',
  'POST /domain',
  'PATCH /domain/{id}',
  'DELETE /domain/{id}',
  'GET /domain/{id}/dns',
  'POST /domain/{id}/dns-check',
  'POST /files/meta-tag-image',
  'POST /files/qr-code-image',
  'GET /files/list',
  'GET /files/{id}',
  'DELETE /files/{id}',
  'POST /webhook',
  'GET /webhook/list',
  'GET /webhook/{id}',
  'PATCH /webhook/{id}',
  'DELETE /webhook/{id}',
  'GET /webhook/{id}/outlook',
  'POST /webhook/{id}/rotate-secret',
  'POST /webhook/{id}/test',
  'POST /webhook/{id}/recover',
  'GET /webhook/{id}/deliveries',
  'GET /webhook/{id}/deliveries/{deliveryId}',
  'POST /webhook/{id}/deliveries/{deliveryId}/redeliver',
  'GET /events',
  'GET /organization',
];

describe('the table of routes and restricted keys', () => {
  it('every route that a key may call is in it', async () => {
    const body = await readDocument(api);
    const routes = Object.entries<Record<string, { security?: object[] }>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { security }]) => security === undefined)
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    // Restricted keys never hold apiKeys: the permission refuses them.
    const forManagers = new Set<string>();
    for (const route of routes) {
      const { body: answer } = await ask(route);
      if (answer.code === 'ACTION_NOT_ALLOWED' && answer.resource === 'apiKeys') forManagers.add(route);
    }
    expect([...forManagers].filter((route) => /\/(?:short-link|stats|folder|tag|domain)/.test(route))).toEqual([]);
    expect(routes.filter((route) => !forManagers.has(route)).toSorted()).toEqual([...kept, ...refused].toSorted());
  });

  it('a restricted key is refused by every route that does not keep to its reach', async () => {
    for (const route of refused)
      expect([route, await ask(route)]).toMatchObject([
        route,
        {
          status: 403,
          body: { code: 'FORBIDDEN', message: expect.stringContaining('restricted to folders or domains') },
        },
      ]);
    for (const route of refused.filter((one) => one.startsWith('GET ')))
      expect([route, (await ask(route.replace('GET', 'HEAD'))).status]).toEqual([route, 403]);
    for (const route of kept) {
      const { status, body } = await ask(route);
      expect([route, status, body.code]).not.toEqual([route, 403, 'FORBIDDEN']);
    }
  });

  const ask = (route: string): Promise<Answer> => {
    const [method, path = ''] = route.split(' ');
    return call(scene.key, method as Method, path.replaceAll(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000'));
  };
});
