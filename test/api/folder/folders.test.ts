// @module-tag slow

import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createDomain, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { hearChanges } from '#test/support/hear-changes.ts';
import { createManyLinks } from '#test/support/edge-factories.ts';

const api = useTestApi();

const as = (organization: TestOrganization) => ({ headers: { 'x-api-key': organization.key } });
let counter = 0;
const newName = (): string => `Folder no. ${(counter += 1)}`;

async function createFolder(organization = api.organization): Promise<{ id: string; name: string }> {
  return (await api.call('POST', '/folder', { name: newName() }, as(organization))).body;
}

async function createLink(
  folderId: string,
  more: object = {},
): Promise<{ id: string; slug: string; domainId: string }> {
  const destination = { type: 'link', value: 'https://example.com/' };
  return (await api.call('POST', '/short-link', { destination, folderId, ...more })).body;
}

describe('POST /folder', () => {
  it('answers 201 with the folder, its name trimmed', async () => {
    const { status, body } = await api.call('POST', '/folder', { name: '  Spring ', color: '#AbCdEf' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      organizationId: api.organization.id,
      name: 'Spring',
      color: '#AbCdEf',
      isDefault: false,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: body.createdAt,
    });
    expect((await api.call('GET', `/folder/${body.id}`)).body).toEqual(body);
  });

  it('gives a color where none is sent, and takes a name of 30 characters', async () => {
    const { status, body } = await api.call('POST', '/folder', { name: '🎉'.repeat(30) });
    expect(status).toBe(201);
    expect(body.color).toMatch(/^#[0-9A-Fa-f]{6}$/);
  });

  it('takes null for the default color, on creates alone', async () => {
    const usual = (await createFolder()) as { id: string; name: string; color?: string };
    const { status, body } = await api.call('POST', '/folder', { name: newName(), color: null });
    expect([status, body.color]).toEqual([201, usual.color]);
  });

  it.each([
    [{ name: '   ' }, 'name'],
    [{ name: 'x'.repeat(31) }, 'name'],
    [{ name: 'x', color: '#12345' }, 'color'],
    [{ name: 'x', color: '#1234567' }, 'color'],
  ])('answers 400 to %j', async (body, path) => {
    const answer = await api.call('POST', '/folder', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path }] });
  });

  it('answers 409 to a name in use, in any case', async () => {
    expect((await api.call('POST', '/folder', { name: 'Straße' })).status).toBe(201);
    for (const name of ['straße', 'STRASSE', ' Straße ', 'links']) {
      const { status, body } = await api.call('POST', '/folder', { name });
      expect(status).toBe(409);
      expect(body.code).toBe('ALREADY_EXIST');
    }
  });
});

async function concurrently(times: number, call: () => Promise<{ status: number }>): Promise<number[]> {
  return (await Promise.all(Array.from({ length: times }, call))).map(({ status }) => status);
}

describe('GET /folder/list', () => {
  it('answers 200: the default folder first, then the most recent, in pages', async () => {
    const organization = await createOrganization(api.db);
    const names: string[] = [];
    for (let index = 0; index < 4; index += 1) names.unshift((await createFolder(organization)).name);
    const list = async (query = '') =>
      (await api.call('GET', `/folder/list${query}`, undefined, as(organization))).body;
    const all = await list();
    expect(all.count).toBe(5);
    expect(all.data.map(({ name }: { name: string }) => name)).toEqual(['Links', ...names]);
    expect(all.data[0]).toMatchObject({ isDefault: true, id: organization.folderId });
    const second = await list('?limit=2&page=1');
    expect(second.count).toBe(5);
    expect(second.data).toEqual(all.data.slice(2, 4));
    expect(await list('?limit=0')).toEqual({ count: 5, data: [], nextCursor: null });
    expect(await list('?page=9')).toEqual({ count: 5, data: [], nextCursor: null });
  });

  it('searches names, literally and without regard to case', async () => {
    const organization = await createOrganization(api.db);
    for (const name of ['100% Sale', '100 Sales', 'STRASSE', 'a_b', 'acb']) {
      await api.call('POST', '/folder', { name }, as(organization));
    }
    const search = async (term: string): Promise<string[]> => {
      const url = `/folder/list?search=${encodeURIComponent(term)}`;
      const { body } = await api.call('GET', url, undefined, as(organization));
      expect(body.count).toBe(body.data.length);
      return body.data.map(({ name }: { name: string }) => name);
    };
    expect(await search('sale')).toEqual(['100 Sales', '100% Sale']);
    expect(await search('0%')).toEqual(['100% Sale']);
    expect(await search('straße')).toEqual(['STRASSE']);
    expect(await search('A_B')).toEqual(['a_b']);
    expect(await search('nothing')).toEqual([]);
    expect(await search('')).toHaveLength(6);
  });
});

describe('PATCH /folder/{id}', () => {
  it('answers 200; what is sent changes', async () => {
    const folder = await createFolder();
    const { status, body } = await api.call('PATCH', `/folder/${folder.id}`, { color: '#010203' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: folder.name, color: '#010203' });
    expect(body.updatedAt > body.createdAt).toBe(true);
    expect((await api.call('PATCH', `/folder/${folder.id}`, {})).body).toEqual(body);
    const upper = folder.name.toUpperCase();
    expect((await api.call('PATCH', `/folder/${folder.id}`, { name: upper })).body.name).toBe(upper);
  });

  it('colors the default folder, and answers 400 to another name for it', async () => {
    const url = `/folder/${api.organization.folderId}`;
    const { body } = await api.call('PATCH', url, { color: '#0a0b0c', name: 'Links' });
    expect(body).toMatchObject({ color: '#0a0b0c', name: 'Links', isDefault: true });
    const refused = await api.call('PATCH', url, { name: 'Other' });
    expect(refused.status).toBe(400);
    expect(refused.body.issues).toMatchObject([{ path: 'name' }]);
  });

  it('answers 409 to a name in use', async () => {
    const [one, two] = [await createFolder(), await createFolder()];
    const { status, body } = await api.call('PATCH', `/folder/${one.id}`, { name: two.name.toLowerCase() });
    expect(status).toBe(409);
    expect(body.code).toBe('ALREADY_EXIST');
  });
});

describe('DELETE /folder/{id}', () => {
  it('answers 200, moves its links to the default folder, tells the edge, and frees its name', async () => {
    const folder = await createFolder();
    const domain = await createDomain(api.db, api.organization.id);
    const links = [await createLink(folder.id), await createLink(folder.id, { domainId: domain.id })];
    await using hearing = await hearChanges(api.databaseUrl);
    const { status, body } = await api.call('DELETE', `/folder/${folder.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ rowCount: 1 });
    for (const { id } of links) {
      expect((await api.call('GET', `/short-link/${id}`)).body.folderId).toBe(api.organization.folderId);
    }
    const heard = await hearing.changes();
    expect(heard).toHaveLength(2);
    expect(heard).toEqual(expect.arrayContaining(links.map(({ domainId, slug }) => ({ domainId, slugs: [slug] }))));
    expect((await api.call('GET', `/folder/${folder.id}`)).status).toBe(404);
    expect((await api.call('DELETE', `/folder/${folder.id}`)).status).toBe(404);
    expect((await api.call('POST', '/folder', { name: folder.name })).status).toBe(201);
  });

  it('moves a part of very many links in the call, and shows all of them in the default folder', async () => {
    const organization = await createOrganization(api.db);
    const folder = await createFolder(organization);
    const domain = await createDomain(api.db, organization.id);
    const owner = { organizationId: organization.id, domainId: domain.id, folderId: folder.id };
    await createManyLinks(api.db, owner, 2_100);
    await using hearing = await hearChanges(api.databaseUrl);
    expect((await api.call('DELETE', `/folder/${folder.id}`, undefined, as(organization))).status).toBe(200);
    const changes = await hearing.changes();
    expect(new Set(changes.map(({ domainId }) => domainId))).toEqual(new Set([domain.id]));
    expect(new Set(changes.flatMap(({ slugs }) => slugs ?? [])).size).toBe(2_000);
    const list = async (folderId: string) =>
      (await api.call('GET', `/short-link/list?folderIds=${folderId}`, undefined, as(organization))).body;
    expect((await list(organization.folderId)).count).toBe(2_100);
    expect((await list(folder.id)).count).toBe(0);
  });

  it('answers 400 to the default folder', async () => {
    const { status, body } = await api.call('DELETE', `/folder/${api.organization.folderId}`);
    expect(status).toBe(400);
    expect(body.code).toBe('VALIDATION_ERROR');
  });

  it('deletes once under concurrent calls', async () => {
    const { id } = await createFolder();
    const statuses = await concurrently(8, () => api.call('DELETE', `/folder/${id}`));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 7 }, () => 404)]);
  });
});
