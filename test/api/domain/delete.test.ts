import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createDomain, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { hearChanges } from '#test/support/hear-changes.ts';

const api = useTestApi();

const as = (organization: TestOrganization) => ({ headers: { 'x-api-key': organization.key } });

async function createLink(domainId: string, organization: TestOrganization): Promise<{ id: string; slug: string }> {
  const body = { destination: { type: 'link', value: 'https://example.com/' }, domainId };
  return (await api.call('POST', '/short-link', body, as(organization))).body;
}

async function events(organization: TestOrganization): Promise<{ type: string; linkId: string; body: string }[]> {
  const { rows } = await api.db.query<{ type: string; linkId: string; body: string }>(
    `select type, link_id as "linkId", body from events where organization_id = $1 and type = 'link.deleted'`,
    [organization.id],
  );
  return rows;
}

describe('DELETE /domain/{id}', () => {
  it('answers 200: domain and links are gone at once, each link with its event, and the edge is told', async () => {
    const organization = await createOrganization(api.db);
    const domain = await createDomain(api.db, organization.id);
    const kept = await createDomain(api.db, organization.id);
    const links = [await createLink(domain.id, organization), await createLink(domain.id, organization)];
    const keptLink = await createLink(kept.id, organization);
    await using hearing = await hearChanges(api.databaseUrl);
    const { status, body } = await api.call('DELETE', `/domain/${domain.id}`, undefined, as(organization));
    expect(status).toBe(200);
    expect(body).toEqual({ rowCount: 1 });
    expect(await hearing.changes()).toContainEqual({ domainId: domain.id });
    const list = (await api.call('GET', '/short-link/list', undefined, as(organization))).body;
    expect(list.data.map(({ id }: { id: string }) => id)).toEqual([keptLink.id]);
    const domains = (await api.call('GET', '/domain/list', undefined, as(organization))).body;
    expect(domains.data.map(({ id }: { id: string }) => id)).toEqual([kept.id]);
    expect((await api.call('GET', `/short-link/${links[0]!.id}`, undefined, as(organization))).status).toBe(404);
    const told = await events(organization);
    expect(told.map(({ linkId }) => linkId).toSorted()).toEqual(links.map(({ id }) => id).toSorted());
    expect(JSON.parse(told[0]!.body)).toMatchObject({ type: 'link.deleted', data: { link: { id: told[0]!.linkId } } });
    // Its name is free, for others too.
    const other = await createOrganization(api.db);
    expect((await api.call('POST', '/domain', { domain: domain.domain }, as(other))).status).toBe(201);
    expect((await api.call('POST', '/domain', { domain: domain.domain }, as(organization))).status).toBe(201);
    expect((await api.call('DELETE', `/domain/${domain.id}`, undefined, as(organization))).status).toBe(404);
  });

  it('passes the primary role to the oldest verified domain, or to none', async () => {
    const organization = await createOrganization(api.db);
    const primary = await createDomain(api.db, organization.id, { isPrimary: true });
    await createDomain(api.db, organization.id, { isVerified: false });
    const oldest = await createDomain(api.db, organization.id);
    const younger = await createDomain(api.db, organization.id);
    const primaries = async (): Promise<string[]> =>
      (await api.call('GET', '/domain/list', undefined, as(organization))).body.data
        .filter(({ isPrimary }: { isPrimary: boolean }) => isPrimary)
        .map(({ id }: { id: string }) => id);
    for (const [gone, next] of [
      [primary.id, [oldest.id]],
      [younger.id, [oldest.id]],
      [oldest.id, []],
    ] as const) {
      await api.call('DELETE', `/domain/${gone}`, undefined, as(organization));
      expect(await primaries()).toEqual(next);
    }
  });

  it('deletes once under concurrent calls, and while links are made', async () => {
    const organization = await createOrganization(api.db);
    const domain = await createDomain(api.db, organization.id);
    const remove = async () => (await api.call('DELETE', `/domain/${domain.id}`, undefined, as(organization))).status;
    const making = Array.from({ length: 20 }, () => createLink(domain.id, organization));
    const statuses = await Promise.all([remove(), remove(), remove()]);
    await Promise.all(making);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
  });
});
