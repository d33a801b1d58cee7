import { expect, it } from 'vitest';
import { uuidv7 } from '#core/lib/uuid.ts';
import { useTestApi } from '#test/support/api.ts';
import { createDomain } from '#test/support/factories.ts';
import { createOwnedOrganization, openTestSession } from '#test/support/people.ts';

const api = useTestApi();

type Fields = Record<string, unknown>;

it('what any GET returns, list items too, can be sent back, and changes nothing', { tags: 'slow' }, async () => {
  const { id: organizationId, owner } = await createOwnedOrganization(api.db);
  const headers = { ...(await openTestSession(api.db, owner.id, organizationId)), 'x-api-key': undefined };
  const call = (method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: unknown) =>
    api.call(method, path, body, { headers });
  const make = async (path: string, body: object): Promise<string> => {
    const { status, body: made } = await call('POST', path, body);
    expect([path, status, made.issues]).toEqual([path, 201, undefined]);
    return made.id as string;
  };
  await createDomain(api.db, organizationId, { isVerified: true });
  await make('/short-link', {
    destination: { type: 'link', value: 'https://example.com/a' },
    slug: 'a',
    tags: ['one', 'two'],
    rules: [
      { priority: 3, countries: ['DE'], destination: { type: 'link', value: 'https://example.com/de' } },
      { priority: 1, osTypes: ['ios'], destination: { type: 'phone', value: '+4930123' } },
    ],
    qrCode: { options: { width: 300 } },
    metaTags: { title: 'Spring' },
    password: 'secret',
    expiresAt: '2090-01-01T00:00:00.000Z',
  });
  await make('/folder', { name: 'Spring' });
  await make('/utm-template', { name: 'Spring', utmSource: 'mail' });
  await make('/webhook', { url: 'https://hooks.example.com/a', events: ['link.created'] });
  await make('/api-key', { type: 'integration', name: 'CRM', permissions: { shortLinks: ['read'] } });

  const wrong: unknown[] = [];
  const sendBack = async (
    method: 'PATCH' | 'PUT',
    path: string,
    read: Fields,
    versionOf: (body: Fields) => unknown,
  ) => {
    const { status, body } = await call(method, path, read);
    if (status !== 200) wrong.push([path, status, body.issues ?? body.message]);
    else if (versionOf(body) !== versionOf(read)) wrong.push([path, 'changed']);
  };
  const byUpdate = ({ updatedAt }: Fields) => updatedAt;
  for (const [noun, query] of [
    ['short-link', 'withQrCodeTemplate=true'],
    ['short-link', 'view=full'],
    ['folder', 'withCounts=true'],
    ['tag', 'withCounts=true'],
    ['domain', 'withCounts=true&withQrCodeTemplate=true'],
    ['utm-template', ''],
    ['webhook', ''],
    ['api-key', ''],
  ] as const) {
    const { data } = (await call('GET', `/${noun}/list?${query}`)).body;
    expect(data.length).toBeGreaterThan(0);
    for (const item of data as (Fields & { id: string })[]) {
      await sendBack('PATCH', `/${noun}/${item.id}`, item, (body) => item.updatedAt && body.updatedAt);
      const { body: whole } = await call('GET', `/${noun}/${item.id}`);
      await sendBack('PATCH', `/${noun}/${item.id}`, whole, byUpdate);
      if (noun === 'short-link') await sendBack('PUT', '/short-link/upsert', whole, byUpdate);
      if (query === 'view=full') expect(item).toEqual(whole);
    }
  }
  const { body: organization } = await call('GET', '/organization');
  await sendBack('PATCH', '/organization', organization, ({ threatPolicy }) => threatPolicy);
  const [member] = (await call('GET', '/organization/members')).body.data;
  await sendBack('PATCH', `/organization/members/${member.id}`, member, ({ role }) => role);
  expect(wrong).toEqual([]);
});

it('tags: null takes every tag off a link, as rules: null takes every rule off', async () => {
  const link = { destination: { type: 'link', value: 'https://example.com/' }, tags: ['one', 'two'] };
  const { body: made } = await api.call('POST', '/short-link', link);
  const path = `/short-link/${made.id}`;
  expect((await api.call('PATCH', path, { title: 'x' })).body.tags).toHaveLength(2);
  expect((await api.call('PATCH', path, { tags: null, rules: null })).body).toMatchObject({ tags: [], rules: [] });
});

it('single links bear their folder, and their ETag changes with names of the folder and the tags', async () => {
  const { body: folder } = await api.call('POST', '/folder', { name: uuidv7().slice(-12) });
  const link = { destination: { type: 'link', value: 'https://example.com/' }, folderId: folder.id };
  const plain = await api.call('POST', '/short-link', link);
  expect(plain.body.folder).toEqual({ id: folder.id, name: folder.name, color: folder.color });
  const made = await api.call('POST', '/short-link', { ...link, tags: ['first name'] });
  const path = `/short-link/${made.body.id}`;
  const read = await api.call('GET', path);
  expect(read.headers.etag).toBe(made.headers.etag);
  await api.call('PATCH', `/tag/${made.body.tags[0].id}`, { name: 'second name' });
  const renamed = await api.call('GET', path);
  await api.call('PATCH', `/folder/${folder.id}`, { name: uuidv7().slice(-12) });
  const moved = await api.call('GET', path);
  expect(new Set([read, renamed, moved].map(({ headers }) => headers.etag)).size).toBe(3);
  for (const method of ['PATCH', 'DELETE'] as const) {
    const ifMatch = (etag: unknown) => ({ headers: { 'if-match': String(etag) } });
    const body = method === 'PATCH' ? { title: 'x' } : undefined;
    expect((await api.call(method, path, body, ifMatch(renamed.headers.etag))).status).toBe(409);
    const { headers } = await api.call('GET', path);
    expect((await api.call(method, path, body, ifMatch(headers.etag))).status).toBe(200);
  }
});
