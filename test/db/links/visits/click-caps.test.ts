import { beforeAll, describe, expect, test } from 'vitest';
import { takeClicks } from '#db/links/visits/click-caps.ts';
import { createLink, deleteLink } from '#test/support/edge-factories.ts';
import { createDomain, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { insertRow } from '#test/support/rows.ts';

describe('takeClicks', () => {
  let organization: TestOrganization;
  let domainId: string;

  const db = useTestDatabase();
  beforeAll(async () => {
    organization = await createOrganization(db);
    domainId = (await createDomain(db, organization.id)).id;
  });
  const link = async (maxClicks?: number): Promise<string> =>
    (await createLink(db, { organizationId: organization.id, domainId, folderId: organization.folderId, maxClicks }))
      .id;

  test('grants what is left and no more, to many callers at once', async () => {
    const id = await link(100);
    const sizes = Array.from({ length: 60 }, (_, index) => (index % 7) + 1);
    const results = await Promise.all(sizes.map((count) => takeClicks(db, id, count)));
    expect(results.reduce((sum, { granted }) => sum + granted, 0)).toBe(100);
    expect((await db.query('select granted from link_caps where link_id = $1', [id])).rows).toEqual([{ granted: 100 }]);
    expect(await takeClicks(db, id, 1)).toEqual({ granted: 0, left: 0 });
  });

  test('grants by the cap that is stored now: raised, lowered, lifted', async () => {
    const id = await link(2);
    expect(await takeClicks(db, id, 5)).toEqual({ granted: 2, left: 0 });
    await db.query('update short_links set max_clicks = 4 where id = $1', [id]);
    expect(await takeClicks(db, id, 1)).toEqual({ granted: 1, left: 1 });
    await db.query('update short_links set max_clicks = 1 where id = $1', [id]);
    expect(await takeClicks(db, id, 1)).toEqual({ granted: 0, left: 0 });
    await db.query('update short_links set max_clicks = null where id = $1', [id]);
    expect((await takeClicks(db, id, 3)).granted).toBe(3);
  });

  test('counts clicks from before the cap (3.9)', async () => {
    const id = await link(10);
    await insertRow(db, 'link_counters', { link_id: id, clicks: 7 });
    expect(await takeClicks(db, id, 0)).toEqual({ granted: 0, left: 3 });
    expect(await takeClicks(db, id, 5)).toEqual({ granted: 3, left: 0 });
  });

  test('counts clicks from times without a cap once they are ingested, and clicks of an earlier cap at once (3.9)', async () => {
    const id = await link(3);
    const setCap = (maxClicks: number | null) =>
      db.query('update short_links set max_clicks = $2 where id = $1', [id, maxClicks]);
    expect((await takeClicks(db, id, 3)).granted).toBe(3);
    await setCap(null);
    await setCap(4);
    expect(await takeClicks(db, id, 0)).toEqual({ granted: 0, left: 1 });
    await setCap(null);
    await insertRow(db, 'link_counters', { link_id: id, clicks: 8 });
    await setCap(10);
    expect(await takeClicks(db, id, 1)).toEqual({ granted: 1, left: 1 });
    await db.query('update link_counters set clicks = 9 where link_id = $1', [id]);
    expect(await takeClicks(db, id, 5)).toEqual({ granted: 1, left: 0 });
  });

  test('grants nothing of a deleted link', async () => {
    const id = await link(10);
    await deleteLink(db, id);
    expect(await takeClicks(db, id, 1)).toEqual({ granted: 0, left: 0 });
    expect(await takeClicks(db, domainId, 1)).toEqual({ granted: 0, left: 0 });
  });
});
