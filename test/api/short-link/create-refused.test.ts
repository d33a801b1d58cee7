import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createDomain } from '#test/support/factories.ts';

const api = useTestApi();

const link = (value = 'https://example.com/a?b=1') => ({ type: 'link', value });
const create = (body: object) => api.call('POST', '/short-link', body);

describe('POST /short-link answers 401, 403, 404 and 409', () => {
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
});
