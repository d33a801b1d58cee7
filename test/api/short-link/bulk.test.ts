import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createSignedIn } from '#test/support/people.ts';

const api = useTestApi();

const link = (value = 'https://example.com/a') => ({ type: 'link', value });
async function bulk(method: 'POST' | 'PATCH' | 'DELETE', body: object, headers = {}): Promise<number[]> {
  const answer = await api.call(method, '/short-link/bulk', body, { headers });
  return answer.body.results.map((row: { status: number }) => row.status);
}
async function create(slug: string): Promise<string> {
  return (await api.call('POST', '/short-link', { destination: link(), slug })).body.id;
}

describe('rows of one bulk call that want the same', () => {
  it('of rows with one externalId the first has it, whatever its slug', async () => {
    const rows = Array.from({ length: 8 }, () => ({ destination: link(), externalId: 'one' }));
    expect(await bulk('POST', { links: rows })).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
    const slugs = ['z-first', 'a-second'].map((slug) => ({ destination: link(), slug, externalId: 'two' }));
    expect(await bulk('POST', { links: slugs })).toEqual([201, 409]);
  });

  it('of rows with one slug the first has it, also of a hundred', async () => {
    const rows = Array.from({ length: 100 }, (_, index) => ({ destination: link(), slug: `many-${(index * 7) % 10}` }));
    expect(await bulk('POST', { links: rows })).toEqual(rows.map((_, index) => (index < 10 ? 201 : 409)));
  });

  it('one that fails keeps the name from none after it', async () => {
    await create('taken');
    const rows = [
      { destination: link(), slug: 'taken', externalId: 'free' },
      { destination: link(), slug: 'next', externalId: 'free' },
      { destination: link(), slug: 'next' },
    ];
    expect(await bulk('POST', { links: rows })).toEqual([409, 201, 409]);
  });

  it('a slug that an earlier row has given up', async () => {
    const [one, two] = [await create('left'), await create('moving')];
    const rows = [
      { id: one, slug: 'elsewhere' },
      { id: two, slug: 'left' },
    ];
    expect(await bulk('PATCH', { links: rows })).toEqual([200, 200]);
  });
});

describe('a bulk call of a free organization', () => {
  it('a bulk call of a free organization fills its places: rows that fail take none', async () => {
    const free = await createOrganization(api.db, { plan: 'free' });
    const { headers } = await createSignedIn(api.db, free.id, 'owner');
    const first = Array.from({ length: 8 }, (_, index) => ({ destination: link(), slug: `free-${index}` }));
    const asFree = { ...headers, 'x-api-key': undefined };
    expect(await bulk('POST', { links: first }, asFree)).toEqual(first.map(() => 201));
    const rows = [
      { destination: link(), slug: 'free-1' },
      { destination: link(), folderId: uuidv7() },
      { destination: link('nonsense') },
      { destination: link(), slug: 'free-8' },
      { destination: link(), slug: 'free-8' },
      { destination: link() },
      { destination: link() },
    ];
    expect(await bulk('POST', { links: rows }, asFree)).toEqual([409, 404, 400, 201, 409, 201, 403]);
    expect(await bulk('POST', { links: rows.slice(0, 4) }, asFree)).toEqual([403, 403, 400, 403]);
  });
});

describe('rows of one bulk call that want new tags', () => {
  async function tagsOf(headers: object): Promise<string[]> {
    const { body } = await api.call('GET', '/tag/list?limit=50', undefined, { headers: { ...headers } });
    return body.data.map(({ name }: { name: string }) => name).toSorted();
  }
  const want = (tags: string[], more = {}) => ({ destination: link(), tags, ...more });

  it('a row of a bulk call that fails leaves none of its new tags behind', async () => {
    const { key } = await createOrganization(api.db);
    const headers = { 'x-api-key': key };
    await bulk('POST', { links: [want([], { slug: 'had', externalId: 'had' })] }, headers);
    const rows = [
      want(['slug'], { slug: 'had' }),
      want(['external'], { externalId: 'had' }),
      want(['folder'], { folderId: uuidv7() }),
      want(['Kept', 'shared'], { slug: 'tagged' }),
      want(['twice', 'KEPT'], { slug: 'tagged' }),
      want(['shared']),
      want(['shared', 'late']),
    ];
    expect(await bulk('POST', { links: rows }, headers)).toEqual([409, 409, 404, 201, 409, 201, 201]);
    expect(await tagsOf(headers)).toEqual(['Kept', 'late', 'shared']);
  });

  it('a row of a bulk call that fails takes no place of the plan from later rows', async () => {
    const free = await createOrganization(api.db, { plan: 'free' });
    const { headers } = await createSignedIn(api.db, free.id, 'owner');
    const asFree = { ...headers, 'x-api-key': undefined };
    await bulk('POST', { links: [want(['one'], { slug: 'placed' })] }, asFree);
    const rows = [
      want(['two', 'three'], { slug: 'placed' }),
      want(['two', 'three', 'four']),
      want(['ONE', 'two']),
      want(['three']),
      want(['four']),
      want(['two', 'three']),
    ];
    expect(await bulk('POST', { links: rows }, asFree)).toEqual([409, 403, 201, 201, 403, 201]);
    expect(await tagsOf(asFree)).toEqual(['one', 'three', 'two']);
  });

  it('rows of one bulk call share a tag that the first of them makes', async () => {
    const { key } = await createOrganization(api.db);
    const headers = { 'x-api-key': key };
    const rows = Array.from({ length: 100 }, (_, index) => want([`all`, `tag ${index % 8}`]));
    expect(await bulk('POST', { links: rows }, headers)).toEqual(rows.map(() => 201));
    expect(await tagsOf(headers)).toHaveLength(9);
  });
});

describe('DELETE /short-link/bulk', () => {
  it('judges by itself each row that is no id', async () => {
    const id = await create('deletable');
    expect(await bulk('DELETE', { ids: [5, null, {}, 'x', id] })).toEqual([400, 400, 400, 400, 200]);
  });

  it('answers to an id that is named twice as to one that is gone, or still is not its own', async () => {
    const id = await create('twice');
    const { key } = await createOrganization(api.db);
    expect(await bulk('DELETE', { ids: [id, id] }, { 'x-api-key': key })).toEqual([403, 403]);
    expect(await bulk('DELETE', { ids: [id, id] })).toEqual([200, 404]);
  });
});
