import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createDomain, createFolder, createOrganization, type TestOrganization } from '#test/support/factories.ts';

const api = useTestApi();
const destination = { type: 'link', value: 'https://example.com/' };

async function fill(): Promise<{
  organization: TestOrganization;
  get: (path: string) => ReturnType<typeof api.call>;
  domainId: string;
  folderId: string;
}> {
  const organization = await createOrganization(api.db);
  const headers = { 'x-api-key': organization.key };
  const { id: domainId } = await createDomain(api.db, organization.id);
  const folderId = await createFolder(api.db, organization.id);
  const links = [
    { destination, tags: ['a', 'b'], domainId },
    { destination, tags: ['a'], folderId, domainId },
    { destination, isActive: false, folderId },
    { destination, isArchived: true, folderId },
  ];
  const { body } = await api.call('POST', '/short-link/bulk', { links }, { headers });
  expect(body.results.map(({ status }: { status: number }) => status)).toEqual([201, 201, 201, 201]);
  const { body: gone } = await api.call('POST', '/short-link', { destination, tags: ['a'], folderId }, { headers });
  expect((await api.call('DELETE', `/short-link/${gone.id}`, undefined, { headers })).status).toBe(200);
  return { organization, domainId, folderId, get: (path) => api.call('GET', path, undefined, { headers }) };
}

describe('GET /short-link/counts', () => {
  it('counts links by state, with the filters of the list', async () => {
    const { get, folderId } = await fill();
    const counts = async (query: string) =>
      Object.fromEntries(
        (await get(`/short-link/counts?${query}`)).body.data.map(
          ({ state, count }: { state: string; count: number }) => [state, count],
        ),
      );
    expect(await counts('by=state')).toEqual({ archived: 1, inactive: 1, expired: 0, capped: 0, active: 2 });
    expect(await counts(`folderIds=${folderId}`)).toEqual({
      archived: 1,
      inactive: 1,
      expired: 0,
      capped: 0,
      active: 1,
    });
    expect(await counts('isArchived=false&tagNames=b')).toMatchObject({ archived: 0, active: 1 });
    for (const [state, count] of Object.entries(await counts('')))
      expect((await get(`/short-link/count?states=${state}`)).body).toEqual({ count });
  });
});

describe('lists with withCounts', () => {
  it('have the number of links of each folder, tag and domain, deleted ones left out', async () => {
    const { get, folderId, domainId } = await fill();
    const { body: folders } = await get('/folder/list?withCounts=true');
    expect(
      folders.data.map(({ isDefault, links }: { isDefault: boolean; links: number }) => [isDefault, links]),
    ).toEqual([
      [true, 1],
      [false, 3],
    ]);
    const { body: tags } = await get('/tag/list?withCounts=1');
    expect(
      Object.fromEntries(tags.data.map(({ name, links }: { name: string; links: number }) => [name, links])),
    ).toEqual({
      a: 2,
      b: 1,
    });
    const { body: domains } = await get('/domain/list?withCounts=true');
    expect(domains.data).toMatchObject([{ id: domainId, links: 2 }]);
    expect((await get('/folder/list')).body.data[0]).not.toHaveProperty('links');
    expect((await get(`/folder/${folderId}`)).body).not.toHaveProperty('links');
    expect((await get('/folder/list?withCounts=true&limit=0')).body.data).toEqual([]);
  });
});
