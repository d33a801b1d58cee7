import { describe, expect, test } from 'vitest';
import { importRows } from '#commands/imports/imports.ts';
import type { ImportFormat } from '#core/imports/formats.ts';
import { type CheckSettings, previewRows, RowCheck, type TargetDomain } from '#console/imports/new/check-rows.ts';
import { translate } from '#console/i18n/refusals/index.ts';
import { readFile } from '#console/imports/new/read-file.ts';
import { testSite, useTestApi } from '#test/support/api.ts';
import { findNoLocalAnswers } from '#test/support/local-answers.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { writeMultipart } from '#test/support/upload.ts';

const api = useTestApi();

const platform: TargetDomain = {
  id: '0195a1f0-6c1e-7c39-9a55-3f0d0f6f7c10',
  domain: 'go.example',
  shown: 'go.example:3001',
  createdAt: null,
  isPrimary: false,
  isVerified: true,
  isActive: true,
};
const own = (change: Partial<TargetDomain> = {}): TargetDomain => ({
  ...platform,
  id: '0195a1f0-6c1e-7c39-9a55-3f0d0f6f7c11',
  domain: 'links.example',
  shown: 'links.example',
  createdAt: '2026-03-14T15:09:26.535Z',
  isPrimary: true,
  ...change,
});

function check(csv: string | Buffer, settings: Partial<CheckSettings> = {}) {
  const file = readFile(Buffer.from(csv as string));
  const checking = new RowCheck(file, {
    format: 'csv',
    header: file.header,
    domains: [own(), platform],
    domainId: undefined,
    ...settings,
  });
  while (checking.next(2)) continue;
  return checking.result();
}

describe('RowCheck', () => {
  test('counts rows that become links, and reasons with the first rows of each', () => {
    const lines = Array.from({ length: 30 }, (_, index) =>
      index % 3 === 0
        ? `s ${index},https://example.com/`
        : `s${index},${index === 1 ? 'ftp://x' : 'https://example.com/'}`,
    );
    const result = check(['slug,url', ...lines].join('\n'));
    expect(result).toMatchObject({ done: 30, total: 30, ready: 19, repeated: 0, failed: 11 });
    expect(result.reasons).toEqual([
      { text: 'slug: may hold letters, digits, emoji and - _ . ~ only', count: 10, rows: [1, 4, 7, 10, 13] },
      { text: 'destination.value: must be an http or https URL', count: 1, rows: [2] },
    ]);
    expect(result.preview).toHaveLength(previewRows);
    expect(result.preview[2]).toEqual({
      row: 3,
      domain: 'links.example',
      slug: 's2',
      destination: 'https://example.com/',
      title: undefined,
      tags: [],
      folder: undefined,
      problem: undefined,
    });
  });

  test('what the answer of an import would remark is told before it begins', () => {
    const { remarks } = check(Buffer.from('url,created\nhttps://example.com/\xe8,31/12/2025\n', 'latin1'));
    expect(remarks).toEqual([
      expect.stringContaining('Windows-1252'),
      expect.stringContaining('random slug'),
      expect.stringContaining('day first'),
    ]);
    expect(check('slug,url\na,https://example.com/').remarks).toEqual([]);
  });

  test('the check names the first ten columns with values that no field is read from, without those that a person left out', () => {
    const filled = Array.from({ length: 12 }, (_, index) => `own ${index}`);
    const header = ['slug', 'url', ...filled, 'bare', 'dumped', 'ignored 17 (team)'];
    const row = ['a', 'https://example.com/', ...filled.map(() => 'x'), ' ', 'NULL', 'Sales'];
    const { remarks } = check([header.join(','), 'b,https://example.com/', row.join(',')].join('\n'));
    const names = filled.slice(0, 10).join(', ');
    expect(remarks).toEqual([`Columns with values that no field is read from: ${names}, and 2 more.`]);
    expect(translate(remarks.join(), 'de')).toBe(
      `Spalten mit Werten, aus denen kein Feld gelesen wird: ${names} und 2 weitere.`,
    );
  });

  test('a name that stands twice repeats its link, or fails with another destination', () => {
    const result = check('slug,url\nsale,https://a.example/\nsale,https://a.example/\nsale,https://b.example/');
    expect(result).toMatchObject({ ready: 1, repeated: 1, failed: 1 });
  });

  test('a row goes to the domain that it names, to the default one, or to none', () => {
    const domains = [
      own(),
      own({
        id: '0195a1f0-6c1e-7c39-9a55-3f0d0f6f7c12',
        domain: 'new.example',
        shown: 'new.example',
        isPrimary: false,
        isVerified: false,
      }),
      platform,
    ];
    expect(check('url\nhttps://a.example/', { domains: [own({ isActive: false }), platform] }).preview).toMatchObject([
      { domain: 'go.example:3001' },
    ]);
    const csv =
      'url,domain\nhttps://a.example/,\nhttps://a.example/,GO.example:3001\nhttps://a.example/,other.example\nhttps://a.example/,new.example';
    expect(check(csv, { domains }).preview.map(({ domain, problem }) => [domain, problem])).toEqual([
      ['links.example', undefined],
      ['go.example:3001', undefined],
      ['', 'This domain does not exist.'],
      ['', 'domain: is not verified yet'],
    ]);
    const all = check(csv, { domains, domainId: platform.id });
    expect(all).toMatchObject({ ready: 4, failed: 0 });
    expect(new Set(all.preview.map(({ domain }) => domain))).toEqual(new Set(['go.example:3001']));
  });

  test('an export of Waymark is read back, on the domain of the platform too', async () => {
    const { key } = await createOrganization(api.db);
    const options = { headers: { 'x-api-key': key } };
    const destination = { type: 'link', value: 'https://example.com/' };
    const rules = [{ priority: 0, countries: ['DE'], destination }];
    for (const rest of [{ title: '=SUM(A1)', tags: ['a', 'b|c'] }, { rules, notes: 'two\nlines' }, { isActive: false }])
      expect((await api.call('POST', '/short-link', { destination, ...rest }, options)).status).toBe(201);
    const text = (await api.app.inject({ url: '/short-link/export?bom=1', ...options })).body;
    const host = { domain: testSite.platformHost, shown: testSite.shownDomain };
    const domains = [{ ...platform, ...host }];
    const result = check(text, { format: 'waymark', domains });
    expect(result).toMatchObject({ total: 3, ready: 3, failed: 0 });
    expect(result.preview.map(({ title }) => title)).toContain('=SUM(A1)');
  });

  test.each<[ImportFormat, string]>([
    [
      'csv',
      'slug,url,tags,expires_at,password\na b,https://example.com/,x,,\nok,https://example.com/,,,\nok2,,,,\nok3,https://example.com/,,soon,\nok4,https://example.com/,,,secret\nok,https://example.com/,,,\nok,https://example.com/else,,,',
    ],
    [
      'bitly',
      'link,long_url,title\nhttps://bit.ly/fine,https://example.com/,T\nhttps://bit.ly/,nothing,T\nhttps://bit.ly/a%20b,https://example.com/,T',
    ],
    ['shlink', 'shortCode,longUrl,domain\nmail,mailto:ada@example.com,\nlong,https://example.com/,unknown.example'],
  ])('the API fails the same rows of a %s file', async (format, csv) => {
    const organization = await createOrganization(api.db);
    const { id: domainId, domain } = await createDomain(api.db, organization.id);
    const { header } = readFile(Buffer.from(csv));
    const mine = check(csv, { format, header, domains: [own({ id: domainId, domain, shown: domain }), platform] });

    const { payload, headers } = writeMultipart([{ filename: 'a.csv', content: csv }]);
    const options = { payload, headers: { ...headers, 'x-api-key': organization.key } };
    const { id } = (await api.call('POST', '/short-link/import', undefined, options)).body;
    for (const _ of ['rows', 'end'])
      await emOf(api.db).transactional((em) =>
        importRows(em, id, 100, { site: testSite, now: new Date(), findLocalAnswers: findNoLocalAnswers }),
      );
    const read = await api.call('GET', `/short-link/import/${id}/rows`, undefined, {
      headers: { 'x-api-key': organization.key },
    });
    const failed = read.body.data.filter(({ state }: { state: string }) => state === 'failed');
    const skipped = read.body.data.filter(({ state }: { state: string }) => state === 'skipped');
    const expected = mine.preview.filter(({ problem }) => problem !== undefined);
    expect(failed.map(({ row }: { row: number }) => row)).toEqual(expected.map(({ row }) => row));
    expect(skipped).toHaveLength(mine.repeated);
    // Names in use are the database's to tell.
    const reasons = expected.filter(({ problem }) => !problem?.includes('stands in the file before'));
    expect(failed.map(({ error }: { error: string }) => error)).toEqual(
      expect.arrayContaining(reasons.map(({ problem }) => problem)),
    );
  });
});
