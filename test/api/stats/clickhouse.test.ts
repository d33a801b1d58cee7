// @module-tag process

import { describe, expect, test } from 'vitest';
import { groupBys } from '#core/stats/stats.ts';
import { createClickHouseIngest } from '#db/clicks/clickhouse/ingest.ts';
import { createClickHouseStatistics } from '#db/stats/clickhouse/statistics.ts';
import { connectClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import { hideClicks } from '#db/stats/rollups.ts';
import { readExport } from '#db/organizations/export.ts';
import { chdb, useClickHouse } from '#test/support/clickhouse.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { createLink, deleteLink } from '#test/support/edge-factories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createDomain, createFolder } from '#test/support/factories.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';

const now = new Date('2024-04-02T12:34:56.789Z');
const day = 86_400_000;

describe.skipIf(chdb === undefined)('statistics over HTTP', { tags: 'nightly' }, () => {
  const clickhouse = useClickHouse();
  const api = useOwnTestApi({ clock: () => now });
  const other = useOwnTestApi(() => ({
    clock: () => now,
    besides: { databaseUrl: api.databaseUrl, organization: api.organization },
    statistics: createClickHouseStatistics(clickhouse, emOf(api.db)),
  }));

  const nowhere = connectClickHouse({ url: 'http://127.0.0.1:1/nowhere', timeoutMs: 1_000, applicationName: 'test' });
  const away = useOwnTestApi(() => ({
    besides: { databaseUrl: api.databaseUrl, organization: api.organization },
    statistics: createClickHouseStatistics(nowhere, emOf(api.db)),
  }));

  test('are the same from PostgreSQL and from ClickHouse, to the byte', async () => {
    const { id: organizationId, folderId } = api.organization;
    const { db } = api;
    const domainId = (await createDomain(db, organizationId)).id;
    const folders = [folderId, await createFolder(db, organizationId)];
    const links: { id: string }[] = [];
    for (const folder of [...folders, folders[0]!])
      links.push(await createLink(db, { organizationId, domainId, folderId: folder }));
    // Many of one moment, whose order is that of their ids.
    const clicks = Array.from({ length: 150 }, (_, index) =>
      testClick({
        organizationId,
        domainId,
        linkId: links[index % 3]!.id,
        folderId: folders[index % 2]!,
        tagIds: index % 5 === 0 ? [links[0]!.id] : [],
        clickedAtMs: now.getTime() - (index % 10 === 0 ? day : index * 7_000_000),
        visitor: String(index % 17).padStart(32, '0'),
        country: ['DE', 'US', '', undefined, 'unknown'][index % 5],
        city: ['Köln', 'a\tb\\c', undefined][index % 3],
        referer: [undefined, 'example.com'][index % 2],
        utmSource: index % 7 === 0 ? 'x"\'' : undefined,
        isQrCode: index % 4 === 0,
        bot: index >= 120 ? (['preview', 'scanner', 'crawler', 'tool'] as const)[index % 4] : undefined,
      }),
    );
    await ingestClicks(db, clicks);
    // The same journal would be counted once: these are counted twice, by links' counters alone.
    await ingestClicks(db, clicks, createClickHouseIngest(clickhouse));
    await emOf(db).transactional(async (em) => {
      await deleteLink(em, links[2]!.id);
      await hideClicks(em, [links[2]!.id]);
    });
    // The key reaches all folders, or one alone.
    const reach = (ids: string[] | null) =>
      db.query('update api_keys set folder_ids = $2 where organization_id = $1', [organizationId, ids]);
    const paths = [
      ...groupBys.map((groupBy) => `/stats/overview?groupBy=${groupBy}`),
      `/stats/overview?groupBy=city&limit=1&country=unknown&country=DE`,
      `/stats/overview?groupBy=shortLinks&folderIds=${folders[0]}&qrCode=link`,
      `/stats/overview?groupBy=country&tagIds=${links[0]!.id}&startDate=2024-03-01T00:00:00Z`,
      `/stats/overview?groupBy=country&startDate=1900-01-01T00:00:00Z&endDate=9000-01-01T00:00:00Z`,
      '/stats/clicks-over-time?timezone=Europe/Berlin&startDate=2024-03-28&endDate=2024-04-02',
      '/stats/clicks-over-time?timezone=Australia/Lord_Howe&interval=hour&startDate=2024-03-30&endDate=2024-04-02',
      '/stats/report?timezone=America/New_York&groupBys=country,uniqueVisitors,shortLinks,qrCode&compare=previous',
      '/stats/report?timezone=Asia/Kolkata&interval=week&groupBys=city&referer=direct&limit=2',
      '/stats/overview?groupBy=uniqueVisitors&agents=all',
      '/stats/overview?groupBy=shortLinks&agents=bots&limit=2',
      '/stats/report?groupBys=country,uniqueVisitors,shortLinks&agents=all&compare=previous',
      '/stats/clicks-over-time?agents=crawlers',
      '/stats/clicks?limit=50',
      `/stats/clicks?limit=5&city=${encodeURIComponent('a\tb\\c')}`,
    ];
    for (const folderIds of [[folders[1]!], null]) {
      await reach(folderIds);
      for (const path of paths) {
        const meant = await api.call('GET', path);
        const found = await other.call('GET', path);
        expect({ path, status: found.status, body: found.body }).toEqual({ path, status: 200, body: meant.body });
      }
    }
    const page = async (from: typeof api): Promise<string[]> => {
      const ids: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body } = await from.call('GET', `/stats/clicks?limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`);
        ids.push(...body.data.map(({ id }: { id: string }) => id));
        cursor = body.nextCursor as string | null;
      }
      return ids;
    };
    const ids = await page(api);
    expect(ids.length).toBe(80);
    expect(await page(other)).toEqual(ids);
    const csv = async (from: typeof api): Promise<string> =>
      (await from.app.inject({ url: '/stats/export', headers: { 'x-api-key': from.organization.key } })).body;
    expect(await csv(other)).toBe(await csv(api));
  });

  test('an export of the organization has the clicks of both', async () => {
    const { id } = api.organization;
    const lines: Record<string, unknown>[] = [];
    await api.em.fork().transactional(async (em) => {
      for await (const { type, data } of readExport(em, id, clickhouse))
        if (type === 'click' || type === 'botClick') lines.push(data);
    });
    const byId = lines.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
    expect(byId.length).toBe(300);
    expect(byId.filter(({ agentKind }) => agentKind !== undefined)).toHaveLength(60);
    for (let index = 0; index < byId.length; index += 2) expect(byId[index + 1]).toEqual(byId[index]);
  });

  test('statistics without ClickHouse are answered 503, and links by PostgreSQL', async () => {
    for (const path of [
      '/stats/overview?groupBy=city',
      '/stats/report?groupBys=city',
      '/stats/clicks',
      '/stats/export',
    ])
      expect(await away.call('GET', path)).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    expect((await away.call('GET', '/short-link/list')).status).toBe(200);
    expect([nowhere.isUp(), await nowhere.ping()]).toEqual([false, false]);
  });
});
