import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { hearChanges } from '#test/support/hear-changes.ts';

const api = useTestApi();

const as = (organization: TestOrganization) => ({ headers: { 'x-api-key': organization.key } });
let counter = 0;
const newName = (): string => `Tag no. ${(counter += 1)}`;

async function createTag(organization = api.organization): Promise<{ id: string; name: string }> {
  return (await api.call('POST', '/tag', { name: newName() }, as(organization))).body;
}

async function createLink(tags: string[], organization = api.organization) {
  const body = { destination: { type: 'link', value: 'https://example.com/' }, tags };
  return (await api.call('POST', '/short-link', body, as(organization))).body;
}

describe('POST /tag', () => {
  it('answers 201 with the tag, which links then take by its name', async () => {
    const { status, body } = await api.call('POST', '/tag', { name: ' Mailing ', color: '#abcdef' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      organizationId: api.organization.id,
      name: 'Mailing',
      color: '#abcdef',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: body.createdAt,
    });
    expect((await createLink(['MAILING'])).tags).toEqual([{ id: body.id, name: 'Mailing', color: '#abcdef' }]);
  });

  it('gives a color where none is sent', async () => {
    expect((await createTag()) as object).toMatchObject({ color: expect.stringMatching(/^#[0-9A-Fa-f]{6}$/) });
  });

  it('takes null for the color that the name gives', async () => {
    const organization = await createOrganization(api.db);
    const name = newName();
    const { body: usual } = await api.call('POST', '/tag', { name });
    const { status, body } = await api.call('POST', '/tag', { name, color: null }, as(organization));
    expect([status, body.color]).toEqual([201, usual.color]);
  });

  it.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(31) }, 'name'],
    [{ name: 'x', color: '#xyzxyz' }, 'color'],
  ])('answers 400 to %j', async (body, path) => {
    const answer = await api.call('POST', '/tag', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path }] });
  });

  it('answers 409 to a name in use, in any case, one that a link made too', async () => {
    await createLink(['Ünïque']);
    const { status, body } = await api.call('POST', '/tag', { name: 'ÜNÏQUE' });
    expect(status).toBe(409);
    expect(body.code).toBe('ALREADY_EXIST');
  });
});

describe('GET /tag/list', () => {
  it('answers 200: the most recent first, in pages, searched without regard to case', async () => {
    const organization = await createOrganization(api.db);
    for (const name of ['Alpha', 'Beta', 'ALPHABET']) await api.call('POST', '/tag', { name }, as(organization));
    const list = async (query: string) => {
      const { body } = await api.call('GET', `/tag/list${query}`, undefined, as(organization));
      return { count: body.count, names: body.data.map(({ name }: { name: string }) => name) };
    };
    expect(await list('')).toEqual({ count: 3, names: ['ALPHABET', 'Beta', 'Alpha'] });
    expect(await list('?limit=1&page=1')).toEqual({ count: 3, names: ['Beta'] });
    expect(await list('?limit=0')).toEqual({ count: 3, names: [] });
    expect(await list('?search=alpha')).toEqual({ count: 2, names: ['ALPHABET', 'Alpha'] });
  });
});

describe('GET /tag/{id}', () => {
  it('answers 200', async () => {
    const tag = await createTag();
    expect(await api.call('GET', `/tag/${tag.id}`)).toMatchObject({ status: 200, body: tag });
  });
});

describe('PATCH /tag/{id}', () => {
  it('answers 200; what is sent changes, on its links too', async () => {
    const tag = await createTag();
    const link = await createLink([tag.name]);
    const { status, body } = await api.call('PATCH', `/tag/${tag.id}`, { name: 'Renamed', color: '#010203' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: tag.id, name: 'Renamed', color: '#010203' });
    expect((await api.call('GET', `/short-link/${link.id}`)).body.tags).toEqual([
      { id: tag.id, name: 'Renamed', color: '#010203' },
    ]);
  });

  it('answers 409 to a name in use', async () => {
    const [one, two] = [await createTag(), await createTag()];
    const { status, body } = await api.call('PATCH', `/tag/${one.id}`, { name: two.name.toUpperCase() });
    expect(status).toBe(409);
    expect(body.code).toBe('ALREADY_EXIST');
  });
});

describe('DELETE /tag/{id}', () => {
  it('answers 200, takes it off its links, tells the edge, and frees its name', async () => {
    const tag = await createTag();
    const link = await createLink([tag.name, 'kept']);
    await using hearing = await hearChanges(api.databaseUrl);
    const { status, body } = await api.call('DELETE', `/tag/${tag.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ rowCount: 1 });
    expect(await hearing.changes()).toEqual([{ domainId: link.domainId, slugs: [link.slug] }]);
    expect((await api.call('GET', `/short-link/${link.id}`)).body.tags).toMatchObject([{ name: 'kept' }]);
    expect((await api.call('GET', `/tag/${tag.id}`)).status).toBe(404);
    const again = await api.call('POST', '/tag', { name: tag.name });
    expect(again.status).toBe(201);
    expect((await api.call('GET', `/short-link/${link.id}`)).body.tags).toHaveLength(1);
  });
});
