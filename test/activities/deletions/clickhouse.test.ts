// @module-tag process

import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { warehouseKey, writeManifest } from '#activities/warehouse/manifest.ts';
import { createClickActivities } from '#activities/clicks/clicks.ts';
import { deleteLinks } from '#commands/links/delete.ts';
import { deleteOrganization } from '#commands/organizations/organizations.ts';
import { createClickHouseIngest } from '#db/clicks/clickhouse/ingest.ts';
import { asActivity } from '#test/support/activities.ts';
import { chdb, useClickHouse } from '#test/support/clickhouse.ts';
import { useDeletions } from '#test/support/deletions.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';

describe.skipIf(chdb === undefined)('clicks in ClickHouse and in PostgreSQL', () => {
  const clickhouse = useClickHouse();
  const stack = useDeletions(() => ({ clickhouse }));

  /** Two links of a new organization, with three clicks of each in both databases. */
  async function createScene(clickedAtMs = Date.now()) {
    const organization = await createOrganization(stack.db);
    const { id: domainId } = await createDomain(stack.db, organization.id);
    const link = { organizationId: organization.id, domainId, folderId: organization.folderId };
    const ids = [(await createLink(stack.db, link)).id, (await createLink(stack.db, link)).id];
    for (const by of [undefined, createClickHouseIngest(clickhouse)]) {
      const clicks = [...ids, ...ids, ...ids].map((linkId) => testClick({ ...link, linkId, clickedAtMs }));
      await ingestClicks(stack.db, clicks, by);
    }
    const actor = { organizationId: organization.id, plan: 'premium' as const, userId: uuidv7(), permissions: {} };
    return { organization, ids, actor };
  }

  const left = async (organizationId: string): Promise<number[]> => {
    const { rows } = await stack.db.query<{ n: number }>(
      'select count(*) as n from clicks where organization_id = $1',
      [organizationId],
    );
    const [there] = await clickhouse.query<{ n: number }>(
      'select count() as n from clicks where organization_id = {organizationId:UUID}',
      { organizationId },
    );
    return [rows[0]!.n, there!.n];
  };

  test('the deletion of a link removes its clicks from both', async () => {
    const { organization, ids, actor } = await createScene();
    await stack.em.transactional((em) => deleteLinks(em, actor, [ids[0]!], { now: new Date() }));
    await stack.done();
    expect(await left(organization.id)).toEqual([3, 3]);
    expect(await eventually(() => stack.results.get(`delete-link/${ids[0]}`))).toMatchObject({ clicks: 6 });
  });

  test('the deletion of an organization removes its clicks from both, and its files for a warehouse', async () => {
    const { organization, actor } = await createScene();
    const other = await createScene();
    const key = warehouseKey(organization.id, 'links-001.parquet');
    await writeManifest(stack.storage, organization.id, {
      files: [{ name: 'links-001.parquet', rows: 1 }],
      months: {},
    });
    await stack.storage.put(key, Buffer.from('PAR1'), 'application/vnd.apache.parquet');
    await stack.em.transactional((em) => deleteOrganization(em, actor.organizationId, new Date()));
    await stack.done();
    expect(await left(organization.id)).toEqual([0, 0]);
    expect(await stack.storage.get(key)).toBeUndefined();
    // Its bytes have left the disk.
    const masked = `select count() as n from system.parts where database = currentDatabase() and active and has_lightweight_delete`;
    expect(await clickhouse.query(masked)).toEqual([{ n: 0 }]);
    expect(await left(other.organization.id)).toEqual([6, 6]);
  });

  test('retention removes old clicks from both', async () => {
    const now = Date.now();
    const [old, young] = [await createScene(now - 100 * 86_400_000), await createScene(now)];
    const activities = createClickActivities({ em: emOf(stack.db), clickhouse, keptDays: 30 });
    const before = (await activities.findFirstKeptDay())!;
    await asActivity(async () => {
      await activities.forgetClickDays({ before });
      await activities.dropClickMonths({ before });
      await activities.deleteOldClicks({ before });
    });
    expect(await left(old.organization.id)).toEqual([0, 0]);
    expect(await left(young.organization.id)).toEqual([6, 6]);
  });
});
