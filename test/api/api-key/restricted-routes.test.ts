// @module-tag slow

import { beforeAll, expect, it } from 'vitest';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { callOf, createScene, type Method, type Scene } from '#test/support/restricted-key.ts';
import { type Route, routes } from '#test/support/routes.ts';

const api = useTestApi();
const call = callOf(api);
let scene: Scene;
beforeAll(async () => {
  scene = await createScene(api);
});

/** Routes that keep to the folders and domains of a restricted key. */
const kept = new Set([
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
  'GET /organization',
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
]);

// Restricted keys never hold apiKeys: the permission refuses them.
const ofKeys = routes.filter(({ caller, resource }) => caller === 'key' && resource !== 'apiKeys');
/** Routes that refuse restricted keys: what they show or change is of the whole organization. */
const refused = ofKeys.filter(({ name }) => !kept.has(name));

it('a restricted key is refused by every route that does not keep to its reach', async () => {
  const ask = ({ method, path }: Pick<Route, 'path'> & { method: Method }): Promise<Answer> =>
    call(scene.key, method, path.replaceAll(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000'));
  expect(ofKeys.length - refused.length).toBe(kept.size);
  for (const route of refused) {
    expect([route.name, await ask(route)]).toMatchObject([
      route.name,
      {
        status: 403,
        body: { code: 'FORBIDDEN', message: expect.stringContaining('restricted to folders or domains') },
      },
    ]);
    if (route.method === 'GET')
      expect([route.name, (await ask({ ...route, method: 'HEAD' })).status]).toEqual([route.name, 403]);
  }
  for (const route of ofKeys.filter(({ name }) => kept.has(name))) {
    const { status, body } = await ask(route);
    expect([route.name, status, body.code]).not.toEqual([route.name, 403, 'FORBIDDEN']);
  }
});
