// @module-tag slow

import type { SearchAttributePair } from '@temporalio/common';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { deleteDomain } from '#commands/domains/domains.ts';
import { deleteFolder } from '#commands/labels/folders.ts';
import { deleteLinks } from '#commands/links/delete.ts';
import { deleteOrganization } from '#commands/organizations/organizations.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { listLinks } from '#db/links/list.ts';
import { readLinks } from '#db/links/view.ts';
import { type Removed, useDeletions } from '#test/support/deletions.ts';
import { createLink, createManyLinks } from '#test/support/edge-factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { createDomain, createFolder, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';

const stack = useDeletions();

const actorOf = ({ id }: TestOrganization): Actor => ({
  organizationId: id,
  plan: 'premium',
  userId: uuidv7(),
  permissions: {},
});
const count = async (table: string, condition: string, value: unknown): Promise<number> =>
  (await stack.db.query<{ count: number }>(`select count(*) as count from ${table} where ${condition}`, [value]))
    .rows[0]!.count;
/** Waits for the sums of a deletion that has ended. */
const removedBy = (workflowId: string) => eventually(() => stack.results.get(workflowId) as Removed | undefined);
function attributesOf({ options }: WorkflowStart): Record<string, unknown> {
  const pairs = options.typedSearchAttributes as SearchAttributePair[];
  return Object.fromEntries(pairs.map(({ key, value }) => [key.name, value]));
}
/** Ids of links with a `link.deleted`, once for each event. */
const toldOf = async (organization: TestOrganization): Promise<string[]> =>
  (
    await stack.db.query<{ id: string }>(
      `select link_id as id from events where organization_id = $1 and type = 'link.deleted' order by 1`,
      [organization.id],
    )
  ).rows.map(({ id }) => id);
async function scene() {
  const organization = await createOrganization(stack.db);
  const domain = await createDomain(stack.db, organization.id);
  const link = { organizationId: organization.id, domainId: domain.id, folderId: organization.folderId };
  return { organization, domain, link, actor: actorOf(organization) };
}

describe('deleted links', () => {
  test('one workflow for the call removes deleted links with their clicks, and operators can find and follow it', async () => {
    const { organization, domain, link, actor } = await scene();
    const links = [
      await createLink(stack.db, link),
      await createLink(stack.db, link),
      await createLink(stack.db, link),
    ];
    const ids = links.map(({ id }) => id);
    const click = (linkId: string) => testClick({ ...link, linkId });
    await ingestClicks(
      stack.db,
      ids.flatMap((id) => [click(id), click(id)]),
    );
    const gone = ids.slice(0, 2);
    await stack.em.transactional((em) => deleteLinks(em, actor, gone, { now: new Date() }));
    await stack.done();
    expect(await removedBy(`delete-link/${gone[0]}`)).toEqual({ told: 0, links: 2, clicks: 4 });
    const start = stack.starts.get(`delete-link/${gone[0]}`)!;
    expect(start).toMatchObject({ type: 'deleteLink', options: { args: [{ purgeId: gone[0], links: 2 }] } });
    const { displayName, linkId, ...attributes } = attributesOf(start);
    const at = `${domain.domain}/[^ ,]+`;
    expect(displayName).toMatch(new RegExp(`^${at}, ${at}$`));
    expect(start.options.staticSummary).toBe(`Delete 2 links: ${String(displayName)}`);
    expect(attributes).toEqual({ organizationId: [organization.id], state: 'telling' });
    expect((linkId as string[]).toSorted()).toEqual(gone.toSorted());
    for (const table of ['clicks', 'link_counters', 'destinations', 'hidden_links']) {
      expect(await count(table, 'link_id = any($1::uuid[])', gone)).toBe(0);
    }
    expect(await count('short_links', 'domain_id = $1', domain.id)).toBe(1);
    expect(await count('clicks', 'organization_id = $1', organization.id)).toBe(2);
    expect(await toldOf(organization)).toEqual(gone.toSorted());
    // A late click of a removed link is dropped, as a click of a tombstone is.
    expect(await ingestClicks(stack.db, [click(gone[0]!), click(ids[2]!)])).toBe(1);
  });

  // A statement has to wait for two seconds.
  test(
    'a deletion whose statement waits for a lock tells its workflow which process holds it',
    { tags: 'nightly' },
    async () => {
      const { link, actor } = await scene();
      const { id } = await createLink(stack.db, link);
      const holder = await stack.db.pool.connect();
      try {
        await stack.em.transactional((em) => deleteLinks(em, actor, [id], { now: new Date() }));
        await holder.query('begin');
        const { rows } = await holder.query<{ pid: number }>(
          `select pg_backend_pid() as pid from short_links where id = $1 for update`,
          [id],
        );
        await eventually(() => stack.signals.length === 1);
        expect(stack.signals).toEqual([['waits', expect.stringContaining(`process ${rows[0]!.pid}`)]]);
      } finally {
        await holder.query('rollback');
        holder.release();
      }
      await stack.done();
      expect(await removedBy(`delete-link/${id}`)).toMatchObject({ links: 1 });
    },
  );

  test('the removal of deleted links restarts within a minute when Temporal has lost its workflow', async () => {
    const { link, actor } = await scene();
    const { id } = await createLink(stack.db, link);
    await stack.em.transactional(async (tx) => {
      await deleteLinks(tx, actor, [id], { now: new Date() });
      await tx.query(`delete from outbox where kind = 'purge'`);
    });
    const { rows } = await stack.db.query<{ inMs: number }>(
      'select (extract(epoch from due_at - now()) * 1000)::float8 as "inMs" from purges where id = $1',
      [id],
    );
    expect(rows[0]!.inMs).toBeLessThan(45_000);
    await stack.db.query('update purges set due_at = now() where id = $1', [id]);
    await stack.done();
    expect(await count('short_links', 'id = $1', id)).toBe(0);
    expect(stack.starts.has(`delete-link/${id}`)).toBe(true);
  });
});

describe('a deleted domain', () => {
  test('a deleted domain is removed with all its links, each announced once, although its workflow is lost on the way', async () => {
    const { organization, domain, link, actor } = await scene();
    const kept = await createDomain(stack.db, organization.id);
    const keptLink = await createLink(stack.db, { ...link, domainId: kept.id });
    await createManyLinks(stack.db, link, 1_300);
    const { rows } = await stack.db.query<{ id: string }>(
      'select id from short_links where domain_id = $1 order by 1',
      [domain.id],
    );
    await stack.em.transactional((em) => deleteDomain(em, actor, domain.id, { now: new Date() }));
    expect(await toldOf(organization)).toHaveLength(500);
    await eventually(
      () => toldOf(organization),
      (told) => told.length > 500,
    );
    await stack.lose();
    expect(stack.results.has(`delete-domain/${domain.id}`)).toBe(false);
    await stack.db.query('update purges set due_at = now()');
    await stack.done();
    expect(await toldOf(organization)).toEqual(rows.map(({ id }) => id));
    expect(await count('domains', 'id = $1', domain.id)).toBe(0);
    expect(await count('short_links', 'domain_id = $1', domain.id)).toBe(0);
    expect(await count('short_links', 'id = $1', keptLink.id)).toBe(1);
    expect(attributesOf(stack.starts.get(`delete-domain/${domain.id}`)!).domainId).toEqual([domain.id]);
  });

  test('the row of a deleted domain stays until the links deleted before it are removed', async () => {
    const { domain, link, actor } = await scene();
    const { id } = await createLink(stack.db, link);
    stack.waits = 0;
    await stack.em.transactional(async (em) => {
      await deleteLinks(em, actor, [id], { now: new Date() });
      // No workflow works on them.
      await em.query(`delete from outbox where kind = 'purge'`);
      await deleteDomain(em, actor, domain.id, { now: new Date() });
    });
    await eventually(() => stack.waits > 0);
    expect(await count('domains', 'id = $1', domain.id)).toBe(1);
    await stack.db.query('update purges set due_at = now() where id = $1', [id]);
    await stack.done();
    expect(await count('domains', 'id = $1', domain.id)).toBe(0);
  });
});

describe('a deleted folder', () => {
  test(
    'links of a deleted folder appear in the default folder at once and are then moved there',
    { tags: 'nightly' },
    async () => {
      const { organization, link, actor } = await scene();
      const folderId = await createFolder(stack.db, organization.id);
      await createManyLinks(stack.db, { ...link, folderId }, 3_100);
      const list = (folderIds: string[]) =>
        listLinks(stack.em, { organizationId: organization.id, folderIds, limit: 50, page: 0 });
      await stack.em.transactional(async (em) => {
        await deleteFolder(em, actor, folderId, new Date());
      });
      expect((await list([organization.folderId])).count).toBe(3_100);
      expect((await list([folderId])).count).toBe(0);
      const { ids } = await list([]);
      for (const link of await readLinks(stack.db, ids)) {
        expect([link.folderId, link.folder.id, link.folder.name]).toEqual([
          organization.folderId,
          organization.folderId,
          'Links',
        ]);
      }
      await stack.done();
      expect(await count('short_links', 'folder_id = $1', organization.folderId)).toBe(3_100);
      expect(await count('folders', 'id = $1', folderId)).toBe(0);
      expect(await removedBy(`delete-folder/${folderId}`)).toMatchObject({ told: 1_100 });
    },
  );
});

describe('a deleted organization', () => {
  test('a deleted organization is invisible at once, frees its slugs on the platform, and is removed', async () => {
    const { organization, link } = await scene();
    const platform = await createDomain(stack.db, null);
    const slug = 'taken';
    await createLink(stack.db, { ...link, domainId: platform.id, slug });
    await createLink(stack.db, link);
    await stack.em.transactional((em) => deleteOrganization(em, organization.id, new Date()));
    const other = await createOrganization(stack.db);
    await createLink(stack.db, { organizationId: other.id, domainId: platform.id, folderId: other.folderId, slug });
    await expect(
      stack.em.transactional((em) => deleteOrganization(em, organization.id, new Date())),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await stack.done();
    expect(await removedBy(`delete-organization/${organization.id}`)).toMatchObject({ links: 2 });
    expect(await count('organizations', 'id = $1', organization.id)).toBe(0);
    expect(await count('users', 'id = $1', organization.botId)).toBe(0);
    expect(await count('short_links', 'domain_id = $1', platform.id)).toBe(1);
  });
});
