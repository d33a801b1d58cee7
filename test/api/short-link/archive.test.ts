import { describe, expect, it } from 'vitest';
import { readCompiledLinks } from '#db/links/visits/compiled.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';

const api = useTestApi();

const destination = { type: 'link', value: 'https://example.com/archive' };

/** An organization of its own, for lists. */
async function createCaller() {
  const { key } = await createOrganization(api.db);
  const headers = { 'x-api-key': key };
  const call = (method: 'GET' | 'PATCH' | 'POST', url: string, body?: object): Promise<Answer> =>
    api.call(method, url, body, { headers });
  return { call, key };
}

const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id);

describe('archive and restore of a link', () => {
  it('an archived link leaves lists and counts, and is found where it is asked for', async () => {
    const { call } = await createCaller();
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1)
      ids.unshift((await call('POST', '/short-link', { destination })).body.id);
    const [newest, archived, oldest] = ids as [string, string, string];
    const { status, body } = await call('POST', `/short-link/${archived}/archive`);
    expect([status, body.isArchived, body.isActive]).toEqual([200, true, true]);
    for (const query of ['', '?search=archive', '?sortBy=updatedAt&sortOrder=desc', '?isArchived=false']) {
      const listed = await call('GET', `/short-link/list${query}`);
      expect([listed.body.count, idsOf(listed).toSorted()]).toEqual([2, [oldest, newest].toSorted()]);
    }
    for (const query of ['isArchived=true', 'states=archived', 'isArchived=true&search=archive']) {
      const listed = await call('GET', `/short-link/list?${query}`);
      expect([listed.body.count, idsOf(listed), listed.body.data[0].isArchived]).toEqual([1, [archived], true]);
    }
    expect((await call('GET', '/short-link/list?states=archived,active')).body.count).toBe(3);
    expect((await call('GET', '/short-link/count')).body.count).toBe(2);
    expect((await call('GET', `/short-link/${archived}`)).body.isArchived).toBe(true);
    const restored = await call('POST', `/short-link/${archived}/restore`);
    expect([restored.status, restored.body.isArchived]).toEqual([200, false]);
    expect(idsOf(await call('GET', '/short-link/list'))).toEqual(ids);
  });

  it('an archive is a change with an event and an entry of the history, and a second one changes nothing', async () => {
    const { body: link } = await api.call('POST', '/short-link', { destination });
    const first = await api.call('POST', `/short-link/${link.id}/archive`);
    const again = await api.call('POST', `/short-link/${link.id}/archive`);
    expect(again.body).toEqual(first.body);
    const history = await api.call('GET', `/short-link/${link.id}/history`);
    expect(history.body.data.map(({ changes }: { changes: object }) => changes)).toEqual([
      [{ field: 'isArchived', before: false, after: true }],
    ]);
    const { rows } = await api.db.query(
      `select body::jsonb -> 'data' -> 'previous' as previous from events where type = 'link.updated' and link_id = $1`,
      [link.id],
    );
    expect(rows).toEqual([{ previous: { isArchived: false } }]);
    const taken = await api.call('POST', '/short-link', { destination, slug: link.slug });
    expect(taken.status).toBe(409);
  });

  it('edges take an archived link for inactive, and a restored one as it was', async () => {
    const { body: link } = await api.call('POST', '/short-link', { destination });
    const isActive = async () => {
      const found = await readCompiledLinks(api.db, link.domainId, [link.slug]);
      return [...found.values()].map((compiled) => compiled?.isActive);
    };
    await api.call('POST', `/short-link/${link.id}/archive`);
    expect(await isActive()).toEqual([false]);
    await api.call('POST', `/short-link/${link.id}/restore`);
    expect(await isActive()).toEqual([true]);
  });

  it('exports have archived links, and a bulk change archives and restores many', async () => {
    const { call, key } = await createCaller();
    const made = await call('POST', '/short-link/bulk', { links: [{ destination }, { destination }] });
    const ids = made.body.results.map(({ data }: { data: { id: string } }) => data.id);
    const archive = await call('PATCH', '/short-link/bulk', { ids, change: { isArchived: true } });
    expect(archive.body.results.map((row: Answer) => row.status)).toEqual([200, 200]);
    expect((await call('GET', '/short-link/list')).body).toMatchObject({ count: 0, data: [] });
    const csv = async (query: string): Promise<string> =>
      (await api.app.inject({ url: `/short-link/export${query}`, headers: { 'x-api-key': key } })).body;
    const lines = [await csv(''), await csv('?isArchived=true'), await csv('?isArchived=false')];
    expect(lines.map((text) => text.trimEnd().split('\r\n').length)).toEqual([3, 3, 1]);
    const { rows } = await api.db.query('select is_archived from short_links where id = any($1)', [ids]);
    expect(rows).toEqual([{ is_archived: true }, { is_archived: true }]);
  });
});
