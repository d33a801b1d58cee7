// @module-tag process

import { beforeEach, describe, expect, test } from 'vitest';
import { createClickHouseIngest } from '#db/clicks/clickhouse/ingest.ts';
import { removeAllClicks, removeLinkClicks, removeOldClicks, rewriteRemoved } from '#db/clicks/clickhouse/removal.ts';
import { chdb, useClickHouse } from '#test/support/clickhouse.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { createDomain, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';

describe.skipIf(chdb === undefined)('removal of clicks from ClickHouse', () => {
  const db = useTestDatabase();
  const clickhouse = useClickHouse();
  const days = ['2024-02-10', '2024-03-10', '2024-03-20', '2024-04-10'];

  let organizations: TestOrganization[];
  let links: string[][];

  beforeEach(async () => {
    await clickhouse.execute('truncate table clicks');
    organizations = [await createOrganization(db), await createOrganization(db)];
    links = [];
    for (const { id: organizationId, folderId } of organizations) {
      const { id: domainId } = await createDomain(db, organizationId);
      const link = { organizationId, domainId, folderId };
      const own = [(await createLink(db, link)).id, (await createLink(db, link)).id];
      links.push(own);
      const clicks = own.flatMap((linkId) =>
        days.map((day) => testClick({ ...link, linkId, clickedAtMs: Date.parse(`${day}T00:00:00Z`) })),
      );
      await ingestClicks(db, clicks, createClickHouseIngest(clickhouse));
    }
  });

  const left = async (by: 'organization_id' | 'link_id'): Promise<Record<string, number>> =>
    Object.fromEntries(
      (
        await clickhouse.query<{ id: string; n: number }>(`select ${by} as id, count() as n from clicks group by id`)
      ).map(({ id, n }) => [id, n]),
    );

  test('the clicks of some links go, and no others', async () => {
    const [[first, second], others] = links as [[string, string], [string, string]];
    const input = { organizationId: organizations[0]!.id, linkIds: [first, others[0]] };
    expect(await removeLinkClicks(clickhouse, input)).toBe(4);
    expect(await removeLinkClicks(clickhouse, input)).toBe(0);
    expect(await left('link_id')).toEqual({ [second]: 4, [others[0]]: 4, [others[1]]: 4 });
  });

  test(
    'the clicks of an organization go, and leave the disk when their parts are rewritten',
    { tags: 'nightly' },
    async () => {
      expect(await removeAllClicks(clickhouse, organizations[0]!.id)).toBe(8);
      expect(await left('organization_id')).toEqual({ [organizations[1]!.id]: 8 });
      const bytes = async () =>
        (
          await clickhouse.query<{ n: number }>(
            `select sum(rows) as n from system.parts where database = currentDatabase() and table = 'clicks' and active`,
          )
        )[0]!.n;
      expect(await bytes()).toBe(16);
      expect(await rewriteRemoved(clickhouse)).toBeGreaterThan(0);
      expect(await bytes()).toBe(8);
      expect(await rewriteRemoved(clickhouse)).toBe(0);
      expect(await left('organization_id')).toEqual({ [organizations[1]!.id]: 8 });
    },
  );

  test('earlier days go, whole months at once', async () => {
    expect(await removeOldClicks(clickhouse, '2024-03-15')).toBe(4);
    expect(await removeOldClicks(clickhouse, '2024-03-15')).toBe(0);
    expect(
      await clickhouse.query(
        'select toString(toDate(clicked_at)) as day, count() as n from clicks group by day order by day',
      ),
    ).toEqual([
      { day: '2024-03-20', n: 4 },
      { day: '2024-04-10', n: 4 },
    ]);
  });
});
