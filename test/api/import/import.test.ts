// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDomain, createFolder, createOrganization } from '#test/support/factories.ts';
import { type ImportStack, startImportStack } from '#test/support/import-stack.ts';
import { writeMultipart } from '#test/support/upload.ts';

let stack: ImportStack;
beforeAll(async () => {
  stack = await startImportStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** A slug that no link has. */
const slug = (): string => `s-${uuidv7().slice(-12)}`;
const read = async (id: string | null, key?: string) =>
  (await stack.api.call('GET', `/short-link/${id}`, undefined, { headers: key ? { 'x-api-key': key } : {} })).body;

describe('POST /short-link/import 201', () => {
  test('tells of an import that is about to begin', async () => {
    const { status, body } = await stack.send('destination\nhttps://example.com/\n');
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      state: 'pending',
      format: 'csv',
      total: 1,
      imported: 0,
      skipped: 0,
      failed: 0,
      notMade: 0,
      ignoredColumns: [],
      encoding: 'utf-8',
      separator: ',',
      remarks: ['No column is read as slug or short URL: each link gets a random slug.'],
      createdAt: expect.any(String),
      finishedAt: null,
      undo: null,
    });
  });

  test.each([
    [
      'csv',
      (s: string) => `Slug;URL;Title;Tags;Created At\n${s};https://example.com/a?b=c;A title;one,two;2019-03-04\n`,
    ],
  ])('imports a file of %s', async (format, fileOf) => {
    const name = slug();
    const { counts, rows, state } = await stack.run(fileOf(name));
    expect({ state, counts }).toEqual({ state: 'completed', counts: { total: 1, imported: 1, skipped: 0, failed: 0 } });
    expect(rows).toEqual([{ row: 1, state: 'imported', shortLinkId: expect.any(String), error: null }]);
    const link = await read(rows[0]!.shortLinkId);
    expect(link).toMatchObject({
      slug: name,
      title: 'A title',
      destination: { type: 'link', value: 'https://example.com/a?b=c' },
    });
    expect(link.createdAt.slice(0, 10)).toBe('2019-03-04');
    const hasTags = !['yourls', 'kutt'].includes(format);
    expect(link.tags.map((tag: { name: string }) => tag.name)).toEqual(hasTags ? ['one', 'two'] : []);
    // Named, it is the same; its links are there by now.
    const again = await stack.run(fileOf(name), { format });
    expect(again.rows).toEqual([{ row: 1, state: 'skipped', shortLinkId: link.id, error: expect.any(String) }]);
  });

  test.each([
    [
      'rebrandly',
      (s: string) =>
        `id,createdAt,shortUrl,domain,slashtag,destination,title,description,folder\nabc123,2019-03-04T05:06:07.000Z,mysite.link/${s},mysite.link,${s},https://example.com/a?b=c,A title,A note,Moved\n`,
      ['id'],
      [],
      { notes: 'A note' },
    ],
  ])('imports an export of %s, with all that it holds', async (format, fileOf, ignoredColumns, tags, fields) => {
    const name = slug();
    const { id, rows, counts } = await stack.run(fileOf(name));
    expect(counts).toEqual({ total: 1, imported: 1, skipped: 0, failed: 0 });
    const { body } = await stack.api.call('GET', `/short-link/import/${id}`);
    expect(body).toMatchObject({ format, ignoredColumns });
    const link = await read(rows[0]!.shortLinkId);
    expect(link).toMatchObject({
      slug: name,
      title: 'A title',
      destination: { type: 'link', value: 'https://example.com/a?b=c' },
      ...fields,
    });
    expect(link.createdAt).toBe('2019-03-04T05:06:07.000Z');
    expect(link.tags.map((tag: { name: string }) => tag.name)).toEqual(tags);
    const { body: folder } = await stack.api.call('GET', `/folder/${link.folderId}`);
    expect(folder.name === 'Moved').toBe(format === 'rebrandly');
  });

  test('takes columns in any order, unknown ones, and rows that are short or have empty cells too many', async () => {
    const [one, two] = [slug(), slug()];
    const { rows } = await stack.run(
      `clicks,title,URL,whatever,keyword\r\n7,"Says ""hi"", twice",https://example.com/,x,${one}\r\n\r\n7,,https://example.com/,,${two},, \r\n1,short\r\n`,
    );
    expect(rows.map(({ state }) => state)).toEqual(['imported', 'imported', 'failed']);
    expect(await read(rows[0]!.shortLinkId)).toMatchObject({ slug: one, title: 'Says "hi", twice' });
    expect(await read(rows[1]!.shortLinkId)).toMatchObject({ slug: two, title: null });
  });

  test('gives every row a result of its own, with the fields that are wrong', async () => {
    const taken = slug();
    await stack.api.call('POST', '/short-link', {
      slug: taken,
      destination: { type: 'link', value: 'https://example.com/other' },
    });
    const good = slug();
    const { counts, rows } = await stack.run(
      [
        'slug,destination,maxClicks,expiresAt,isActive',
        `${good},https://example.com/1,10,2020-01-01T00:00:00Z,no`,
        `a/b,ftp://example.com/,0,,maybe`,
        `${taken},https://example.com/mine,,,`,
        `${good},https://example.com/1,,,`,
        `${good},https://example.com/2,,,`,
        `,https://example.com/generated,,,`,
      ].join('\n'),
    );
    expect(counts).toEqual({ total: 6, imported: 2, skipped: 1, failed: 3 });
    expect(rows.map(({ state }) => state)).toEqual(['imported', 'failed', 'failed', 'skipped', 'failed', 'imported']);
    // A date in the past is kept.
    expect(await read(rows[0]!.shortLinkId)).toMatchObject({
      expiresAt: '2020-01-01T00:00:00.000Z',
      maxClicks: 10,
      isActive: false,
    });
    for (const field of ['slug', 'destination.value', 'maxClicks', 'isActive'])
      expect(rows[1]!.error).toContain(`${field}: `);
    expect(rows[2]).toMatchObject({ shortLinkId: null, error: 'This slug is in use.' });
    expect(rows[3]!.shortLinkId).toBe(rows[0]!.shortLinkId);
    expect((await read(rows[5]!.shortLinkId)).slug).toMatch(/^[1-9A-HJ-NP-Za-km-z]{7}$/);
  });

  test('sends links to the domain and folder that are named for all', async () => {
    const { organization, db } = stack.api;
    const domain = await createDomain(db, organization.id);
    const folderId = await createFolder(db, organization.id);
    const name = slug();
    const { rows } = await stack.run(`link,long_url\nbit.ly/${name},https://example.com/\n`, {
      domainId: domain.id,
      folderId,
    });
    expect(await read(rows[0]!.shortLinkId)).toMatchObject({ domainId: domain.id, folderId, slug: name });
  });

  test(
    "keeps a domain that is the organization's, and takes the default one for any other service's",
    { tags: 'slow' },
    async () => {
      const { organization, db } = stack.api;
      const domain = await createDomain(db, organization.id);
      const unverified = await createDomain(db, organization.id, { isVerified: false });
      const names = [slug(), slug(), slug()];
      const { rows } = await stack.run(
        `link,long_url\nhttps://${domain.domain}/${names[0]},https://example.com/\nhttps://${unverified.domain}/${names[1]},https://example.com/\nhttps://bit.ly/${names[2]},https://example.com/\n`,
      );
      const domains = await Promise.all(rows.map(async ({ shortLinkId }) => (await read(shortLinkId)).domain.domain));
      expect(domains).toEqual([domain.domain, 'localhost', 'localhost']);
      const strict = await stack.run(
        `slug,destination,domain\n${slug()},https://example.com/,${domain.domain.toUpperCase()}\n${slug()},https://example.com/,bit.ly\n${slug()},https://example.com/,${unverified.domain}\n`,
      );
      expect(strict.rows.map(({ state, error }) => [state, error])).toEqual([
        ['imported', null],
        ['failed', 'This domain does not exist.'],
        ['failed', 'domain: is not verified yet'],
      ]);
    },
  );

  test('an empty file is done at once', async () => {
    expect(await stack.run('keyword,url\n')).toMatchObject({ state: 'completed', counts: { total: 0 }, rows: [] });
  });

  test('with an Idempotency-Key it begins once', async () => {
    const headers = { 'idempotency-key': uuidv7() };
    // It is its content that counts, and not the file's name.
    const begin = (filename: string) => {
      const form = writeMultipart([{ filename, content: 'keyword,url\nonce,https://example.com/\n' }]);
      return stack.api.call('POST', '/short-link/import', undefined, {
        payload: form.payload,
        headers: { ...form.headers, ...headers },
      });
    };
    const [first, second] = [await begin('a.csv'), await begin('b.csv')];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.id).toBe(first.body.id);
    expect(second.headers['idempotency-replayed']).toBe('true');
  });
});

describe('POST /short-link/import 400', () => {
  const refused = async (content: string | Buffer, parts: Record<string, string> = {}) => {
    const { status, body } = await stack.send(content, parts);
    expect(status).toBe(400);
    expect(body.code).toBe('VALIDATION_ERROR');
    return body.issues as { path: string; message: string }[];
  };

  test.each([
    ['binary', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1])],
    ['text of no encoding that is read', Buffer.from('keyword,url\ncaf\x81,https://example.com/\n', 'latin1')],
    ['no column for the destination', 'keyword,title\na,b\n'],
    ['a quote that is not closed', 'keyword,url\na,"https://example.com/\n'],
    ['nothing but an empty line', '\n'],
  ])('%s', async (_, content) => {
    expect(await refused(content)).toEqual([{ path: 'file', message: expect.any(String) }]);
  });

  test('a format whose columns are missing, and an unknown format', async () => {
    expect(await refused('keyword,url\na,https://example.com/\n', { format: 'kutt' })).toEqual([
      { path: 'file', message: expect.stringContaining('kutt') },
    ]);
    expect(await refused('keyword,url\n', { format: 'excel' })).toEqual([
      { path: 'format', message: expect.any(String) },
    ]);
  });

  test('no file, an empty one, a field instead of one, an unknown part', async () => {
    for (const parts of [[], [{ content: '' }], [{ filename: null, content: 'keyword,url' }]]) {
      const form = writeMultipart(parts);
      const { status, body } = await stack.api.call('POST', '/short-link/import', undefined, form);
      expect(status).toBe(400);
      expect(body.issues[0].path).toBe('file');
    }
    expect(await refused('keyword,url\n', { domain: 'a.example' })).toEqual([
      { path: 'domain', message: expect.any(String) },
    ]);
  });

  test('a domain that is not verified', async () => {
    const { id } = await createDomain(stack.api.db, stack.api.organization.id, { isVerified: false });
    expect(await refused('keyword,url\n', { domainId: id })).toEqual([
      { path: 'domainId', message: 'is not verified yet' },
    ]);
  });
});

describe('POST /short-link/import 403, 404', () => {
  test("another organization's domain or folder, and unknown ones", async () => {
    const { db } = stack.api;
    const other = await createOrganization(db);
    const domain = await createDomain(db, other.id);
    for (const [parts, status] of [
      [{ domainId: domain.id }, 403],
      [{ folderId: other.folderId }, 403],
      [{ domainId: uuidv7() }, 404],
      [{ folderId: uuidv7() }, 404],
    ] as const)
      expect((await stack.send('keyword,url\n', parts)).status).toBe(status);
  });
});

describe('GET /short-link/import/{id}/rows', () => {
  test('pages them in order, all or of one state', async () => {
    const lines = Array.from({ length: 25 }, (_, index) =>
      index % 5 === 0 ? ',nowhere' : `${slug()},https://example.com/`,
    );
    const { id } = await stack.run(['keyword,url', ...lines].join('\n'));
    const rows = async (query: string) => (await stack.api.call('GET', `/short-link/import/${id}/rows${query}`)).body;
    const numbers = (body: { data: { row: number }[] }) => body.data.map(({ row }) => row);
    const first = await rows('');
    expect(first.count).toBe(25);
    expect(numbers(first)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(numbers(await rows('?limit=10&page=2'))).toEqual([21, 22, 23, 24, 25]);
    const failed = await rows('?state=failed&limit=3');
    expect([failed.count, numbers(failed)]).toEqual([5, [1, 6, 11]]);
    expect(await rows('?state=skipped')).toEqual({ count: 0, data: [] });
    expect(await rows('?limit=0')).toEqual({ count: 25, data: [] });
    expect((await stack.api.call('GET', `/short-link/import/${id}/rows?state=pending`)).status).toBe(400);
  });
});
