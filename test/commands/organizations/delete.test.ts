import { describe, expect, test } from 'vitest';
import { createLinks, linkTransaction } from '#commands/links/create/create.ts';
import { deleteOrganization } from '#commands/organizations/organizations.ts';
import { createLinkSchema } from '#core/links/draft.ts';
import { createSite } from '#core/links/site.ts';
import type { Actor } from '#core/audit/actor.ts';
import { readCompiledDomains, readCompiledLinks } from '#db/links/visits/compiled.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { createDomain, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { hearChanges } from '#test/support/hear-changes.ts';

const api = useOwnTestApi();

const remove = (id: string) => emOf(api.db).transactional((em) => deleteOrganization(em, id, new Date()));
const statusOf = async (organization: TestOrganization) =>
  (await api.call('GET', '/short-link/list', undefined, { headers: { 'x-api-key': organization.key } })).status;

describe('deleteOrganization', () => {
  test('refuses its keys at once, frees its names, and notifies the edges of every domain that its links are on', async () => {
    const [gone, kept] = [await createOrganization(api.db), await createOrganization(api.db)];
    const domain = await createDomain(api.db, gone.id);
    const platform = await createDomain(api.db, null);
    const link = { organizationId: gone.id, folderId: gone.folderId };
    const own = await createLink(api.db, { ...link, domainId: domain.id });
    const shared = await createLink(api.db, { ...link, domainId: platform.id });
    expect(await statusOf(gone)).toBe(200);
    await using hearing = await hearChanges(api.databaseUrl);
    await remove(gone.id);
    const told = (await hearing.changes()).map(({ domainId }) => domainId);
    expect(told).toContain(domain.id);
    expect(told).toContain(platform.id);
    expect(await statusOf(gone)).toBe(401);
    expect(await statusOf(kept)).toBe(200);
    expect((await readCompiledDomains(api.db, [domain.domain])).size).toBe(0);
    expect((await readCompiledLinks(api.db, domain.id, [own.slug])).size).toBe(0);
    expect((await readCompiledLinks(api.db, platform.id, [shared.slug])).size).toBe(0);
    const headers = { 'x-api-key': kept.key };
    expect((await api.call('POST', '/domain', { domain: domain.domain }, { headers })).status).toBe(201);
    const { rows } = await api.db.query('select kind, links from purges where id = $1', [gone.id]);
    expect(rows).toEqual([{ kind: 'organization', links: 2 }]);
  });

  test('waits for a link that is being made, and removes it with the others', async () => {
    const { id, folderId } = await createOrganization(api.db);
    const domain = await createDomain(api.db, null);
    const em = emOf(api.db);
    const actor = { organizationId: id, userId: null, plan: 'premium', permissions: {} } as unknown as Actor;
    const site = createSite({ scheme: 'https', platformDomain: domain.domain });
    const draft = createLinkSchema.parse({
      destination: { type: 'link', value: 'https://example.com/late' },
      folderId,
    });
    let removing: Promise<void> | undefined;
    const made = await em.transactional(async (em) => {
      const [made] = await createLinks(em, [{ actor, draft }], { site, now: new Date() });
      removing = remove(id);
      await eventually(async () => {
        const { rows } = await api.db.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });
      return made;
    }, linkTransaction);
    await removing;
    expect(made).toHaveProperty('id');
    const { rows } = await api.db.query('select links from purges where id = $1', [id]);
    expect(rows).toEqual([{ links: 1 }]);
    const left = await api.db.query('select 1 from short_links where organization_id = $1 and deleted_at is null', [
      id,
    ]);
    expect(left.rows).toEqual([]);
  });
});
