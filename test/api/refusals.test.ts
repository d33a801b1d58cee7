import { expect, it } from 'vitest';
import { uuidv7 } from '#core/lib/uuid.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { createDomain, createFolder, createOrganization } from '#test/support/factories.ts';
import { createOwnedOrganization, openTestSession } from '#test/support/people.ts';

const api = useTestApi();
const link = (more: object = {}) => ({ destination: { type: 'link', value: 'https://example.com/' }, ...more });
const paths = ({ body }: Answer) => body.issues.map(({ path }: { path: string }) => path);

it('every failing field is listed at once, whichever check finds it, and the message counts the others', async () => {
  const { body: domain } = await api.call('POST', '/domain', { domain: 'go.example.com' });
  const past = '2020-01-01T00:00:00.000Z';
  const wrong = { domainId: domain.id, metaTags: { imageId: uuidv7() }, qrCode: { options: {}, imageId: uuidv7() } };
  const expected = ['domainId', 'qrCode.imageId', 'metaTags.imageId'];
  const refused = await api.call('POST', '/short-link', link(wrong));
  expect([refused.status, paths(refused)]).toEqual([400, expected]);
  expect(refused.body.message).toBe('domainId: is not verified yet; and 2 more');
  const { body: made } = await api.call('POST', '/short-link', link());
  const patch = { ...wrong, expiresAt: past };
  expect(paths(await api.call('PATCH', `/short-link/${made.id}`, patch))).toEqual([...expected, 'expiresAt']);
  const upsert = { ...link(patch), externalId: 'crm-1' };
  expect(paths(await api.call('PUT', '/short-link/upsert', upsert))).toEqual([...expected, 'expiresAt']);

  const keyed = { headers: { 'idempotency-key': 'a'.repeat(256) } };
  expect(paths(await api.call('POST', '/folder', { name: '' }, keyed))).toEqual(['Idempotency-Key', 'name']);
  const matched = { headers: { 'if-match': 'x' } };
  const answer = await api.call('PATCH', '/webhook/x', { isPaused: 1, name: 1 }, matched);
  expect(paths(answer).toSorted()).toEqual(['If-Match', 'id', 'isPaused', 'name']);

  const ranges = 'createdSince=2026-02-01T00:00:00Z&createdUntil=2026-01-01T00:00:00Z';
  const both = `${ranges}&${ranges.replaceAll('created', 'expires')}`;
  expect(paths(await api.call('GET', `/short-link/list?${both}`))).toEqual(['createdSince', 'expiresSince']);
  const dates = await api.call('GET', '/stats/overview?groupBy=city&startDate=2026-01-01&endDate=2026-02-01');
  expect(paths(dates)).toEqual(['endDate', 'startDate']);
  const domainPatch = { domain: 'other.example.com', txtRecord: 'x', fallbackUrl: 'https://go.example.com/' };
  expect(paths(await api.call('PATCH', `/domain/${domain.id}`, domainPatch))).toEqual([
    'domain',
    'txtRecord',
    'fallbackUrl',
  ]);
  const hook = { url: 'https://10.0.0.1/', events: ['link.created'], headers: { 'user-agent': 'x' } };
  expect(paths(await api.call('POST', '/webhook', hook))).toEqual(['url', 'headers.user-agent']);
});

it('a check that needs the database names its field beside those of the others', async () => {
  const { body: domain } = await api.call('POST', '/domain', { domain: 'late.example.com' });
  const template = { qrCode: { options: {}, imageId: uuidv7() }, txtRecord: 'x', isPrimary: false };
  const patched = await api.call('PATCH', `/domain/${domain.id}`, template);
  expect(paths(patched)).toEqual(['txtRecord', 'qrCode.imageId']);

  const many = Array.from({ length: 100 }, (_, index) => `late ${index}`);
  const { body: made } = await api.call('POST', '/short-link', link({ tags: many.slice(1) }));
  const ids = made.tags.map(({ id }: { id: string }) => id);
  const past = '2020-01-01T00:00:00.000Z';
  const wrong = { addTags: ['late 0', 'one more'], expiresAt: past, metaTags: { imageId: uuidv7() } };
  const refused = await api.call('PATCH', `/short-link/${made.id}`, wrong);
  expect(paths(refused)).toEqual(['addTags', 'metaTags.imageId', 'expiresAt']);
  const create = link({ tags: ['one more', 'and one'], tagIds: ids, qrCode: { options: {}, imageId: uuidv7() } });
  expect(paths(await api.call('POST', '/short-link', create))).toEqual(['tagIds', 'qrCode.imageId']);
});

it("NOT_FOUND and FORBIDDEN tell which field of a body names what is not there, or is not the caller's", async () => {
  const other = await createOrganization(api.db);
  const foreign = await createFolder(api.db, other.id);
  const { body: tag } = await api.call('POST', '/tag', { name: 'known' });
  const { body: made } = await api.call('POST', '/short-link', link());
  const told = ({ status, body }: Answer) => [status, ...body.issues.map(({ path }: { path: string }) => path)];
  const create = async (body: object) => told(await api.call('POST', '/short-link', link(body)));
  expect(await create({ folderId: uuidv7() })).toEqual([404, 'folderId']);
  expect(await create({ folderId: foreign })).toEqual([403, 'folderId']);
  expect(await create({ domainId: uuidv7() })).toEqual([404, 'domainId']);
  const { id: domainId, domain } = await createDomain(api.db, other.id);
  expect(await create({ domainId })).toEqual([403, 'domainId']);
  expect(await create({ domain })).toEqual([404, 'domain']);
  expect(await create({ domain: 'nowhere.example.com' })).toEqual([404, 'domain']);
  expect(await create({ tagIds: [tag.id, uuidv7()] })).toEqual([404, 'tagIds.1']);
  const patched = await api.call('PATCH', `/short-link/${made.id}`, { removeTagIds: [uuidv7()] });
  expect(told(patched)).toEqual([404, 'removeTagIds.0']);
  const scope = { folderIds: [], domainIds: [], tagIds: [tag.id, uuidv7()], linkIds: [] };
  const hook = { url: 'https://hooks.example.com/scoped', events: ['link.created'], scope };
  expect(told(await api.call('POST', '/webhook', hook))).toEqual([404, 'scope.tagIds.1']);
});

it('ALREADY_EXIST says what is taken', async () => {
  const { owner, ...organization } = await createOwnedOrganization(api.db);
  const headers = { ...(await openTestSession(api.db, owner.id, organization.id)), 'x-api-key': undefined };
  const twice = async (path: string, body: object) => {
    const first = await api.call('POST', path, body, { headers });
    const second = await api.call('POST', path, body, { headers });
    return [first.status, second.status, second.body.code, second.body.reason];
  };
  const taken = (reason: string) => [201, 409, 'ALREADY_EXIST', reason];
  expect(await twice('/short-link', link({ slug: 'refused-again' }))).toEqual(taken('slug'));
  expect(await twice('/short-link', link({ externalId: 'a' }))).toEqual(taken('externalId'));
  for (const path of ['/folder', '/tag', '/utm-template'])
    expect(await twice(path, { name: 'a', ...(path === '/utm-template' && { utmSource: 'a' }) })).toEqual(
      taken('name'),
    );
  const hook = { url: 'https://hooks.example.com/', events: ['link.created'] };
  expect(await twice('/webhook', hook)).toEqual(taken('url'));
  expect(await twice('/domain', { domain: 'twice.example.com' })).toEqual(taken('domain'));
  const key = { type: 'integration', name: 'a', permissions: { stats: ['read'] } };
  expect(await twice('/api-key', key)).toEqual(taken('name'));
  const second = await api.call('POST', '/api-key', { ...key, type: 'bot' }, { headers });
  expect(second.body).toMatchObject({ code: 'ALREADY_EXIST', reason: 'type' });
});

it('Idempotency-Key counts on PUT; a second call while the first one runs says when to try again', async () => {
  const headers = { 'idempotency-key': uuidv7() };
  const body = { ...link(), externalId: uuidv7() };
  const put = (sent: object = body) => api.call('PUT', '/short-link/upsert', sent, { headers });
  const first = await put();
  const again = await put();
  expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
  expect(again.body).toEqual(first.body);
  expect((await put({ ...body, title: 'x' })).body).toMatchObject({ code: 'ALREADY_EXIST', reason: 'idempotency-key' });
  await api.db.query('update idempotency_keys set status = null, answer = null where key = $1', [
    headers['idempotency-key'],
  ]);
  const running = await put();
  expect(running.body).toMatchObject({ code: 'ALREADY_EXIST', reason: 'still-running' });
  expect(Number(running.headers['retry-after'])).toBeGreaterThan(0);
});

it('ACTION_NOT_ALLOWED bears resource and action, for a restricted key too', async () => {
  const { id, owner } = await createOwnedOrganization(api.db);
  const headers = { ...(await openTestSession(api.db, owner.id, id)), 'x-api-key': undefined };
  const [own, other] = [await createFolder(api.db, id), await createFolder(api.db, id)];
  const permissions = { shortLinks: ['create', 'read', 'update'] };
  const record = { type: 'integration', name: 'Restricted', permissions, folderIds: [own] };
  const { body: bot } = await api.call('POST', '/api-key', record, { headers });
  const as = { headers: { 'x-api-key': bot.key } };
  const made = await api.call('POST', '/short-link', link({ folderId: own }), as);
  const notAllowed = (action: string) => ({ code: 'ACTION_NOT_ALLOWED', resource: 'shortLinks', action });
  expect((await api.call('POST', '/short-link', link({ folderId: other }), as)).body).toMatchObject(
    notAllowed('create'),
  );
  const moved = await api.call('PATCH', `/short-link/${made.body.id}`, { folderId: other }, as);
  expect(moved.body).toMatchObject(notAllowed('update'));
  expect((await api.call('DELETE', `/short-link/${made.body.id}`, undefined, as)).body).toMatchObject(
    notAllowed('delete'),
  );
});

it('a key in Authorization is told to be sent in x-api-key', async () => {
  const headers = { 'x-api-key': undefined, authorization: `Bearer ${api.organization.key}` };
  const { status, body } = await api.call('GET', '/short-link/list', undefined, { headers });
  expect([status, body.code, body.message]).toEqual([
    401,
    'UNAUTHORIZED',
    expect.stringContaining('send the key in x-api-key'),
  ]);
});
