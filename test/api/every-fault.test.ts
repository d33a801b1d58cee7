import { describe, expect, it } from 'vitest';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { type Part, writeMultipart } from '#test/support/upload.ts';
import { createOwnedOrganization, openTestSession, testOrigin } from '#test/support/people.ts';

const api = useTestApi();
const past = '2020-01-01T00:00:00.000Z';
const destination = { type: 'link', value: 'https://example.com/' };
const paths = ({ status, body }: Answer): unknown[] => [
  status,
  ...(body.issues ?? []).map(({ path }: { path: string }) => path).toSorted(),
];

async function ownerHeaders() {
  const { owner, id } = await createOwnedOrganization(api.db);
  return openTestSession(api.db, owner.id, id);
}

/** Calls in which one field is wrong by its type, and another by a check of several fields or of the clock. */
const calls: readonly [method: string, path: string, body: object | undefined, wrong: readonly string[]][] = [
  ['POST', '/short-link', { destination, title: 1, expiresAt: past }, ['expiresAt', 'title']],
  ['PATCH', '/short-link/{link}', { title: 1, expiresAt: past }, ['expiresAt', 'title']],
  ['PUT', '/short-link/upsert', { destination, title: 1, expiresAt: past }, ['expiresAt', 'slug', 'title']],
  ['PATCH', '/short-link/bulk', { links: 1, change: { expiresAt: past } }, ['links', 'links']],
  [
    'PATCH',
    '/short-link/bulk',
    { ids: ['x'], change: { title: 1, expiresAt: past } },
    ['change.expiresAt', 'change.title'],
  ],
  ['POST', '/short-link', { destination, rules: [{ priority: 'x', destination }] }, ['rules.0', 'rules.0.priority']],
  [
    'POST',
    '/webhook',
    { url: 'x', events: ['link.created'], headers: { Host: 'x' }, scope: {} },
    ['headers.Host', 'scope', 'url'],
  ],
  [
    'POST',
    '/webhook',
    { url: 'x', events: ['link.created'], scope: { folderIds: ['x'] } },
    ['scope.folderIds.0', 'url'],
  ],
  ['PATCH', '/webhook/{link}', { name: 1, headers: { 'Content-Type': 'x' } }, ['headers.Content-Type', 'name']],
  ['POST', '/webhook/{link}/recover', { since: past, more: 1 }, ['more', 'since']],
  ['POST', '/api-key', { type: 'bot', name: 1, permissions: {}, expiresAt: past }, ['expiresAt', 'name']],
  [
    'POST',
    '/api-key',
    { type: 'bot', name: 1, permissions: { apiKeys: ['read'] }, folderIds: ['{link}'] },
    ['name', 'permissions.apiKeys', 'permissions.apiKeys'],
  ],
  ['PATCH', '/api-key/{link}', { name: 1, expiresAt: past }, ['expiresAt', 'name']],
  [
    'GET',
    '/short-link/list?limit=x&cursor=x&page=1&createdSince=2026-02-01T00:00:00Z&createdUntil=2026-01-01T00:00:00Z',
    undefined,
    ['createdSince', 'cursor', 'limit', 'page'],
  ],
  [
    'GET',
    '/short-link/counts?tagIds=x&clickedSince=2026-02-01T00:00:00Z&clickedUntil=2026-01-01T00:00:00Z',
    undefined,
    ['clickedSince', 'tagIds.0'],
  ],
  ['GET', '/folder/list?limit=x&cursor=x&page=1', undefined, ['cursor', 'limit', 'page']],
  ['GET', '/webhook/list?limit=x&cursor=x&page=1', undefined, ['cursor', 'limit', 'page']],
  ['GET', '/short-link/import/list?limit=x&cursor=x&page=1', undefined, ['cursor', 'limit', 'page']],
  ['GET', '/events?limit=x&cursor=x&since=2026-02-01T00:00:00Z', undefined, ['cursor', 'limit', 'since']],
  ['GET', '/short-link/lookup?slug=a&more=x', undefined, ['domain', 'more']],
  ['GET', '/short-link/lookup?slug=a&url=b&externalId=', undefined, ['domain', 'externalId', 'externalId']],
  ['GET', '/stats/overview?groupBy=x&startDate=2026-02-01', undefined, ['groupBy', 'startDate']],
  [
    'GET',
    '/stats/clicks-over-time?more=x&startDate=2020-01-01T00:00:00Z&endDate=2026-02-01T00:00:00Z&interval=minute',
    undefined,
    ['more', 'startDate'],
  ],
  [
    'GET',
    '/stats/clicks?limit=x&cursor=x&startDate=2026-02-01T00:00:00Z&endDate=2026-01-01T00:00:00Z',
    undefined,
    ['cursor', 'limit', 'startDate'],
  ],
];

describe('a check of several fields or of the clock names its field beside fields of a wrong type (1.2)', () => {
  it.each(calls)('%s %s %j', async (method, path, body, wrong) => {
    const { body: made } = await api.call('POST', '/short-link', { destination });
    const fill = (text: string) => text.replaceAll('{link}', made.id);
    const sent = body && JSON.parse(fill(JSON.stringify(body)));
    // Keys are for the owner.
    const options = path.startsWith('/api-key') ? { headers: await ownerHeaders() } : {};
    expect(paths(await api.call(method as 'POST', fill(path), sent, options))).toEqual([400, ...wrong]);
  });

  it('new passwords and proofs', async () => {
    const headers = { 'x-api-key': undefined, origin: testOrigin };
    const reset = { token: 1, newPassword: 'Passw0rd!' };
    expect(paths(await api.call('POST', '/auth/password/reset', reset, { headers }))).toEqual([
      400,
      'newPassword',
      'token',
    ]);
    const step = { token: 1, code: '123456', recoveryCode: '7Q2M-X04K-9VBT-RD3H' };
    expect(paths(await api.call('POST', '/auth/login/second-factor', step, { headers }))).toEqual([400, '', 'token']);
  });
});

it('each password of a bulk call past the tenth is named beside other wrong fields', async () => {
  const links = Array.from({ length: 12 }, (_unused, index) => ({ destination, password: `secret ${index}` }));
  const wrong = [400, 'links.10.password', 'links.11.password', 'more'];
  for (const method of ['POST', 'PATCH'] as const)
    expect(paths(await api.call(method, '/short-link/bulk', { links, more: 1 }))).toEqual(wrong);
});

it('what is wrong in an uploaded file is named beside other wrong parts, and beside a wrong header', async () => {
  const key = { 'idempotency-key': 'x'.repeat(256) };
  const send = async (path: string, parts: Part[], more: Record<string, string> = {}) => {
    const { payload, headers } = writeMultipart(parts);
    return paths(await api.call('POST', path, undefined, { payload, headers: { ...headers, ...more } }));
  };
  const field = (name: string, content: string): Part => ({ name, filename: null, content });
  const csv = { filename: 'links.csv', content: 'name\na\n' };
  const others = [field('domainId', 'x'), field('format', 'x')];
  expect(await send('/short-link/import', [csv, others[0]!], key)).toEqual([
    400,
    'Idempotency-Key',
    'domainId',
    'file',
  ]);
  expect(await send('/short-link/import?more=1', [csv])).toEqual([400, 'file', 'more']);
  const unreadable = { ...csv, content: Buffer.from([0]) };
  expect(await send('/short-link/import', [unreadable, ...others])).toEqual([400, 'domainId', 'file', 'format']);
  expect(await send('/short-link/import', [csv, ...others])).toEqual([400, 'domainId', 'format']);
  const text = { content: 'text' };
  expect(await send('/files/meta-tag-image', [text, field('more', '1')])).toEqual([400, 'file', 'more']);
});

it('wrong parameters are named beside a body that cannot be read', async () => {
  const payload = '{';
  const options = { payload, headers: { 'content-type': 'application/json' } };
  const call = (path: string) => api.call('PATCH', path, undefined, options);
  expect(paths(await call('/short-link/x?more=1'))).toEqual([400, '', 'id', 'more']);
  expect((await call('/short-link/01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10')).body.message).toBe(
    'The body is not valid JSON.',
  );
});

it('a cursor of another order or list is named beside other wrong fields', async () => {
  await api.call('POST', '/short-link', { destination });
  await api.call('POST', '/short-link', { destination });
  const { body } = await api.call('GET', '/short-link/list?limit=1&sortBy=updatedAt');
  const cursor = encodeURIComponent(String(body.nextCursor));
  expect((await api.call('GET', `/short-link/list?limit=1&sortBy=updatedAt&cursor=${cursor}`)).status).toBe(200);
  for (const path of ['/short-link/list', '/folder/list'])
    expect(paths(await api.call('GET', `${path}?limit=x&cursor=${cursor}`))).toEqual([400, 'cursor', 'limit']);
});

it('an end that has passed can be sent back as it is, and is no wrong field of its own', async () => {
  const { body: made } = await api.call('POST', '/short-link', { destination });
  await api.db.query('update short_links set expires_at = $2 where id = $1', [made.id, past]);
  const { status } = await api.call('PATCH', `/short-link/${made.id}`, { expiresAt: past, title: 'Kept' });
  expect(status).toBe(200);
});

it('an identity provider is asked for an owner alone, and what else is wrong is named beside what it answers', async () => {
  const headers = await ownerHeaders();
  const body = { issuer: 'https://127.0.0.1:1', clientId: 'waymark', emailDomain: 'example.com' };
  const refused = await api.call('PUT', '/organization/oidc', body, { headers });
  expect(paths(refused)).toEqual([400, 'clientSecret', 'emailDomain', 'issuer']);
});
