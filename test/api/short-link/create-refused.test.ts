import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';

const api = useTestApi();

const link = (value = 'https://example.com/a?b=1') => ({ type: 'link', value });
const create = (body: object) => api.call('POST', '/short-link', body);

describe('POST /short-link answers 401, 403, 404 and 409', () => {
  it('401 to a revoked key', async () => {
    const organization = await createOrganization(api.db);
    await api.db.query('update api_keys set deleted_at = now() where organization_id = $1', [organization.id]);
    const revoked = await api.call('POST', '/short-link', {}, { headers: { 'x-api-key': organization.key } });
    expect(revoked.status).toBe(401);
  });

  it("403 to another organization's folder and domain, 404 to unknown ones", async () => {
    const other = await createOrganization(api.db);
    const domain = await createDomain(api.db, other.id);
    expect((await create({ destination: link(), folderId: other.folderId })).body.code).toBe('FORBIDDEN');
    expect((await create({ destination: link(), domainId: domain.id })).body.code).toBe('FORBIDDEN');
    expect((await create({ destination: link(), domain: domain.domain })).status).toBe(404);
    expect((await create({ destination: link(), domain: 'nowhere.example' })).status).toBe(404);
    expect((await create({ destination: link(), folderId: uuidv7() })).status).toBe(404);
    expect((await create({ destination: link(), domainId: uuidv7() })).status).toBe(404);
  });

  it('404 to what only holds the name of a domain', async () => {
    const { domain } = await createDomain(api.db, api.organization.id);
    const others = [
      `x@${domain}`,
      `${domain}?x`,
      `${domain}#`,
      `${domain}:80`,
      domain.replace('.', '.\t'),
      'localhost:80',
    ];
    for (const name of others)
      expect(await create({ destination: link(), domain: name })).toMatchObject({ status: 404 });
    for (const name of [` ${domain.toUpperCase()}. `, 'LOCALHOST:3001', 'localhost']) {
      expect(await create({ destination: link(), domain: name })).toMatchObject({ status: 201 });
    }
  });

  it('403 beyond the tags of the plan, also when many calls come at once', async () => {
    const organization = await createOrganization(api.db);
    const headers = { 'x-api-key': organization.key };
    const calls = Array.from({ length: 12 }, (_, call) =>
      api.call(
        'POST',
        '/short-link',
        { destination: link(), tags: Array.from({ length: 9 }, (_tag, tag) => `t${call}-${tag}`) },
        { headers },
      ),
    );
    const codes = (await Promise.all(calls)).map(({ status, body }) => (status === 201 ? 'made' : body.code));
    expect(codes.toSorted()).toEqual(['PLAN_LIMIT_REACHED', ...Array.from({ length: 11 }, () => 'made')]);
  });

  it('409 to a slug in use, NFC or not, and to an externalId in use; nothing is left behind', async () => {
    expect((await create({ destination: link(), slug: 'é', externalId: 'mine' })).status).toBe(201);
    const slug = await create({ destination: link(), slug: 'e\u0301', tags: ['left behind'] });
    expect(slug.status).toBe(409);
    expect(slug.body.code).toBe('ALREADY_EXIST');
    expect((await create({ destination: link(), externalId: 'mine' })).status).toBe(409);
    expect((await api.db.query(`select 1 from tags where name = 'left behind'`)).rowCount).toBe(0);
  });

  it('409 to a slug that differs from one in use by U+FE0F alone, in a create, a bulk call and an update (3.3)', async () => {
    const first = await create({ destination: link(), slug: 'heart-❤\uFE0F' });
    expect(first.body.slug).toBe('heart-❤\uFE0F');
    expect((await create({ destination: link(), slug: 'heart-❤' })).body.code).toBe('ALREADY_EXIST');
    const links = ['bulk-☀', 'bulk-☀\uFE0F'].map((slug) => ({ destination: link(), slug }));
    const bulk = await api.call('POST', '/short-link/bulk', { links });
    expect((bulk.body.results as { status: number }[]).map(({ status }) => status)).toEqual([201, 409]);
    const other = await create({ destination: link(), slug: 'other' });
    expect((await api.call('PATCH', `/short-link/${other.body.id}`, { slug: 'heart-❤' })).status).toBe(409);
    const same = await api.call('PUT', '/short-link/upsert', {
      destination: link(),
      slug: 'heart-❤',
      title: 'the same',
    });
    expect({ status: same.status, id: same.body.id }).toEqual({ status: 200, id: first.body.id });
    for (const slug of ['robots.txt\uFE0F', '.\uFE0F.'])
      expect((await create({ destination: link(), slug })).status).toBe(400);
  });

  it('one 201 and 409 to the rest, when many want one slug at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ destination: link(), slug: 'race' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });
});
