import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { now, paths, useStatsScene } from '#test/support/stats-scene.ts';

const scene = useStatsScene();

describe('GET /stats/clicks-over-time', () => {
  test('has a point a day, none left out', async () => {
    await scene.clicks(
      { clickedAtMs: Date.parse('2024-03-30T23:59:59.999Z') },
      { clickedAtMs: Date.parse('2024-04-01T00:00:00Z') },
      {},
    );
    expect((await scene.timeline('startDate=2024-03-30T00:00:00Z')).body).toEqual({
      data: [
        { date: '2024-03-30', count: 1 },
        { date: '2024-03-31', count: 0 },
        { date: '2024-04-01', count: 1 },
        { date: '2024-04-02', count: 1 },
      ],
      totalClicks: 3,
    });
    const { body } = await scene.timeline();
    expect([body.data.length, body.data[0], body.data.at(-1), body.totalClicks]).toEqual([
      31,
      { date: '2024-03-03', count: 0 },
      { date: '2024-04-02', count: 1 },
      3,
    ]);
  });

  test('has the days of the time zone', async () => {
    // In Berlin, 31 March 2024 has 23 hours.
    const times = [
      '2024-03-30T22:59:59Z',
      '2024-03-30T23:00:00Z',
      '2024-03-31T21:59:59Z',
      '2024-03-31T22:00:00Z',
      '2024-03-31T18:30:00Z',
    ];
    await scene.clicks(...times.map((text) => ({ clickedAtMs: Date.parse(text) })));
    const counts = async (zone: string) =>
      Object.fromEntries(
        (await scene.timeline(`timezone=${zone}`)).body.data
          .map(({ date, count }: { date: string; count: number }) => [date, count])
          .filter(([, count]: [string, number]) => count > 0),
      );
    expect(await counts('UTC')).toEqual({ '2024-03-30': 2, '2024-03-31': 3 });
    expect(await counts('Europe/Berlin')).toEqual({ '2024-03-30': 1, '2024-03-31': 3, '2024-04-01': 1 });
    expect(await counts('Asia/Kolkata')).toEqual({ '2024-03-31': 2, '2024-04-01': 3 });
    expect(await counts('Pacific/Honolulu')).toEqual({ '2024-03-30': 2, '2024-03-31': 3 });
  });

  test.each(['UTC', 'America/New_York'])('goes back to the beginning of time in %s', async (timezone) => {
    await scene.clicks({}, { clickedAtMs: Date.parse('2024-01-01T12:00:00Z') });
    const { status, body } = await scene.timeline(`startDate=1970-01-01T00:00:00Z&timezone=${timezone}`);
    expect(status).toBe(200);
    expect(body.totalClicks).toBe(2);
    expect(body.data.filter(({ count }: { count: number }) => count > 0)).toEqual([
      { date: '2024-01-01', count: 1 },
      { date: '2024-04-02', count: 1 },
    ]);
    expect(body.data).toHaveLength(Math.ceil(now.getTime() / 86_400_000) + (timezone === 'UTC' ? 0 : 1));
  });

  test('refuses a start before 1970, from which it would leave days out', async () => {
    const { status, body } = await scene.timeline('startDate=1969-12-31&endDate=1970-01-03&timezone=Europe/Berlin');
    expect([status, body.issues]).toEqual([400, [{ path: 'startDate', message: 'must not be before 1970' }]]);
    const first = await scene.timeline('startDate=1970-01-01&endDate=1970-01-03&timezone=Europe/Berlin');
    expect(first.body.data.map(({ date }: { date: string }) => date)).toEqual(['1970-01-01', '1970-01-02']);
  });

  test.each(['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
    'goes on to the end of dates in %s',
    async (timezone) => {
      const { status, body } = await scene.timeline(
        `startDate=9999-12-30T00:00:00Z&endDate=9999-12-31T23:59:59Z&timezone=${timezone}`,
      );
      expect(status).toBe(200);
      expect(body.totalClicks).toBe(0);
      expect(body.data.slice(-2).map(({ date }: { date: string }) => date)).toEqual(['9999-12-30', '9999-12-31']);
    },
  );
});

describe('GET /stats/clicks', () => {
  test('lists clicks with all their fields', async () => {
    const [click] = await scene.clicks({ country: 'DE', utmSource: 'mail', isQrCode: true });
    expect((await scene.list()).body).toEqual({
      data: [
        {
          id: click!.id,
          clickedAt: new Date(click!.clickedAtMs).toISOString(),
          shortLinkId: scene.links[0]!.id,
          domainId: scene.domains[0]!.id,
          country: 'DE',
          region: null,
          city: null,
          continent: null,
          lang: null,
          device: 'desktop',
          browser: null,
          os: null,
          referer: null,
          utmSource: 'mail',
          utmMedium: null,
          utmCampaign: null,
          utmTerm: null,
          utmContent: null,
          isQrCode: true,
          destination: 'https://example.com/',
        },
      ],
      nextCursor: null,
    });
  });

  test('pages through all of them, newest first, each once, also those of one moment', async () => {
    const made = await scene.clicks(
      ...Array.from({ length: 25 }, (_, index) => ({ clickedAtMs: now.getTime() - 1 - Math.floor(index / 8) })),
    );
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; page < 9; page += 1) {
      const { body } = await scene.list(`limit=4${cursor}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      if (body.nextCursor === null) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    const order = made.toSorted((a, b) => b.clickedAtMs - a.clickedAtMs || (a.id < b.id ? 1 : -1));
    expect(seen).toEqual(order.map(({ id }) => id));
    expect((await scene.list('limit=25')).body.nextCursor).toBeNull();
    expect((await scene.list('limit=24')).body.nextCursor).not.toBeNull();
    expect((await scene.list()).body.data).toHaveLength(25);
  });

  test('names every wrong field', async () => {
    for (const cursor of [
      '',
      'x',
      'bnVsbA',
      Buffer.from('1 2').toString('base64url'),
      `${Buffer.from(`1 ${uuidv7()}`).toString('base64url')}=`,
      Buffer.from(`-1 ${uuidv7()}`).toString('base64url'),
      // The year 10000.
      Buffer.from(`253402300800000 ${uuidv7()}`).toString('base64url'),
      Buffer.from(`999999999999999 ${uuidv7()}`).toString('base64url'),
    ])
      expect(paths(await scene.list(`cursor=${encodeURIComponent(cursor)}`))).toEqual([400, ['cursor']]);
  });
});

describe('GET /stats/export', () => {
  const get = async (query = '') =>
    scene.api.app.inject({ url: `/stats/export?${query}`, headers: { 'x-api-key': scene.organization.key } });

  test('is a table of all clicks, newest first', async () => {
    await scene.clicks(
      { clickedAtMs: now.getTime() - 2, city: 'Frankfurt, "Main"', utmSource: 'x;=cmd()', utmTerm: 'a\nb' },
      { clickedAtMs: now.getTime() - 1, linkId: scene.links[1]!.id },
    );
    const { statusCode, headers, body } = await get();
    expect([statusCode, headers['content-type'], headers['content-disposition']]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'attachment; filename="clicks.csv"',
    ]);
    const [header, first, ...rest] = body.split('\r\n');
    expect(header).toBe(
      '"id","clickedAt","shortLinkId","domainId","country","region","city","continent","lang","device","browser","os","referer","utmSource","utmMedium","utmCampaign","utmTerm","utmContent","isQrCode","destination"',
    );
    expect((await get('bom=1')).body).toBe(`\uFEFF${body}`);
    expect(first).toContain(
      `"${scene.links[1]!.id}","${scene.domains[0]!.id}","","","","","","desktop","","","","","","","","","false","https://example.com/"`,
    );
    expect(rest.join('\r\n')).toContain(
      `,"Frankfurt, ""Main""","","","desktop","","","","'x;'=cmd()","","","a\nb","","false","https://example.com/"\r\n`,
    );
  });

  test('goes on from page to page, and takes filters', { tags: 'slow' }, async () => {
    const made = await scene.clicks(
      ...Array.from({ length: 10_001 }, (_, index) => ({ clickedAtMs: now.getTime() - 1 - Math.floor(index / 3) })),
    );
    const { body } = await get();
    const ids = body
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.slice(1, 37));
    expect(new Set(ids)).toEqual(new Set(made.map(({ id }) => id)));
    expect(ids).toHaveLength(10_001);
    expect((await get(`shortLinkIds=${scene.links[1]!.id}`)).body.split('\r\n')).toHaveLength(2);
  });

  test('reads no further than is taken', { tags: 'slow' }, async () => {
    await scene.clicks(
      ...Array.from({ length: 15_000 }, () => ({ destination: `https://example.com/${'x'.repeat(300)}` })),
    );
    const address = await scene.api.app.listen({ host: '127.0.0.1', port: 0 });
    const before = scene.api.db.pool.totalCount;
    const answer = await fetch(`${address}/stats/export`, { headers: { 'x-api-key': scene.organization.key } });
    const reader = answer.body!.getReader();
    await reader.read();
    // While the client is slow, no connection is held.
    const { pool } = scene.api.db;
    await eventually(
      () => [pool.idleCount, pool.totalCount],
      ([idle, total]) => idle === total,
    );
    expect(before).toBeGreaterThan(0);
    let size = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) size += part.value.length;
    expect(size).toBeGreaterThan(15_000 * 300 - 100_000);
  });
});
