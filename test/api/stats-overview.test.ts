import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { groupBys } from '../../core/stats.ts';
import { hideClicks } from '../../db/rollups.ts';
import { type Answer, createTestApi, type TestApi } from '../support/api.ts';
import { createLink, createTag, deleteLink } from '../support/edge-factories.ts';
import { createDomain, createFolder, createOrganization, type TestOrganization } from '../support/factories.ts';
import { ingestClicks, type TestClick, testClick } from '../support/stats.ts';

const day = 86_400_000;
const now = new Date('2024-04-02T12:34:56.789Z');

let api: TestApi;
let organization: TestOrganization;
let domains: { id: string; domain: string }[];
let links: { id: string; slug: string }[];

beforeAll(async () => {
  api = await createTestApi({ clock: () => now });
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  organization = await createOrganization(api.db);
  api.organization = organization;
  domains = [await createDomain(api.db, organization.id), await createDomain(api.db, organization.id)];
  links = [];
  for (const { id: domainId } of domains) {
    links.push(
      await createLink(api.db, { organizationId: organization.id, domainId, folderId: organization.folderId }),
    );
  }
});

/** Makes clicks of the first link now, but for what is given. */
async function clicks(...given: Partial<TestClick>[]): Promise<TestClick[]> {
  const made = given.map((one) =>
    testClick({
      organizationId: organization.id,
      linkId: links[0]!.id,
      domainId: domains[0]!.id,
      folderId: organization.folderId,
      clickedAtMs: now.getTime() - 1,
      ...one,
    }),
  );
  await ingestClicks(api.db, made);
  return made;
}
const overview = (query: string): Promise<Answer> => api.call('GET', `/stats/overview?${query}`);
const timeline = (query = ''): Promise<Answer> => api.call('GET', `/stats/clicks-over-time?${query}`);
const list = (query = ''): Promise<Answer> => api.call('GET', `/stats/clicks?${query}`);
const paths = ({ status, body }: Answer): unknown => [status, body.issues.map(({ path }: { path: string }) => path)];

describe('GET /stats/overview', () => {
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
    await clicks(full, full, { linkId: links[1]!.id, device: 'other' });
    const label = (index: number): string => `http://${domains[index]!.domain}:3001/${links[index]!.slug}`;
    const expected: Record<string, [string, string]> = {
      qrCode: ['qr', 'link'],
      referer: ['news.example', 'direct'],
      destination: ['https://example.com/a', 'https://example.com/'],
      device: ['mobile', 'other'],
    };
    for (const groupBy of groupBys) {
      const { status, body } = await overview(`groupBy=${groupBy}`);
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
            { group: links[0]!.id, count: 2, label: label(0) },
            { group: links[1]!.id, count: 1, label: label(1) },
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
    await clicks(...Array.from({ length: 25 }, (_, index) => ({ city: `City ${String.fromCodePoint(97 + index)}` })), {
      city: 'City y',
    });
    const { body } = await overview('groupBy=city');
    expect(body.data.slice(0, 3)).toEqual([
      { group: 'City y', count: 2 },
      { group: 'City a', count: 1 },
      { group: 'City b', count: 1 },
    ]);
    expect([body.data.length, body.totalClicks]).toEqual([10, 26]);
    expect((await overview('groupBy=city&limit=20')).body.data).toHaveLength(20);
    expect((await overview('groupBy=city&limit=1')).body).toEqual({
      data: [{ group: 'City y', count: 2 }],
      totalClicks: 26,
    });
  });

  test('is empty where nothing was clicked', async () => {
    for (const groupBy of groupBys)
      expect((await overview(`groupBy=${groupBy}`)).body).toEqual({ data: [], totalClicks: 0 });
  });

  test('starts with startDate, ends before endDate, and takes 30 days when told neither', async () => {
    const at = (text: string) => ({ clickedAtMs: Date.parse(text), country: text.slice(8, 10) });
    await clicks(
      at('2024-03-03T12:34:56.789Z'),
      at('2024-03-03T12:34:56.788Z'),
      at('2024-03-10T00:00:00.000Z'),
      at('2024-03-11T00:00:00.000Z'),
    );
    const groups = async (query: string) =>
      (await overview(`groupBy=country&${query}`)).body.data.map(({ group, count }: never) => [group, count]);
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
    const folderId = await createFolder(api.db, organization.id);
    const tags = [await createTag(api.db, organization.id), await createTag(api.db, organization.id)];
    await clicks(
      { country: 'AA', tagIds: [tags[0]!] },
      { country: 'BB', tagIds: tags, folderId },
      { country: 'CC', linkId: links[1]!.id, domainId: domains[1]!.id },
    );
    const groups = async (query: string) => {
      const { body } = await overview(`groupBy=country&${query}`);
      expect(body.totalClicks).toBe(body.data.length);
      return body.data.map(({ group }: { group: string }) => group).join(' ');
    };
    const [a, b] = [links[0]!.id, links[1]!.id];
    expect(await groups(`shortLinkIds=${a}`)).toBe('AA BB');
    expect(await groups(`shortLinkIds=${a}&shortLinkIds=${b}`)).toBe('AA BB CC');
    expect(await groups(`shortLinkIds[]=${a}&shortLinkIds[]=${b}`)).toBe('AA BB CC');
    expect(await groups(`shortLinkIds%5B%5D=${b}`)).toBe('CC');
    expect(await groups(`shortLinkIds=${a},${b}`)).toBe('AA BB CC');
    expect(await groups(`shortLinkIds=${a.toUpperCase()}`)).toBe('AA BB');
    expect(await groups(`domainIds=${domains[1]!.id}`)).toBe('CC');
    expect(await groups(`folderIds=${folderId}`)).toBe('BB');
    expect(await groups(`tagIds=${tags[1]}`)).toBe('BB');
    expect(await groups(`tagIds=${tags.join(',')}`)).toBe('AA BB');
    expect(await groups(`tagIds=${tags[0]}&folderIds=${organization.folderId}`)).toBe('AA');
    expect(await groups(`tagIds=${tags[0]}&domainIds=${domains[1]!.id}`)).toBe('');
  });

  test('what is unknown, or belongs to others, matches nothing', async () => {
    const mine = organization;
    await clicks({}, {});
    const stranger = await createOrganization(api.db);
    api.organization = stranger;
    expect((await overview(`groupBy=country&shortLinkIds=${links[0]!.id}`)).body).toEqual({ data: [], totalClicks: 0 });
    expect((await overview(`groupBy=shortLinks&folderIds=${mine.folderId}`)).body).toEqual({
      data: [],
      totalClicks: 0,
    });
    api.organization = mine;
    expect((await overview(`groupBy=country&folderIds=${stranger.folderId}`)).body).toEqual({
      data: [],
      totalClicks: 0,
    });
    expect((await overview(`groupBy=country&tagIds=${uuidv7()}`)).body).toEqual({ data: [], totalClicks: 0 });
  });

  test('has nothing of a deleted link', async () => {
    await clicks({}, { linkId: links[1]!.id });
    await api.db.transaction(async (tx) => {
      await deleteLink(tx, links[0]!.id);
      await hideClicks(tx, [links[0]!.id]);
    });
    expect((await overview('groupBy=shortLinks')).body).toMatchObject({
      data: [{ group: links[1]!.id, count: 1 }],
      totalClicks: 1,
    });
    expect((await overview(`groupBy=uniqueVisitors&shortLinkIds=${links[0]!.id}`)).body.totalClicks).toBe(0);
    expect((await timeline()).body.totalClicks).toBe(1);
    expect((await list()).body.data).toHaveLength(1);
  });

  test('has busy days counted by value when somebody looks, and stays right', async () => {
    await clicks(
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
    expect((await overview('groupBy=country')).body).toEqual(seen);
    expect((await overview('groupBy=country')).body).toEqual(seen);
  });

  test('names every wrong field', async () => {
    expect(paths(await overview(''))).toEqual([400, ['groupBy']]);
    expect(paths(await overview('groupBy=ip'))).toEqual([400, ['groupBy']]);
    for (const limit of ['0', '21', '-1', '1.5', 'ten', '', '1&limit=2'])
      expect(paths(await overview(`groupBy=city&limit=${limit}`))).toEqual([400, ['limit']]);
    expect(paths(await overview('groupBy=city&timezone=UTC&foo=1'))).toEqual([400, ['timezone', 'foo']]);
    for (const date of ['yesterday', '2024-01-01', '2024-02-30T00:00:00Z', '2024-01-01T00:00:00', ''])
      expect(paths(await overview(`groupBy=city&startDate=${date}`))).toEqual([400, ['startDate']]);
    expect(paths(await overview('groupBy=city&startDate=2024-03-11T00:00:00Z&endDate=2024-03-10T00:00:00Z'))).toEqual([
      400,
      ['startDate'],
    ]);
    expect(paths(await overview('groupBy=city&startDate=2024-05-11T00:00:00Z'))).toEqual([400, ['startDate']]);
    expect(paths(await overview(`groupBy=city&tagIds=${uuidv7()},x&shortLinkIds=`))).toEqual([
      400,
      ['shortLinkIds.0', 'tagIds.1'],
    ]);
  });

  test('needs the permission to read statistics', async () => {
    api.organization = await createOrganization(api.db, { permissions: { shortLinks: ['read'] } });
    for (const path of ['overview?groupBy=city', 'clicks-over-time', 'clicks', 'export'])
      expect(await api.call('GET', `/stats/${path}`)).toMatchObject({
        status: 403,
        body: { code: 'ACTION_NOT_ALLOWED', resource: 'stats', action: 'read' },
      });
  });
});
