import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';

const api = useTestApi();

const destination = { type: 'link', value: 'https://example.com/tags' };

async function createTag(name: string, headers = {}): Promise<string> {
  const answer = await api.call('POST', '/tag', { name }, { headers });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

async function create(body: object): Promise<Answer['body']> {
  const answer = await api.call('POST', '/short-link', { destination, ...body });
  expect(answer.status).toBe(201);
  return answer.body;
}

const patch = (id: string, body: object) => api.call('PATCH', `/short-link/${id}`, body);
const namesOf = ({ tags }: Answer['body']): string[] => tags.map(({ name }: { name: string }) => name);
const named = async (id: string): Promise<string[]> => namesOf((await api.call('GET', `/short-link/${id}`)).body);

describe('tags by id', () => {
  it('a create takes tags by id beside tags by name, each once', async () => {
    const [one, two] = [await createTag('Id one'), await createTag('Id two')];
    expect(namesOf(await create({ tags: ['new', 'ID ONE'], tagIds: [two, one] }))).toEqual(['new', 'Id one', 'Id two']);
    const rows = {
      links: [
        { destination, tagIds: [one] },
        { destination, tagIds: [uuidv7()] },
      ],
    };
    const { results } = (await api.call('POST', '/short-link/bulk', rows)).body;
    expect(namesOf(results[0].data)).toEqual(['Id one']);
    expect(results[1]).toMatchObject({ status: 404 });
  });

  it('an upsert replaces the tags by those of tagIds', async () => {
    const kept = await createTag('Upserted');
    const name = { destination, externalId: 'tagged' };
    await api.call('PUT', '/short-link/upsert', { ...name, tags: ['first'] });
    const { body } = await api.call('PUT', '/short-link/upsert', { ...name, tagIds: [kept] });
    expect(namesOf(body)).toEqual(['Upserted']);
  });

  it("an unknown or deleted tag is 404 and another organization's 403, and nothing changes", async () => {
    const other = await createOrganization(api.db);
    const foreign = await createTag('Foreign', { 'x-api-key': other.key });
    const deleted = await createTag('Deleted');
    await api.call('DELETE', `/tag/${deleted}`);
    const { id } = await create({ tags: ['stays'] });
    const expected = { 404: [uuidv7(), deleted], 403: [foreign] };
    for (const [status, ids] of Object.entries(expected)) {
      for (const tagId of ids) {
        const ownIds = [tagId];
        expect((await api.call('POST', '/short-link', { destination, tagIds: ownIds })).status).toBe(Number(status));
        expect((await patch(id, { title: 'x', addTagIds: ownIds })).status).toBe(Number(status));
        expect((await patch(id, { title: 'x', removeTagIds: ownIds })).status).toBe(Number(status));
      }
    }
    expect((await api.call('GET', `/short-link/${id}`)).body).toMatchObject({ title: null, tags: [{ name: 'stays' }] });
  });
});

describe('tag objects as answers hold them', () => {
  const rename = (id: string, name: string, headers = {}) => api.call('PATCH', `/tag/${id}`, { name }, { headers });
  const listed = async (search: string): Promise<number> =>
    (await api.call('GET', `/tag/list?search=${encodeURIComponent(search)}`)).body.count;

  it('an object means the tag of its id, also when the tag was renamed since', async () => {
    const tagId = await createTag('Former');
    const { id, tags } = await create({ tagIds: [tagId] });
    await rename(tagId, 'Present');
    expect(namesOf((await patch(id, { tags })).body)).toEqual(['Present']);
    expect(namesOf((await patch(id, { removeTags: tags })).body)).toEqual([]);
    expect(namesOf((await patch(id, { addTags: tags })).body)).toEqual(['Present']);
    expect(namesOf(await create({ tags }))).toEqual(['Present']);
    const named = { destination, externalId: uuidv7(), tags };
    expect(namesOf((await api.call('PUT', '/short-link/upsert', named)).body)).toEqual(['Present']);
    const rows = { links: [{ destination, tags }] };
    expect(namesOf((await api.call('POST', '/short-link/bulk', rows)).body.results[0].data)).toEqual(['Present']);
    expect(await listed('Former')).toBe(0);
  });

  it("an object with another organization's id, or with none that is a tag, means its name", async () => {
    const other = await createOrganization(api.db);
    const foreign = await createTag('Theirs', { 'x-api-key': other.key });
    await rename(foreign, 'Theirs now', { 'x-api-key': other.key });
    const tags = [
      { id: foreign, name: 'Theirs' },
      { id: uuidv7(), name: 'Exported' },
      { id: 5, name: 'Numbered' },
    ];
    expect(namesOf(await create({ tags }))).toEqual(['Theirs', 'Exported', 'Numbered']);
  });
});

describe('tags that a PATCH adds and removes', () => {
  it('tags are added and removed by name and by id, and the others stay', async () => {
    const [added, removed] = [await createTag('Added'), await createTag('Removed')];
    const { id } = await create({ tags: ['Keep', 'Removed', 'old'] });
    const { status, body } = await patch(id, {
      addTags: ['Fresh', 'keep'],
      addTagIds: [added],
      removeTags: ['OLD', 'never there'],
      removeTagIds: [removed],
    });
    expect(status).toBe(200);
    expect(namesOf(body)).toEqual(['Keep', 'Fresh', 'Added']);
    expect((await api.call('GET', `/short-link/${id}/history`)).body.data[0].changes).toEqual([
      { field: 'tags', before: ['Keep', 'Removed', 'old'], after: ['Keep', 'Fresh', 'Added'] },
    ]);
  });

  it('adding a tag that is there, and removing one that is not, changes nothing', async () => {
    const { id, updatedAt } = await create({ tags: ['same'] });
    const { body } = await patch(id, { addTags: ['SAME'], removeTags: ['other'] });
    expect(body).toMatchObject({ updatedAt, tags: [{ name: 'same' }] });
  });

  it('a link has at most 100 tags', async () => {
    const headers = { 'x-api-key': (await createOrganization(api.db)).key };
    const tags = Array.from({ length: 100 }, (_, index) => `many ${index}`);
    const { body: made } = await api.call('POST', '/short-link', { destination, tags }, { headers });
    const add = (addTags: string[]) => api.call('PATCH', `/short-link/${made.id}`, { addTags }, { headers });
    const { status, body } = await add(['one more']);
    expect(status).toBe(400);
    expect(body.issues).toEqual([{ path: 'addTags', message: 'must leave the link at most 100 tags' }]);
    expect((await add(['many 0'])).status).toBe(200);
  });

  it('rows of a bulk PATCH for one link follow each other', async () => {
    const { id } = await create({ tags: ['a'] });
    const links = [
      { id, addTags: ['b'] },
      { id, addTags: ['c'], removeTags: ['a'] },
    ];
    expect((await api.call('PATCH', '/short-link/bulk', { links })).status).toBe(200);
    expect(await named(id)).toEqual(['b', 'c']);
  });
});

describe('a tag that is renamed while links get its new name', () => {
  it('is on each link once', async () => {
    const old = await create({ tags: ['name 0'] });
    const tagId = old.tags[0].id;
    for (let round = 1; round <= 12; round += 1) {
      const [before, after] = [`name ${round - 1}`, `name ${round}`];
      const answers = await Promise.all([
        api.call('PATCH', `/tag/${tagId}`, { name: after }),
        patch(old.id, { addTags: [after] }),
        api.call('POST', '/short-link', { destination, tags: [before, after] }),
        api.call('PATCH', '/short-link/bulk', { ids: [old.id], change: { addTags: [after] } }),
      ]);
      // 409: a link has made a tag of the new name first.
      expect([200, 409]).toContain(answers[0].status);
      expect(answers.slice(1).map(({ status }) => status)).toEqual([200, 201, 200]);
      if (answers[0].status === 409) await api.call('PATCH', `/tag/${tagId}`, { name: `${after} anew` });
    }
  });
});

describe('one change of many links', () => {
  it('each link of ids gets the change, and one that fails stops no other', async () => {
    const other = await createOrganization(api.db);
    const foreign = await api.call('POST', '/short-link', { destination }, { headers: { 'x-api-key': other.key } });
    const [one, two] = [await create({ tags: ['a'] }), await create({})];
    const ids = [one.id, uuidv7(), foreign.body.id, 'no id', two.id];
    const change = { addTags: ['all'], isActive: false, password: 'correct horse' };
    const { status, body } = await api.call('PATCH', '/short-link/bulk', { ids, change });
    expect(status).toBe(200);
    expect(body.results.map((row: { status: number }) => row.status)).toEqual([200, 404, 403, 400, 200]);
    expect(namesOf(body.results[0].data)).toEqual(['a', 'all']);
    expect(body.results[4].data).toMatchObject({ isActive: false, hasPassword: true, tags: [{ name: 'all' }] });
    const { rows } = await api.db.query(
      `select link_id as id from events where type = 'link.updated' and link_id = any($1) order by link_id`,
      [[one.id, two.id]],
    );
    expect(rows.map(({ id }) => id)).toEqual([one.id, two.id].toSorted());
  });

  it('a wrong change is refused as a whole, and so are ids without change and beside links', async () => {
    const { id } = await create({});
    const call = (body: object) => api.call('PATCH', '/short-link/bulk', body);
    const wrong = await call({ ids: [id], change: { isActive: 'no', surplus: 1 } });
    expect(wrong.status).toBe(400);
    expect(wrong.body.issues.map((issue: { path: string }) => issue.path)).toEqual([
      'change.isActive',
      'change.surplus',
    ]);
    const change = { title: 'x' };
    const many = Array.from({ length: 101 }, () => id);
    const bodies = [
      {},
      { ids: [id] },
      { change },
      { ids: [id], change, links: [{ id }] },
      { links: [{ id }], change },
      { ids: many, change },
    ];
    const answers = await Promise.all(bodies.map(call));
    expect(answers.map((answer) => answer.status)).toEqual(bodies.map(() => 400));
    expect((await api.call('GET', `/short-link/${id}`)).body.title).toBeNull();
  });
});
