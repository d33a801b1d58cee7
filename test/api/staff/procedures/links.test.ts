import { beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, useOwnTestApi } from '#test/support/api.ts';
import {
  createDomain,
  createOrganization,
  findPlatformDomain,
  type TestOrganization,
} from '#test/support/factories.ts';
import { hearChanges } from '#test/support/hear-changes.ts';
import { createStaff, refusalOf, useStaff } from '#test/support/tools.ts';

let other: TestOrganization;
const api = useOwnTestApi();
const staff = useStaff(api);
beforeAll(async () => {
  other = await createOrganization(api.db);
});

const unknownId = '01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10';

async function make(key: string, value: string): Promise<{ id: string; slug: string; domainId: string }> {
  const headers = { 'x-api-key': key };
  const { body } = await api.call('POST', '/short-link', { destination: { type: 'link', value } }, { headers });
  return body as { id: string; slug: string; domainId: string };
}

describe('links.search', () => {
  it(
    'links.search finds links of all organizations and of one, the most recent first, in pages',
    { tags: 'nightly' },
    async () => {
      const ids: string[] = [];
      for (let index = 0; index < 6; index += 1) {
        const { key } = index % 2 === 0 ? api.organization : other;
        ids.unshift((await make(key, `https://pages.example/${index}`)).id);
      }
      // Imported ones are older than the day on which they came.
      await api.db.query(`update short_links set created_at = '2020-01-01' where id = $1`, [ids[0]]);
      const search = async (organizationId?: string) => {
        const found: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await staff.tools.links.search.query({
            search: 'PAGES.example',
            limit: 2,
            cursor,
            organizationId,
          });
          expect(page.items.length).toBeLessThanOrEqual(2);
          found.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        return found;
      };
      expect(await search()).toEqual(ids);
      expect(await search(other.id)).toEqual([ids[2], ids[4], ids[0]]);
      expect(await search(unknownId)).toEqual([]);
    },
  );

  it('links.search takes its term literally and names the organization of each link', async () => {
    const { id, slug } = await make(other.key, 'https://literal.example/50%25_off');
    const find = (search: string) => staff.tools.links.search.query({ search });
    expect((await find('50%25_off')).items).toMatchObject([
      {
        id,
        slug,
        organizationId: other.id,
        isActive: true,
        destination: { value: 'https://literal.example/50%25_off' },
      },
    ]);
    expect((await find('50_25')).items).toEqual([]);
    expect((await find(slug)).items.map((item) => item.id)).toEqual([id]);
    for (const cursor of ['x', id, `1.${id}'`])
      expect((await refusalOf(staff.tools.links.search.query({ cursor }))).error.code).toBe('VALIDATION_ERROR');
  });
});

describe('links.setActive', () => {
  it('links.setActive switches a link of any organization off and on, notifies the edge, and emits an event', async () => {
    const link = await make(other.key, 'https://switch.example/');
    const { id: organizationId } = other;
    await using hearing = await hearChanges(api.databaseUrl);
    const off = await staff.tools.links.setActive.mutate({ id: link.id, isActive: false });
    expect(off).toMatchObject({ id: link.id, organizationId, isActive: false });
    expect(await hearing.changes()).toEqual([{ domainId: link.domainId, slugs: [link.slug] }]);
    const headers = { 'x-api-key': other.key };
    const { body } = await api.call('GET', `/short-link/${link.id}`, undefined, { headers });
    expect(body).toMatchObject({ isActive: false, destination: { value: 'https://switch.example/' } });
    const on = await staff.tools.links.setActive.mutate({ id: link.id, isActive: true });
    expect(on.isActive).toBe(true);
    const { rows } = await api.db.query('select type, organization_id from events where link_id = $1 order by id', [
      link.id,
    ]);
    expect(rows).toEqual(
      ['link.created', 'link.updated', 'link.updated'].map((type) => ({ type, organization_id: organizationId })),
    );
  });

  it('links.setActive is refused for an unknown link', async () => {
    const { setActive } = staff.tools.links;
    expect((await refusalOf(setActive.mutate({ id: unknownId, isActive: true }))).error.code).toBe('NOT_FOUND');
    const wrong = { id: unknownId, isActive: 'yes', slug: 'x' } as never;
    const { error } = await refusalOf(setActive.mutate(wrong));
    expect(error.issues?.map(({ path }) => path)).toEqual(['isActive', 'slug']);
  });
});

describe('domains', () => {
  it('domains.list shows the platform’s domains too', async () => {
    const own = await createDomain(api.db, other.id, { domain: 'xn--bcher-kva.example', isVerified: false });
    const { items } = await staff.tools.domains.list.query({ search: 'Bücher' });
    expect(items).toMatchObject([{ id: own.id, organizationId: other.id, isVerified: false, lastCheckedAt: null }]);
    expect((await staff.tools.domains.list.query({ organizationId: other.id })).items).toHaveLength(1);
    const all = await staff.tools.domains.list.query({ limit: 1 });
    expect(all.items.map(({ id }) => id)).toEqual([own.id]);
    const next = await staff.tools.domains.list.query({ cursor: all.nextCursor! });
    expect(next.items).toMatchObject([{ organizationId: null, domain: 'localhost' }]);
  });

  it('domains.check checks at once and answers with what was found', async () => {
    const { id } = await createDomain(api.db, other.id, { isVerified: true });
    const record = { type: 'TXT', name: '_waymark', expected: 'x', ok: false } as const;
    await using checked = await createTestApi({
      besides: api,
      domainDns: {
        check: async () => ({ outcome: 'wrong', records: [{ ...record, found: [] }] }),
        listNeeds: () => ({ records: [], hasHostname: true }),
      },
    });
    const { tools } = await createStaff(checked.app, api.db, api.organization.id);
    const answer = await tools.domains.check.mutate({ id });
    expect(answer).toMatchObject({ id, isVerified: false, dns: { records: [{ type: 'TXT', ok: false }] } });
    expect(answer.lastCheckedAt).not.toBeNull();
    expect((await refusalOf(tools.domains.check.mutate({ id: unknownId }))).error.code).toBe('NOT_FOUND');
    const platform = { id: await findPlatformDomain(api.db) };
    expect((await refusalOf(tools.domains.check.mutate(platform))).error.code).toBe('FORBIDDEN');
  });
});
