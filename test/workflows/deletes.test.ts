// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deleteDomain } from '#commands/domains/domains.ts';
import { deleteFolder } from '#commands/labels/folders.ts';
import { deleteLinks } from '#commands/links/delete.ts';
import { deleteOrganization } from '#commands/organizations/organizations.ts';
import type { Actor } from '#core/audit/actor.ts';
import { listLinks } from '#db/links/list.ts';
import { readLinks } from '#db/links/view.ts';
import { displayNameKey } from '#core/temporal/search-attributes.ts';
import { deleteStatusQuery } from '#workflows/deletions.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { type DeleteStack, startDeleteStack } from '#test/support/delete-stack.ts';
import { createLink, createManyLinks } from '#test/support/edge-factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { createDomain, createFolder, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { recordHistory } from '#test/support/histories.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';
import { columnsOf } from '#test/support/turns.ts';

let stack: DeleteStack;
beforeAll(async () => {
  stack = await startDeleteStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const actorOf = ({ id }: TestOrganization): Actor => ({
  organizationId: id,
  plan: 'premium',
  userId: uuidv7(),
  permissions: {},
});
const count = async (table: string, condition: string, value: unknown): Promise<number> =>
  (await stack.db.query<{ count: number }>(`select count(*) as count from ${table} where ${condition}`, [value]))
    .rows[0]!.count;
/** Makes many links on a domain, in a folder. */
async function createMany(organization: TestOrganization, domainId: string, folderId: string, links: number) {
  await createManyLinks(stack.db, { organizationId: organization.id, domainId, folderId }, links);
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
    const handle = stack.client.workflow.getHandle(`delete-link/${gone[0]}`);
    await stack.done();
    expect(await handle.result()).toMatchObject({ state: 'completed', links: 2, linksRemoved: 2, clicksRemoved: 4 });
    expect(await handle.query(deleteStatusQuery)).toMatchObject({ state: 'completed', links: 2 });
    const description = await handle.describe();
    const { searchAttributes, typedSearchAttributes } = description;
    const { rows } = await stack.db.query<{ name: string }>(
      `select d.domain || '/' || l.slug as name from short_links l join domains d on d.id = l.domain_id where l.id = $1`,
      [ids[2]],
    );
    const [start] = rows[0]!.name.split('/');
    expect(typedSearchAttributes.get(displayNameKey)).toMatch(new RegExp(`^${start}/[^ ,]+, ${start}/[^ ,]+$`));
    expect(await description.staticSummary()).toBe(`Delete 2 links: ${typedSearchAttributes.get(displayNameKey)}`);
    expect(searchAttributes).toMatchObject({ organizationId: [organization.id], state: ['completed'] });
    expect((searchAttributes.linkId as string[]).toSorted()).toEqual(gone.toSorted());
    await recordHistory('delete-link', handle);
    for (const table of ['clicks', 'link_counters', 'destinations', 'hidden_links']) {
      expect(await count(table, 'link_id = any($1::uuid[])', gone)).toBe(0);
    }
    expect(await count('short_links', 'domain_id = $1', domain.id)).toBe(1);
    expect(await count('clicks', 'organization_id = $1', organization.id)).toBe(2);
    expect(await toldOf(organization)).toEqual(gone.toSorted());
    // A late click of a removed link is dropped, as a click of a tombstone is.
    expect(await ingestClicks(stack.db, [click(gone[0]!), click(ids[2]!)])).toBe(1);
  });

  test(
    'a deletion whose statement waits for a lock is listed as locked, with the process that holds it, until it goes on',
    { tags: 'nightly' },
    async () => {
      const { link, actor } = await scene();
      const { id } = await createLink(stack.db, link);
      const handle = stack.client.workflow.getHandle(`delete-link/${id}`);
      await stack.em.transactional((em) => deleteLinks(em, actor, [id], { now: new Date() }));
      const holder = await stack.db.pool.connect();
      try {
        await holder.query('begin');
        const { rows } = await holder.query<{ pid: number }>(
          `select pg_backend_pid() as pid from short_links where id = $1 for update`,
          [id],
        );
        stack.relay.wake();
        const columns = await eventually(
          () => columnsOf(handle).catch(() => []),
          ([, state]) => state === 'locked',
        );
        expect(columns.slice(1)).toEqual([
          'locked',
          expect.stringContaining(`process ${rows[0]!.pid}`),
          'end the process that holds it',
        ]);
      } finally {
        await holder.query('rollback');
        holder.release();
      }
      await stack.done();
      expect(await handle.result()).toMatchObject({ linksRemoved: 1 });
      expect((await columnsOf(handle)).slice(1)).toEqual(['completed', undefined, undefined]);
      await recordHistory('delete-link-locked', handle);
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
    expect(stack.counts.requeued).toBeGreaterThan(0);
  });
});

describe('a deleted domain', () => {
  test('a deleted domain is removed with all its links, each announced once, although its workflow is terminated on the way', async () => {
    const { organization, domain, link, actor } = await scene();
    const kept = await createDomain(stack.db, organization.id);
    const keptLink = await createLink(stack.db, { ...link, domainId: kept.id });
    await createMany(organization, domain.id, organization.folderId, 1_300);
    const { rows } = await stack.db.query<{ id: string }>(
      'select id from short_links where domain_id = $1 order by 1',
      [domain.id],
    );
    await emOf(stack.db).transactional((em) => deleteDomain(em, actor, domain.id, { now: new Date() }));
    expect(await toldOf(organization)).toHaveLength(500);
    const handle = stack.client.workflow.getHandle(`delete-domain/${domain.id}`);
    await eventually(
      () => toldOf(organization),
      (told) => told.length > 500,
    );
    const { runId } = await handle.describe();
    await handle.terminate('as if Temporal were emptied');
    // Makes the deletion due at once instead of in half a minute; its last activity may still postpone it.
    await eventually(
      async () => {
        await stack.db.query('update purges set due_at = now()');
        return (await handle.describe()).runId;
      },
      (id) => id !== runId,
    );
    await stack.done();
    expect(await toldOf(organization)).toEqual(rows.map(({ id }) => id));
    expect(await count('domains', 'id = $1', domain.id)).toBe(0);
    expect(await count('short_links', 'domain_id = $1', domain.id)).toBe(0);
    expect(await count('short_links', 'id = $1', keptLink.id)).toBe(1);
    const last = stack.client.workflow.getHandle(`delete-domain/${domain.id}`);
    expect((await last.describe()).searchAttributes.domainId).toEqual([domain.id]);
    await last.result();
    await recordHistory('delete-domain', last);
  });

  // Its workflow looks again after ten seconds.
  test(
    'the row of a deleted domain stays until the links deleted before it are removed',
    { tags: 'nightly' },
    async () => {
      const { domain, link, actor } = await scene();
      const { id } = await createLink(stack.db, link);
      await emOf(stack.db).transactional(async (em) => {
        await deleteLinks(em, actor, [id], { now: new Date() });
        // No workflow works on them.
        await em.query(`delete from outbox where kind = 'purge'`);
        await deleteDomain(em, actor, domain.id, { now: new Date() });
      });
      const handle = stack.client.workflow.getHandle(`delete-domain/${domain.id}`);
      await eventually(
        () => handle.query(deleteStatusQuery).catch(() => undefined),
        (status) => status?.state === 'finishing',
      );
      expect(await count('domains', 'id = $1', domain.id)).toBe(1);
      await stack.db.query('update purges set due_at = now() where id = $1', [id]);
      await stack.done();
      expect(await count('domains', 'id = $1', domain.id)).toBe(0);
      await handle.result();
      await recordHistory('delete-domain-waiting', handle);
    },
  );
});

describe('a deletion that takes very many turns', () => {
  test('a deletion of very many turns continues as new and keeps its counts', { tags: 'nightly' }, async () => {
    const whole = stack;
    await using slow = await startDeleteStack({ turnMs: 1, linksAtOnce: 1 });
    stack = slow;
    try {
      const { organization, domain, actor } = await scene();
      await createMany(organization, domain.id, organization.folderId, 110);
      await emOf(slow.db).transactional((em) => deleteDomain(em, actor, domain.id, { now: new Date() }));
      await slow.done();
      const workflowId = `delete-domain/${domain.id}`;
      expect(await slow.client.workflow.getHandle(workflowId).result()).toMatchObject({
        links: 110,
        linksRemoved: 110,
      });
      const listRuns = async () => {
        const listed = [];
        for await (const run of slow.client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) listed.push(run);
        return listed;
      };
      // Temporal lists the end of a run a moment after it.
      const runs = await eventually(listRuns, (listed) => listed.every(({ status }) => status.name !== 'RUNNING'));
      expect(runs.map(({ status }) => status.name).toSorted()).toEqual(['COMPLETED', 'CONTINUED_AS_NEW']);
      const first = runs.find(({ status }) => status.name === 'CONTINUED_AS_NEW');
      await recordHistory('delete-domain-continued', slow.client.workflow.getHandle(workflowId, first!.runId));
    } finally {
      stack = whole;
    }
  });
});

describe('a deleted folder', () => {
  test(
    'links of a deleted folder appear in the default folder at once and are then moved there',
    { tags: 'nightly' },
    async () => {
      const { organization, domain, actor } = await scene();
      const folderId = await createFolder(stack.db, organization.id);
      await createMany(organization, domain.id, folderId, 3_100);
      const list = (folderIds: string[]) =>
        listLinks(stack.em, {
          organizationId: organization.id,
          reach: undefined,
          domainIds: [],
          folderIds,
          tagIds: [],
          search: undefined,
          limit: 50,
          page: 0,
        });
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
      const handle = stack.client.workflow.getHandle(`delete-folder/${folderId}`);
      expect(await handle.result()).toMatchObject({ state: 'completed', told: 1_100 });
      await recordHistory('delete-folder', handle);
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
    await emOf(stack.db).transactional((em) => deleteOrganization(em, organization.id, new Date()));
    const other = await createOrganization(stack.db);
    await createLink(stack.db, { organizationId: other.id, domainId: platform.id, folderId: other.folderId, slug });
    await expect(
      emOf(stack.db).transactional((em) => deleteOrganization(em, organization.id, new Date())),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const handle = stack.client.workflow.getHandle(`delete-organization/${organization.id}`);
    await stack.done();
    expect(await handle.result()).toMatchObject({ state: 'completed', links: 2, linksRemoved: 2 });
    await recordHistory('delete-organization', handle);
    expect(await count('organizations', 'id = $1', organization.id)).toBe(0);
    expect(await count('users', 'id = $1', organization.botId)).toBe(0);
    expect(await count('short_links', 'domain_id = $1', platform.id)).toBe(1);
  });
});
