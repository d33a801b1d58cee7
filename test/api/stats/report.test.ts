import { describe, expect, it } from 'vitest';
import { createFolder } from '#test/support/factories.ts';
import { paths, useStatsScene } from '#test/support/stats-scene.ts';

const scene = useStatsScene();
const report = (query: string) => scene.api.call('GET', `/stats/report?${query}`);
const at = (text: string): number => Date.parse(text);

describe('GET /stats/report', () => {
  it('answers 200 with a timeline, breakdowns in their order, and the period before', async () => {
    await scene.clicks(
      { clickedAtMs: at('2024-03-30T10:00:00Z'), country: 'DE', os: 'iOS', visitor: 'a'.repeat(32) },
      { clickedAtMs: at('2024-03-31T10:00:00Z'), country: 'DE', isQrCode: true, visitor: 'a'.repeat(32) },
      { clickedAtMs: at('2024-03-31T11:00:00Z'), country: 'FR' },
      { clickedAtMs: at('2024-03-28T10:00:00Z'), country: 'DE' },
      { clickedAtMs: at('2024-03-29T10:00:00Z'), country: 'IT' },
    );
    const query =
      'startDate=2024-03-30&endDate=2024-04-01&timezone=UTC&groupBys=qrCode,country&groupBys=uniqueVisitors&limit=2';
    const { status, body } = await report(`${query}&compare=previous`);
    expect(status).toBe(200);
    expect(body).toEqual({
      startDate: '2024-03-30T00:00:00.000Z',
      endDate: '2024-04-01T00:00:00.000Z',
      timezone: 'UTC',
      interval: 'day',
      totalClicks: 3,
      timeline: [
        { date: '2024-03-30', startsAt: '2024-03-30T00:00:00.000Z', count: 1 },
        { date: '2024-03-31', startsAt: '2024-03-31T00:00:00.000Z', count: 2 },
      ],
      breakdowns: [
        {
          groupBy: 'qrCode',
          data: [
            { group: 'link', count: 2, previousCount: 2 },
            { group: 'qr', count: 1, previousCount: 0 },
          ],
          totalClicks: 3,
        },
        {
          groupBy: 'country',
          data: [
            { group: 'DE', count: 2, previousCount: 1 },
            { group: 'FR', count: 1, previousCount: 0 },
          ],
          totalClicks: 3,
        },
        {
          groupBy: 'uniqueVisitors',
          data: [
            { group: 'unique', count: 2, previousCount: 2 },
            { group: 'returning', count: 1, previousCount: 0 },
          ],
          totalClicks: 3,
        },
      ],
      previous: {
        startDate: '2024-03-28T00:00:00.000Z',
        endDate: '2024-03-30T00:00:00.000Z',
        totalClicks: 2,
        timeline: [
          { date: '2024-03-28', startsAt: '2024-03-28T00:00:00.000Z', count: 1 },
          { date: '2024-03-29', startsAt: '2024-03-29T00:00:00.000Z', count: 1 },
        ],
      },
    });
    const alone = await report(query);
    expect(alone.body.previous).toBeNull();
    expect(alone.body.breakdowns[1].data).toEqual([
      { group: 'DE', count: 2 },
      { group: 'FR', count: 1 },
    ]);
  });

  it('has the short URLs of links, filtered or not', async () => {
    await scene.clicks({ country: 'DE' }, { linkId: scene.links[1]!.id, country: 'DE' });
    for (const filter of ['', '&country=DE']) {
      const { body } = await report(`groupBys=shortLinks${filter}`);
      expect(body.breakdowns[0].data.map(({ label }: { label: string }) => label).toSorted()).toEqual(
        scene.links.map(({ slug }, index) => `http://${scene.domains[index]!.domain}:3001/${slug}`).toSorted(),
      );
    }
  });

  it('has points and no breakdowns where none is asked for', async () => {
    const { body } = await report('startDate=2024-04-01&endDate=2024-04-01&timezone=UTC');
    expect(body).toMatchObject({ totalClicks: 0, timeline: [], breakdowns: [], previous: null });
  });

  it.each([
    [`country=${'x'.repeat(8_193)}`, 'country.0'],
    ['startDate=2024-03-01T00:00:00Z&endDate=2024-03-04T00:00:00Z&interval=minute', 'startDate'],
    ['startDate=2023-03-01T00:00:00Z&endDate=2024-03-04T00:00:00Z&interval=hour', 'startDate'],
    ['startDate=1800-03-01T00:00:00Z&endDate=2224-03-04T00:00:00Z', 'startDate'],
    ['timezone=Europe/Berlin&startDate=2026-10-24&endDate=2026-10-27&interval=minute', 'startDate'],
    ['timezone=Europe/Berlin&startDate=2026-08-01&endDate=2026-11-02&interval=hour', 'startDate'],
    ['startDate=1969-12-31&endDate=1970-02-01&timezone=UTC', 'startDate'],
    ['startDate=1970-01-01T00:00:00%2B05:00&endDate=1970-02-01T00:00:00Z', 'startDate'],
  ])('answers 400 to %s', async (query, path) => {
    expect(paths(await report(query))).toEqual([400, [path]]);
  });
});

describe('the earliest beginning', () => {
  it.each([
    'startDate=1969-12-31T19:00:00-05:00&endDate=1970-02-01T00:00:00Z',
    'startDate=1970-01-01&endDate=1970-02-01&timezone=Asia/Kathmandu',
  ])('is that of 1970, whatever the offset: %s', async (query) => {
    const { status } = await report(query);
    expect(status).toBe(200);
  });
});

describe('the longest range of an interval', () => {
  it.each([
    ['minute', 'Europe/Berlin', '2026-10-24', '2026-10-26', 49 * 60],
    ['minute', 'Australia/Lord_Howe', '2026-04-04', '2026-04-06', 48.5 * 60],
    ['hour', 'Europe/Berlin', '2026-08-01', '2026-11-01', 92 * 24 + 1],
  ])('counts days of the zone: by %s in %s from %s to %s', async (interval, timezone, startDate, endDate, points) => {
    const { status, body } = await report(new URLSearchParams({ interval, timezone, startDate, endDate }).toString());
    expect([status, body.timeline.length]).toEqual([200, points]);
  });

  it('holds for as many hours in a zone whose clocks leap meanwhile', async () => {
    const { status } = await report(
      'interval=minute&timezone=Europe/Berlin&startDate=2026-03-28T12:00:00Z&endDate=2026-03-30T12:00:00Z',
    );
    expect(status).toBe(200);
  });
});

describe('filters by value', () => {
  it('are the groups that statistics name, the group without a value too, on every statistic', async () => {
    const destination = 'https://example.com/a,b?c=1';
    await scene.clicks(
      { country: 'DE', referer: 'news.example', destination },
      { country: 'DE', isQrCode: true },
      { country: 'FR', referer: 'news.example' },
      {},
    );
    const counts = async (query: string): Promise<number[]> => [
      (await scene.overview(`groupBy=os&${query}`)).body.totalClicks,
      (await scene.timeline(query)).body.totalClicks,
      (await scene.list(query)).body.data.length,
      (await report(`groupBys=os&${query}`)).body.totalClicks,
    ];
    const each = (count: number): number[] => [count, count, count, count];
    expect(await counts('country=DE')).toEqual(each(2));
    expect(await counts('country=DE&country=FR')).toEqual(each(3));
    expect(await counts('country[]=DE&country[]=FR')).toEqual(each(3));
    expect(await counts('country=unknown')).toEqual(each(1));
    expect(await counts('country=DE&referer=direct')).toEqual(each(1));
    expect(await counts('qrCode=qr')).toEqual(each(1));
    expect(await counts('qrCode=link&referer=news.example')).toEqual(each(2));
    expect(await counts(`destination=${encodeURIComponent(destination)}`)).toEqual(each(1));
    expect(await counts('country=DE,FR')).toEqual(each(0));
    expect(await counts(`country=DE&shortLinkIds=${scene.links[1]!.id}`)).toEqual(each(0));
    const headers = { 'x-api-key': scene.organization.key };
    const csv = await scene.api.app.inject({ url: '/stats/export?country=FR', headers });
    expect(csv.body.trim().split('\n')).toHaveLength(2);
  });

  it('are combined with folders of the time of the click', async () => {
    const folderId = await createFolder(scene.api.db, scene.organization.id);
    await scene.clicks({ country: 'DE', folderId }, { country: 'DE' });
    expect((await report(`country=DE&folderIds=${folderId}`)).body.totalClicks).toBe(1);
  });
});

describe('GET /stats/clicks-over-time with an interval', () => {
  it.each([
    ['minute', ['2024-04-02T12:30:00.000Z', '2024-04-02T12:31:00.000Z', '2024-04-02T12:32:00.000Z']],
    ['hour', ['2024-04-02T12:30:00.000Z']],
  ])('has a point for each %s with its beginning', async (interval, starts) => {
    await scene.clicks({ clickedAtMs: at('2024-04-02T12:31:59.999Z') });
    const { status, body } = await scene.timeline(
      `interval=${interval}&startDate=2024-04-02T12:30:00Z&endDate=2024-04-02T12:33:00Z`,
    );
    expect(status).toBe(200);
    expect(body.data.map(({ startsAt }: { startsAt: string }) => startsAt)).toEqual(starts);
    expect(body.totalClicks).toBe(1);
  });

  it('has points of weeks and months, and days without beginnings where no interval is given', async () => {
    const range = 'startDate=2024-02-28&endDate=2024-03-12&timezone=Europe/Berlin';
    const dates = async (query: string): Promise<string[]> =>
      (await scene.timeline(`${query}${range}`)).body.data.map(({ date }: { date: string }) => date);
    expect(await dates('interval=week&')).toEqual(['2024-02-26', '2024-03-04', '2024-03-11']);
    expect(await dates('interval=month&')).toEqual(['2024-02-01', '2024-03-01']);
    expect((await scene.timeline(range)).body.data[0]).toEqual({ date: '2024-02-28', count: 0 });
  });
});
