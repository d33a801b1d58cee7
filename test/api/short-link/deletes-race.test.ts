// @module-tag slow
import { describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createDomain, createFolder, createOrganization } from '#test/support/factories.ts';

const api = useOwnTestApi();

const rounds = 6;

describe.each(['domain', 'folder'] as const)('a %s that is deleted while links are put into it', (kind) => {
  it(
    'a domain or folder keeps no link that is put into it while it is deleted, and every call is answered 200, 201 or 404',
    { tags: 'nightly' },
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const organization = await createOrganization(api.db);
        const { id: domainId } = await createDomain(api.db, organization.id);
        const folderId = await createFolder(api.db, organization.id);
        const call = (method: 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) =>
          api.call(method, url, body, { headers: { 'x-api-key': organization.key } });
        const link = { destination: { type: 'link', value: 'https://example.com/' }, domainId, folderId };
        const create = () => call('POST', '/short-link', { ...link, tags: ['created'] });
        const there = await Promise.all(Array.from({ length: 10 }, create));
        const answers = await Promise.all([
          ...there.map(({ body }) => call('PATCH', `/short-link/${body.id}`, { folderId, tags: ['changed'] })),
          call('DELETE', kind === 'domain' ? `/domain/${domainId}` : `/folder/${folderId}`),
          ...there.map(({ body }) => call('PATCH', `/short-link/${body.id}`, { domainId, folderId, title: 'x' })),
          ...Array.from({ length: 10 }, create),
        ]);
        expect(answers.map(({ status }) => status).filter((status) => ![200, 201, 404].includes(status))).toEqual([]);
        const { rows } = await api.db.query(
          `select 1 from short_links l join domains d on d.id = l.domain_id join folders f on f.id = l.folder_id
         where l.organization_id = $1 and l.deleted_at is null and (d.deleted_at is not null or f.deleted_at is not null)`,
          [organization.id],
        );
        expect(rows).toHaveLength(0);
      }
    },
  );
});
