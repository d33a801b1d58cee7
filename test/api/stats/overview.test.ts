import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { groupBys } from '#core/stats/stats.ts';
import { hideClicks } from '#db/stats/rollups.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createTag, deleteLink } from '#test/support/edge-factories.ts';
import { createFolder, createOrganization } from '#test/support/factories.ts';
import { now, paths, useStatsScene } from '#test/support/stats-scene.ts';

const day = 86_400_000;
const scene = useStatsScene();

describe('agents of a statistic (5.10)', () => {
  test('are humans by default; bots are counted apart, by kind, and with them', async () => {
    await scene.clicks(
      { country: 'DE' },
      { country: 'DE', bot: 'preview' },
      { country: 'US', bot: 'crawler' },
      { country: 'US', bot: 'crawler' },
    );
    const counts = async (query: string) => {
      const { status, body } = await scene.overview(`groupBy=country${query}`);
      expect([status, (await scene.timeline(query.slice(1))).body.totalClicks]).toEqual([200, body.totalClicks]);
      return body.data.map(({ group, count }: { group: string; count: number }) => `${group} ${count}`);
    };
    expect(await counts('')).toEqual(['DE 1']);
    expect(await counts('&agents=humans')).toEqual(['DE 1']);
    expect(await counts('&agents=all')).toEqual(['DE 2', 'US 2']);
    expect(await counts('&agents=bots')).toEqual(['US 2', 'DE 1']);
    expect(await counts('&agents=bots&country=DE')).toEqual(['DE 1']);
    expect(await counts('&agents=previews')).toEqual(['DE 1']);
    expect(await counts('&agents=scanners')).toEqual([]);
    expect(paths(await scene.overview('groupBy=country&agents=robots'))).toEqual([400, ['agents']]);
  });
});

describe('GET /stats/overview', () => {
  test('takes dates as their beginnings in a time zone, as the timeline does', async () => {
    // The clock of Berlin leaps on this day.
    const times = ['2024-03-30T22:59:59Z', '2024-03-30T23:00:00Z', '2024-03-31T21:59:59Z', '2024-03-31T22:00:00Z'];
    await scene.clicks(...times.map((text) => ({ clickedAtMs: Date.parse(text) })));
    const total = async (query: string) => {
      const timeline = await scene.timeline(query);
      const { status, body } = await scene.overview(`groupBy=country&${query}`);
      expect([status, body.totalClicks]).toEqual([timeline.status, timeline.body.totalClicks]);
      return body.totalClicks;
    };
    expect(await total('startDate=2024-03-31&endDate=2024-04-01&timezone=Europe/Berlin')).toBe(2);
    expect(await total('startDate=2024-03-31&endDate=2024-04-01&timezone=UTC')).toBe(2);
    expect(await total('startDate=2024-03-30&endDate=2024-03-31&timezone=UTC')).toBe(2);
    expect(await total('startDate=2024-03-31T00:00:00%2B01:00&endDate=2024-04-01&timezone=Europe/Berlin')).toBe(2);
    expect(await total('startDate=2024-03-30&endDate=2024-03-31&timezone=Pacific/Honolulu')).toBe(2);
    expect(await total('endDate=2024-04-01&timezone=Asia/Kolkata')).toBe(2);
    expect(await total('timezone=Asia/Kolkata')).toBe(4);
  });

  test.each([
    ['timezone=Mars/Olympus', 'timezone'],
    ['startDate=2024-13-01&timezone=UTC', 'startDate'],
    ['startDate=2024-03-31', 'startDate'],
    ['endDate=2024-03-31', 'endDate'],
    ['startDate=2024-04-01&endDate=2024-03-31&timezone=UTC', 'startDate'],
  ])('answers 400 to %s', async (query, path) => {
    expect(paths(await scene.overview(`groupBy=country&${query}`))).toEqual([400, [path]]);
    expect(paths(await scene.timeline(query))).toEqual([400, [path]]);
  });

  test('groups by each of the 18, naming what could not be told', async () => {
    const full = {
      city: 'Köln',
      region: 'Nordrhein-Westfalen',
      country: 'DE',
      continent: 'EU',
      lang: 'de',
      device: 'mobile',
      browser: 'Firefox',
      os: 'Android',
      referer: 'news.example',
      utmSource: 'mail',
      utmMedium: 'email',
      utmCampaign: 'may',
      utmTerm: 'shoes',
      utmContent: 'top',
      isQrCode: true,
      destination: 'https://example.com/a',
      visitor: 'a'.repeat(32),
    };
    await scene.clicks(full, full, { linkId: scene.links[1]!.id, device: 'other' });
    const label = (index: number): string => `http://${scene.domains[index]!.domain}:3001/${scene.links[index]!.slug}`;
    const expected: Record<string, [string, string]> = {
      qrCode: ['qr', 'link'],
      referer: ['news.example', 'direct'],
      destination: ['https://example.com/a', 'https://example.com/'],
      device: ['mobile', 'other'],
    };
    for (const groupBy of groupBys) {
      const { status, body } = await scene.overview(`groupBy=${groupBy}`);
      expect(status).toBe(200);
      if (groupBy === 'uniqueVisitors')
        expect(body).toEqual({
          data: [
            { group: 'unique', count: 2 },
            { group: 'returning', count: 1 },
          ],
          totalClicks: 3,
        });
      else if (groupBy === 'shortLinks')
        expect(body).toEqual({
          data: [
            { group: scene.links[0]!.id, count: 2, label: label(0) },
            { group: scene.links[1]!.id, count: 1, label: label(1) },
          ],
          totalClicks: 3,
        });
      else {
        const [first, second] = expected[groupBy] ?? [full[groupBy as 'city'], 'unknown'];
        expect(body).toEqual({
          data: [
            { group: first, count: 2 },
            { group: second, count: 1 },
          ],
          totalClicks: 3,
        });
      }
    }
  });

  test('shows ten groups unless told otherwise, by count, then by name', async () => {
    await scene.clicks(
      ...Array.from({ length: 25 }, (_, index) => ({ city: `City ${String.fromCodePoint(97 + index)}` })),
      {
        city: 'City y',
      },
    );
    const { body } = await scene.overview('groupBy=city');
    expect(body.data.slice(0, 3)).toEqual([
      { group: 'City y', count: 2 },
      { group: 'City a', count: 1 },
      { group: 'City b', count: 1 },
    ]);
    expect([body.data.length, body.totalClicks]).toEqual([10, 26]);
    expect((await scene.overview('groupBy=city&limit=20')).body.data).toHaveLength(20);
    expect((await scene.overview('groupBy=city&limit=1')).body).toEqual({
      data: [{ group: 'City y', count: 2 }],
      totalClicks: 26,
    });
  });

  test('is empty where nothing was clicked', async () => {
    for (const groupBy of groupBys)
      expect((await scene.overview(`groupBy=${groupBy}`)).body).toEqual({ data: [], totalClicks: 0 });
  });

  test('starts with startDate, ends before endDate, and takes 30 days when told neither', async () => {
    const at = (text: string) => ({ clickedAtMs: Date.parse(text), country: text.slice(8, 10) });
    await scene.clicks(
      at('2024-03-03T12:34:56.789Z'),
      at('2024-03-03T12:34:56.788Z'),
      at('2024-03-10T00:00:00.000Z'),
      at('2024-03-11T00:00:00.000Z'),
    );
    const groups = async (query: string) =>
      (await scene.overview(`groupBy=country&${query}`)).body.data.map(({ group, count }: never) => [group, count]);
    expect(await groups('')).toEqual([
      ['03', 1],
      ['10', 1],
      ['11', 1],
    ]);
    expect(await groups('startDate=2024-03-10T00:00:00Z&endDate=2024-03-11T00:00:00Z')).toEqual([['10', 1]]);
    expect(await groups('startDate=2024-03-10T01:00:00%2B01:00&endDate=2024-03-11T00:00:00.001Z')).toEqual([
      ['10', 1],
      ['11', 1],
    ]);
    expect(await groups('startDate=0001-01-01T00:00:00Z&endDate=9999-12-31T23:59:59.999-23:59')).toEqual([
      ['03', 2],
      ['10', 1],
      ['11', 1],
    ]);
    expect(await groups('endDate=2024-03-11T00:00:00Z')).toEqual([
      ['03', 2],
      ['10', 1],
    ]);
    expect(await groups('startDate=2024-03-10T00:00:00Z&endDate=2024-03-10T00:00:00Z')).toEqual([]);
  });

  test('filters: of one kind any, of two kinds both, by repeated key, brackets or commas', async () => {
    const folderId = await createFolder(scene.api.db, scene.organization.id);
    const tags = [
      await createTag(scene.api.db, scene.organization.id),
      await createTag(scene.api.db, scene.organization.id),
    ];
    await scene.clicks(
      { country: 'AA', tagIds: [tags[0]!] },
      { country: 'BB', tagIds: tags, folderId },
      { country: 'CC', linkId: scene.links[1]!.id, domainId: scene.domains[1]!.id },
    );
    const groups = async (query: string) => {
      const { body } = await scene.overview(`groupBy=country&${query}`);
      expect(body.totalClicks).toBe(body.data.length);
      return body.data.map(({ group }: { group: string }) => group).join(' ');
    };
    const [a, b] = [scene.links[0]!.id, scene.links[1]!.id];
    expect(await groups(`shortLinkIds=${a}`)).toBe('AA BB');
    expect(await groups(`shortLinkIds=${a}&shortLinkIds=${b}`)).toBe('AA BB CC');
    expect(await groups(`shortLinkIds[]=${a}&shortLinkIds[]=${b}`)).toBe('AA BB CC');
    expect(await groups(`shortLinkIds%5B%5D=${b}`)).toBe('CC');
    expect(await groups(`shortLinkIds=${a},${b}`)).toBe('AA BB CC');
    expect(await groups(`shortLinkIds=${a.toUpperCase()}`)).toBe('AA BB');
    expect(await groups(`domainIds=${scene.domains[1]!.id}`)).toBe('CC');
    expect(await groups(`folderIds=${folderId}`)).toBe('BB');
    expect(await groups(`tagIds=${tags[1]}`)).toBe('BB');
    expect(await groups(`tagIds=${tags.join(',')}`)).toBe('AA BB');
    expect(await groups(`tagIds=${tags[0]}&folderIds=${scene.organization.folderId}`)).toBe('AA');
    expect(await groups(`tagIds=${tags[0]}&domainIds=${scene.domains[1]!.id}`)).toBe('');
  });

  test('a filter takes a thousand ids, however they are written', async () => {
    await scene.clicks({}, {});
    const address = await scene.api.app.listen({ host: '127.0.0.1', port: 0 });
    const ids = [...Array.from({ length: 999 }, () => uuidv7()), scene.links[0]!.id];
    const ask = async (filter: string) => {
      const headers = { 'x-api-key': scene.organization.key };
      const answer = await fetch(`${address}/stats/overview?${filter}&groupBy=country`, { headers });
      return [answer.status, ((await answer.json()) as { totalClicks?: number }).totalClicks];
    };
    expect(await ask(`shortLinkIds=${ids.join(',')}`)).toEqual([200, 2]);
    expect(await ask(ids.map((id) => `shortLinkIds[]=${id}`).join('&'))).toEqual([200, 2]);
    expect(await ask(`shortLinkIds=${[...ids, uuidv7()].join(',')}`)).toEqual([400, undefined]);
  });

  test('what is unknown, or belongs to others, matches nothing', async () => {
    const mine = scene.organization;
    await scene.clicks({}, {});
    const stranger = await createOrganization(scene.api.db);
    scene.api.organization = stranger;
    expect((await scene.overview(`groupBy=country&shortLinkIds=${scene.links[0]!.id}`)).body).toEqual({
      data: [],
      totalClicks: 0,
    });
    expect((await scene.overview(`groupBy=shortLinks&folderIds=${mine.folderId}`)).body).toEqual({
      data: [],
      totalClicks: 0,
    });
    scene.api.organization = mine;
    expect((await scene.overview(`groupBy=country&folderIds=${stranger.folderId}`)).body).toEqual({
      data: [],
      totalClicks: 0,
    });
    expect((await scene.overview(`groupBy=country&tagIds=${uuidv7()}`)).body).toEqual({ data: [], totalClicks: 0 });
  });

  test('has nothing of a deleted link', async () => {
    await scene.clicks({}, { linkId: scene.links[1]!.id });
    await emOf(scene.api.db).transactional(async (em) => {
      await deleteLink(em, scene.links[0]!.id);
      await hideClicks(em, [scene.links[0]!.id]);
    });
    expect((await scene.overview('groupBy=shortLinks')).body).toMatchObject({
      data: [{ group: scene.links[1]!.id, count: 1 }],
      totalClicks: 1,
    });
    expect((await scene.overview(`groupBy=uniqueVisitors&shortLinkIds=${scene.links[0]!.id}`)).body.totalClicks).toBe(
      0,
    );
    expect((await scene.timeline()).body.totalClicks).toBe(1);
    expect((await scene.list()).body.data).toHaveLength(1);
  });

  test('has busy days counted by value when a caller reads them, and stays right', async () => {
    await scene.clicks(
      ...Array.from({ length: 1_100 }, (_, index) => ({
        clickedAtMs: now.getTime() - day - index * 60_000,
        country: index % 4 === 0 ? 'DE' : 'US',
      })),
    );
    const seen = {
      data: [
        { group: 'US', count: 825 },
        { group: 'DE', count: 275 },
      ],
      totalClicks: 1_100,
    };
    expect((await scene.overview('groupBy=country')).body).toEqual(seen);
    expect((await scene.overview('groupBy=country')).body).toEqual(seen);
  });

  test('names every wrong field', async () => {
    for (const date of ['yesterday', '2024-01-01', '2024-02-30T00:00:00Z', '2024-01-01T00:00:00', ''])
      expect(paths(await scene.overview(`groupBy=city&startDate=${date}`))).toEqual([400, ['startDate']]);
    expect(paths(await scene.overview('groupBy=city&startDate=2024-05-11T00:00:00Z'))).toEqual([400, ['startDate']]);
  });
});
