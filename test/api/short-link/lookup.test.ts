import { describe, expect, it } from 'vitest';
import { testSite, useTestApi } from '#test/support/api.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';

const api = useTestApi();

async function setUp() {
  const organization = await createOrganization(api.db);
  const headers = { 'x-api-key': organization.key };
  return {
    organization,
    make: async (body: object = {}) => {
      const destination = { type: 'link', value: 'https://example.com/landing' };
      const { body: made } = await api.call('POST', '/short-link', { destination, ...body }, { headers });
      return made as { id: string; slug: string; originUrl: string; domain: { domain: string } };
    },
    look: async (query: Record<string, string>) => {
      const answer = await api.call('GET', `/short-link/lookup?${new URLSearchParams(query).toString()}`, undefined, {
        headers,
      });
      return { ...answer, found: answer.status === 200 ? (answer.body.id as string) : answer.body.code };
    },
    remove: (id: string) => api.call('DELETE', `/short-link/${id}`, undefined, { headers }),
  };
}

describe('GET /short-link/lookup', () => {
  it('finds a link by domain and slug, and shows it whole', async () => {
    const { make, look, organization } = await setUp();
    const domain = await createDomain(api.db, organization.id);
    const platform = await make({ slug: 'Sommer-☀️' });
    const own = await make({ slug: 'Sommer-☀️', domainId: domain.id });
    const { status, body } = await look({ domain: testSite.shownDomain, slug: 'Sommer-☀' });
    expect([status, body.id, body.slug]).toEqual([200, platform.id, platform.slug]);
    expect(body).toEqual(
      (await api.call('GET', `/short-link/${platform.id}`, undefined, { headers: { 'x-api-key': organization.key } }))
        .body,
    );
    expect((await look({ domain: domain.domain.toUpperCase(), slug: own.slug })).found).toBe(own.id);
    expect((await look({ domain: domain.domain, slug: 'sommer-☀' })).status).toBe(404);
  });

  it('finds a link by externalId', async () => {
    const { make, look } = await setUp();
    const { id } = await make({ externalId: 'crm 4711' });
    expect((await look({ externalId: 'crm 4711' })).found).toBe(id);
    expect((await look({ externalId: 'CRM 4711' })).status).toBe(404);
  });

  it('finds a link by its short URL, else the most recent one that leads to the URL', async () => {
    const { make, look, remove } = await setUp();
    const one = await make();
    const two = await make();
    const value = `${one.originUrl}x`;
    const third = await make({ destination: { type: 'link', value } });
    expect((await look({ url: 'https://example.com/landing' })).found).toBe(two.id);
    expect((await look({ url: one.originUrl })).found).toBe(one.id);
    expect((await look({ url: value })).found).toBe(third.id);
    expect((await look({ url: 'https://example.com/Landing' })).status).toBe(404);
    await remove(two.id);
    expect((await look({ url: 'https://example.com/landing' })).found).toBe(one.id);
  });

  it('answers 404 for links of other organizations and for deleted links', async () => {
    const { make, look, remove } = await setUp();
    const { look: lookAsOther } = await setUp();
    const { id, slug, originUrl, domain } = await make({ externalId: 'theirs' });
    const ways: Record<string, string>[] = [
      { domain: domain.domain, slug },
      { externalId: 'theirs' },
      { url: originUrl },
      { url: 'https://example.com/landing' },
    ];
    for (const way of ways) expect((await lookAsOther(way)).found).toBe('NOT_FOUND');
    await remove(id);
    for (const way of ways) expect((await look(way)).found).toBe('NOT_FOUND');
  });

  it.each([
    [{}, ''],
    [{ domain: 'example.com' }, 'slug'],
    [{ slug: 'x' }, 'domain'],
    [{ domain: 'example.com', slug: 'x', externalId: 'y' }, 'externalId'],
    [{ externalId: 'y', url: 'https://example.com/' }, 'url'],
    [{ url: 'x'.repeat(8_193) }, 'url'],
  ])('answers 400 to %j', async (query, path) => {
    const { look } = await setUp();
    const { status, body } = await look(query);
    expect([status, body.code, body.issues[0].path]).toEqual([400, 'VALIDATION_ERROR', path]);
  });
});
