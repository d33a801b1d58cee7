// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Action, actions, type Permissions, type Resource } from '#core/organizations/permissions.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { readDocument } from '#test/support/openapi.ts';
import { allPermissions, createDomain, createFile, createFolder, createOrganization } from '#test/support/factories.ts';
import { writeMultipart } from '#test/support/upload.ts';

/** What an id in a path may be of. */
type Kind = 'link' | 'domain' | 'folder' | 'tag' | 'template' | 'file' | 'webhook' | 'import';

/** A route: what it demands, whose id its path bears, a body that is valid. */
interface Row {
  resource: Resource;
  action: Action | readonly Action[];
  id?: Kind;
  body?: object;
  /** Appended to the path. */
  query?: string;
  /** Why some of the checks do not apply. */
  without?: readonly ('permission' | 'foreign' | 'unknown')[];
}

const destination = { type: 'link', value: 'https://example.com/isolation' };
const webhook = { url: 'https://hooks.example.com/isolation', events: ['link.created'] };

/** Every route of the API: one without a row fails the test. */
const table: Record<string, Row | 'no key needed' | 'session only' | 'any key'> = {
  'GET /healthz': 'no key needed',
  'GET /readyz': 'no key needed',
  'GET /.well-known/security.txt': 'no key needed',
  'POST /auth/login': 'session only',
  'GET /auth/oidc': 'session only',
  'POST /auth/invitation': 'session only',
  'POST /auth/invitation/accept': 'session only',
  'POST /auth/invitation/join': 'session only',
  'GET /auth/second-factors': 'session only',
  'POST /auth/second-factors/totp': 'session only',
  'POST /auth/second-factors/totp/confirm': 'session only',
  'DELETE /auth/second-factors/totp': 'session only',
  'POST /auth/second-factors/passkeys/options': 'session only',
  'POST /auth/second-factors/passkeys': 'session only',
  'PATCH /auth/second-factors/passkeys/{id}': 'session only',
  'DELETE /auth/second-factors/passkeys/{id}': 'session only',
  'POST /auth/second-factors/recovery-codes': 'session only',
  'POST /auth/confirm/passkey-options': 'session only',
  'POST /auth/confirm': 'session only',
  'POST /auth/login/second-factor': 'session only',
  'POST /auth/login/passkey-options': 'session only',
  'POST /auth/login/passkey': 'session only',
  'POST /auth/organization/leave': 'session only',
  'GET /organization/deletion': 'session only',
  'POST /auth/oidc/start': 'session only',
  'GET /auth/oidc/callback': 'session only',
  'GET /auth/oidc/callback/{id}': 'session only',
  'POST /auth/logout': 'session only',
  'GET /auth/session': 'session only',
  'GET /auth/organizations': 'session only',
  'GET /auth/sessions': 'session only',
  'DELETE /auth/sessions': 'session only',
  'DELETE /auth/sessions/{id}': 'session only',
  'GET /auth/apps': 'session only',
  'DELETE /auth/apps/{id}': 'session only',
  'PATCH /auth/user': 'session only',
  'POST /auth/organization': 'session only',
  'POST /auth/password': 'session only',
  'POST /auth/password/forgot': 'session only',
  'POST /auth/password/reset': 'session only',
  'POST /short-link': { resource: 'shortLinks', action: 'create', body: { destination } },
  'GET /short-link/list': { resource: 'shortLinks', action: 'read' },
  'GET /short-link/count': { resource: 'shortLinks', action: 'read' },
  'GET /short-link/counts': { resource: 'shortLinks', action: 'read' },
  'GET /short-link/lookup': { resource: 'shortLinks', action: 'read', query: '?externalId=isolation' },
  'GET /short-link/{id}': { resource: 'shortLinks', action: 'read', id: 'link' },
  'PATCH /short-link/{id}': { resource: 'shortLinks', action: 'update', id: 'link', body: { title: 'x' } },
  'DELETE /short-link/{id}': { resource: 'shortLinks', action: 'delete', id: 'link' },
  'PUT /short-link/upsert': {
    resource: 'shortLinks',
    action: ['create', 'update'],
    body: { destination, externalId: 'isolation' },
  },
  'POST /short-link/check': { resource: 'shortLinks', action: ['create', 'update'], body: { link: { destination } } },
  'POST /short-link/bulk': { resource: 'shortLinks', action: 'create', body: { links: [{ destination }] } },
  'PATCH /short-link/bulk': { resource: 'shortLinks', action: 'update', body: { links: [{ id: uuidv7() }] } },
  'DELETE /short-link/bulk': { resource: 'shortLinks', action: 'delete', body: { ids: [uuidv7()] } },
  'GET /short-link/export': { resource: 'shortLinks', action: 'read' },
  'POST /short-link/import': { resource: 'shortLinks', action: 'create' },
  'GET /short-link/import/list': { resource: 'shortLinks', action: 'read' },
  'POST /short-link/import/{id}/cancel': { resource: 'shortLinks', action: 'create', id: 'import' },
  'POST /short-link/import/{id}/undo': { resource: 'shortLinks', action: 'delete', id: 'import' },
  'GET /short-link/import/{id}': { resource: 'shortLinks', action: 'read', id: 'import' },
  'GET /short-link/import/{id}/rows': { resource: 'shortLinks', action: 'read', id: 'import' },
  'GET /short-link/{id}/qr-code': { resource: 'shortLinks', action: 'read', id: 'link' },
  'GET /short-link/{id}/history': { resource: 'shortLinks', action: 'read', id: 'link' },
  'POST /short-link/{id}/duplicate': { resource: 'shortLinks', action: ['create', 'read'], id: 'link', body: {} },
  'POST /short-link/{id}/archive': { resource: 'shortLinks', action: 'update', id: 'link' },
  'POST /short-link/{id}/restore': { resource: 'shortLinks', action: 'update', id: 'link' },
  'POST /short-link/{id}/move': {
    resource: 'shortLinks',
    action: 'update',
    id: 'link',
    body: { domain: 'localhost', slug: 'moved' },
  },
  'POST /short-link/{id}/history/{changeId}/undo': { resource: 'shortLinks', action: 'update', id: 'link' },
  'POST /folder': { resource: 'shortLinks', action: 'create', body: { name: 'Isolation' } },
  'GET /folder/list': { resource: 'shortLinks', action: 'read' },
  'GET /folder/{id}': { resource: 'shortLinks', action: 'read', id: 'folder' },
  'PATCH /folder/{id}': { resource: 'shortLinks', action: 'update', id: 'folder', body: { color: '#112233' } },
  'DELETE /folder/{id}': { resource: 'shortLinks', action: 'delete', id: 'folder' },
  'POST /tag': { resource: 'shortLinks', action: 'create', body: { name: 'Isolation' } },
  'GET /tag/list': { resource: 'shortLinks', action: 'read' },
  'GET /tag/{id}': { resource: 'shortLinks', action: 'read', id: 'tag' },
  'PATCH /tag/{id}': { resource: 'shortLinks', action: 'update', id: 'tag', body: { color: '#112233' } },
  'DELETE /tag/{id}': { resource: 'shortLinks', action: 'delete', id: 'tag' },
  'GET /activity': { resource: 'shortLinks', action: 'read' },
  'GET /organization/oidc': { resource: 'apiKeys', action: 'read' },
  // For sessions alone: test/api/organization/ownership.test.ts.
  'POST /organization/transfer': { resource: 'apiKeys', action: 'update' },
  'DELETE /organization': { resource: 'apiKeys', action: 'delete' },
  'PUT /organization/oidc': { resource: 'apiKeys', action: 'update' },
  'DELETE /organization/oidc': { resource: 'apiKeys', action: 'update' },
  'GET /organization/audit': { resource: 'apiKeys', action: 'read' },
  'GET /organization/audit/export': { resource: 'apiKeys', action: 'read' },
  // test/api/request-log/request-log.test.ts has foreign and unknown ids.
  'GET /request-log': { resource: 'apiKeys', action: 'read' },
  'GET /request-log/{id}': { resource: 'apiKeys', action: 'read', without: ['foreign', 'unknown'] },
  'GET /process': { resource: 'shortLinks', action: 'read', query: `?subject=${uuidv7()}` },
  'GET /process/list': { resource: 'shortLinks', action: 'read' },
  'GET /link-preview': {
    resource: 'shortLinks',
    action: ['create', 'update'],
    query: '?url=http://127.0.0.1:1/',
  },
  'GET /link-preview/icon': { resource: 'shortLinks', action: 'read', query: '?url=http://127.0.0.1:1/' },
  'POST /utm-template': { resource: 'shortLinks', action: 'create', body: { name: 'Isolation' } },
  'GET /utm-template/list': { resource: 'shortLinks', action: 'read' },
  'GET /utm-template/{id}': { resource: 'shortLinks', action: 'read', id: 'template' },
  'PATCH /utm-template/{id}': { resource: 'shortLinks', action: 'update', id: 'template', body: { utmTerm: 'x' } },
  'DELETE /utm-template/{id}': { resource: 'shortLinks', action: 'delete', id: 'template' },
  'POST /domain': { resource: 'domains', action: 'create', body: { domain: 'isolation.example' } },
  'GET /domain/list': { resource: 'domains', action: 'read' },
  'GET /domain/all': { resource: 'domains', action: 'read' },
  'GET /domain/{id}': { resource: 'domains', action: 'read', id: 'domain' },
  'PATCH /domain/{id}': { resource: 'domains', action: 'update', id: 'domain', body: { isActive: true } },
  'DELETE /domain/{id}': { resource: 'domains', action: 'delete', id: 'domain' },
  'GET /domain/{id}/dns': { resource: 'domains', action: 'read', id: 'domain' },
  'POST /domain/{id}/dns-check': { resource: 'domains', action: 'update', id: 'domain' },
  'GET /domain/{id}/qr-code-data': { resource: 'domains', action: 'read', id: 'domain' },
  'POST /files/meta-tag-image': { resource: 'files', action: 'create' },
  'POST /files/qr-code-image': { resource: 'files', action: 'create' },
  'GET /files/public/{urlKey}': 'no key needed',
  'GET /files/list': { resource: 'files', action: 'read' },
  'GET /files/{id}': { resource: 'files', action: 'read', id: 'file' },
  'DELETE /files/{id}': { resource: 'files', action: 'delete', id: 'file' },
  'GET /stats/overview': { resource: 'stats', action: 'read', query: '?groupBy=country' },
  'GET /stats/clicks-over-time': { resource: 'stats', action: 'read' },
  'GET /stats/report': { resource: 'stats', action: 'read', query: '?groupBys=country' },
  'GET /stats/clicks': { resource: 'stats', action: 'read' },
  'GET /stats/export': { resource: 'stats', action: 'read' },
  'POST /webhook': { resource: 'webhooks', action: 'create', body: webhook },
  'GET /webhook/list': { resource: 'webhooks', action: 'read' },
  'GET /webhook/{id}': { resource: 'webhooks', action: 'read', id: 'webhook' },
  'PATCH /webhook/{id}': { resource: 'webhooks', action: 'update', id: 'webhook', body: { name: 'x' } },
  'DELETE /webhook/{id}': { resource: 'webhooks', action: 'delete', id: 'webhook' },
  'GET /webhook/{id}/outlook': { resource: 'webhooks', action: 'read', id: 'webhook' },
  'POST /webhook/{id}/rotate-secret': { resource: 'webhooks', action: 'update', id: 'webhook' },
  'POST /webhook/{id}/test': { resource: 'webhooks', action: 'update', id: 'webhook' },
  'POST /webhook/{id}/recover': {
    resource: 'webhooks',
    action: 'update',
    id: 'webhook',
    body: { since: new Date().toISOString() },
  },
  'GET /webhook/{id}/deliveries': { resource: 'webhooks', action: 'read', id: 'webhook' },
  // Other webhooks' deliveries: test/api/webhook/deliveries.test.ts.
  'GET /webhook/{id}/deliveries/{deliveryId}': { resource: 'webhooks', action: 'read', id: 'webhook' },
  'POST /webhook/{id}/deliveries/{deliveryId}/redeliver': { resource: 'webhooks', action: 'update', id: 'webhook' },
  'GET /events': { resource: 'webhooks', action: 'read' },
  'GET /organization': 'any key',
  'PATCH /organization': { resource: 'apiKeys', action: 'update', body: {} },
  'GET /organization/members': { resource: 'apiKeys', action: 'read' },
  // Members are users, who may work in several organizations: test/api/organization/members.test.ts.
  'PATCH /organization/members/{id}': {
    resource: 'apiKeys',
    action: 'update',
    body: { role: 'member' },
    without: ['foreign', 'unknown'],
  },
  'DELETE /organization/members/{id}': {
    resource: 'apiKeys',
    action: 'delete',
    without: ['foreign', 'unknown'],
  },
  'POST /organization/invitations': {
    resource: 'apiKeys',
    action: 'create',
    body: { email: 'isolated@example.com', role: 'member' },
  },
  'GET /organization/invitations': { resource: 'apiKeys', action: 'read' },
  // Keys with permissions for API keys are not made here: test/api/invitation has foreign ids.
  'POST /organization/invitations/{id}/resend': {
    resource: 'apiKeys',
    action: 'update',
    without: ['foreign', 'unknown'],
  },
  'DELETE /organization/invitations/{id}': {
    resource: 'apiKeys',
    action: 'delete',
    without: ['foreign', 'unknown'],
  },
  'POST /api-key': {
    resource: 'apiKeys',
    action: 'create',
    body: { type: 'bot', name: 'x', permissions: { stats: ['read'] } },
  },
  'GET /api-key/list': { resource: 'apiKeys', action: 'read' },
  // Keys of keys are tried by sessions too: test/api/api-key/api-keys.test.ts has their foreign and unknown ids.
  'GET /api-key/{id}': { resource: 'apiKeys', action: 'read', without: ['foreign', 'unknown'] },
  'PATCH /api-key/{id}': {
    resource: 'apiKeys',
    action: 'update',
    body: { name: 'x' },
    without: ['foreign', 'unknown'],
  },
  'POST /api-key/{id}/rotate': { resource: 'apiKeys', action: 'update', without: ['foreign', 'unknown'] },
  'DELETE /api-key/{id}': { resource: 'apiKeys', action: 'delete', without: ['foreign', 'unknown'] },
};

let owned: Record<Kind, string>;
let routes: string[];

const api = useTestApi();
beforeAll(async () => {
  const { db, organization } = api;
  const link = await api.call('POST', '/short-link', { destination, tags: ['isolated'] });
  owned = {
    link: link.body.id,
    tag: link.body.tags[0].id,
    template: (await api.call('POST', '/utm-template', { name: 'Owned' })).body.id,
    domain: (await createDomain(db, organization.id)).id,
    folder: await createFolder(db, organization.id),
    file: await createFile(db, organization.id, 'meta-tag'),
    import: '',
    webhook: (await api.call('POST', '/webhook', { ...webhook, url: `${webhook.url}/owned` })).body.id,
  };
  const file = writeMultipart([{ filename: 'links.csv', content: 'keyword,url\n' }]);
  owned.import = (await api.call('POST', '/short-link/import', undefined, file)).body.id;
  const body = await readDocument(api);
  routes = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
});

function call(route: string, row: Row, id: string, key: string | undefined): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ');
  const url = `${path.replace('{id}', id).replace(/\{(deliveryId|changeId)\}/, uuidv7())}${row.query ?? ''}`;
  return api.call(method as 'GET', url, row.body, { headers: { 'x-api-key': key } });
}

const rows = Object.entries(table).filter((entry): entry is [string, Row] => typeof entry[1] !== 'string');
const withId = rows.filter(([route]) => route.includes('{id}'));

describe('the table of routes', () => {
  it('the table of isolated routes has a row for every route, and no other', () => {
    expect(routes.filter((route) => table[route] === undefined)).toEqual([]);
    expect(Object.keys(table).filter((route) => !routes.includes(route))).toEqual([]);
  });
});

describe('every route', () => {
  it.each(rows)('%s answers 401 without a key', async (route, row) => {
    expect(await call(route, row, uuidv7(), undefined)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  });

  it.each(rows)('%s answers 403 without its permission, naming resource and action', async (route, row) => {
    for (const action of [row.action].flat()) {
      const others = actions.filter((other) => other !== action);
      const permissions: Permissions = { ...allPermissions, [row.resource]: others };
      const { key } = await createOrganization(api.db, { permissions });
      const answer = await call(route, row, uuidv7(), key);
      expect(answer).toMatchObject({
        status: 403,
        body: { code: 'ACTION_NOT_ALLOWED', resource: row.resource, action },
      });
    }
  });

  it.each(rows)('%s answers 403 to a key of a free organization', async (route, row) => {
    const { key } = await createOrganization(api.db, { plan: 'free' });
    expect(await call(route, row, uuidv7(), key)).toMatchObject({
      status: 403,
      body: { code: 'FEATURE_NOT_AVAILABLE' },
    });
  });
});

describe('every route with an id', () => {
  const applies = (check: 'foreign' | 'unknown') => withId.filter(([, row]) => !row.without?.includes(check));

  it.each(applies('foreign'))("%s answers 403 to another organization's id", async (route, row) => {
    const { key } = await createOrganization(api.db);
    const answer = await call(route, row, owned[row.id!], key);
    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });

  it.each(applies('unknown'))('%s answers 404 to an unknown id', async (route, row) => {
    expect(await call(route, row, uuidv7(), api.organization.key)).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  });

  it.each(applies('unknown'))('%s answers 400 to a malformed id', async (route, row) => {
    for (const id of ['x', '123', `${uuidv7()}0`, '%20']) {
      const answer = await call(route, row, id, api.organization.key);
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', issues: [{ path: 'id' }] } });
    }
  });
});
