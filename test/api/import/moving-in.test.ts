// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDomain } from '#test/support/factories.ts';
import { type FinishedImport, type ImportStack, startImportStack } from '#test/support/import-stack.ts';

// Files as the services, and dumps of their tables, write them.

let stack: ImportStack;
let host: string;
beforeAll(async () => {
  stack = await startImportStack();
  host = (await createDomain(stack.api.db, stack.api.organization.id)).domain;
});
afterAll(() => stack[Symbol.asyncDispose]());

/** What the rows of an import became, in their order: the links' fields, or why they failed. */
async function outcome({ rows }: FinishedImport): Promise<unknown[]> {
  return Promise.all(
    rows.map(async ({ shortLinkId, error }) => {
      if (shortLinkId === null) return error;
      const { body } = await stack.api.call('GET', `/short-link/${shortLinkId}`);
      return { ...body, tags: body.tags.map(({ name }: { name: string }) => name) };
    }),
  );
}

async function move(content: string | Buffer, parts: Record<string, string> = {}) {
  const done = await stack.run(content, parts);
  const { body } = await stack.api.call('GET', `/short-link/import/${done.id}`);
  return { body, links: await outcome(done) };
}

/** A beginning of slugs that no other file has. */
const prefix = (): string => `m${uuidv7().slice(-10)}`;
const future = '2099-05-01T08:00:00.000Z';

describe('people who move in', () => {
  test('from Polr: a dump of its table keeps endings, and nothing secret or disabled comes alive', async () => {
    const p = prefix();
    const { body, links } = await move(
      [
        'id,short_url,long_url,ip,creator,clicks,secret_key,is_disabled,is_custom,created_at,updated_at,long_url_hash,is_api',
        `1,${p}1,https://example.com/1,127.0.0.1,admin,3,,0,1,2016-05-04 10:20:30,2016-05-04 10:20:30,11aa,0`,
        `2,${p}2,https://example.com/2,127.0.0.1,admin,0,x7fa,0,0,2016-05-04 10:20:30,2016-05-04 10:20:30,22aa,0`,
        `3,${p}3,https://example.com/3,127.0.0.1,NULL,0,NULL,1,0,0000-00-00 00:00:00,NULL,33aa,0`,
      ].join('\n'),
    );
    expect(body).toMatchObject({ format: 'polr', imported: 2, failed: 1 });
    expect(links).toEqual([
      expect.objectContaining({ slug: `${p}1`, isActive: true, createdAt: '2016-05-04T10:20:30.000Z' }),
      expect.stringMatching(/^secret_key: /),
      expect.objectContaining({ slug: `${p}3`, isActive: false }),
    ]);
  });

  test('from Kutt: a dump of its table keeps ends and bans, and the row of a password or an unnamed domain fails', async () => {
    const p = prefix();
    const { body, links } = await move(
      [
        'id,address,description,banned,banned_by_id,domain_id,password,expire_in,target,user_id,visit_count,created_at,updated_at,uuid',
        String.raw`1,${p}1,A title,f,\N,\N,\N,2099-05-01 08:00:00+00,https://example.com/1,1,12,2020-04-01 09:08:07.123+00,2020-04-01 09:08:07.123+00,u-1`,
        String.raw`2,${p}2,\N,t,1,\N,\N,\N,https://example.com/2,1,0,2020-04-01 09:08:07.123456 +0000 UTC,2020-04-01 09:08:07+00,u-2`,
        String.raw`3,${p}3,\N,f,\N,\N,$2a$12$abc,\N,https://example.com/3,1,0,2020-04-01 09:08:07+00,\N,u-3`,
        String.raw`4,${p}4,\N,f,\N,7,\N,\N,https://example.com/4,1,0,2020-04-01 09:08:07+00,\N,u-4`,
        String.raw`5,${p}5,\N,f,\N,\N,\N,2 days,https://example.com/5,1,0,2020-04-01 09:08:07+00,\N,u-5`,
      ].join('\n'),
    );
    expect(body).toMatchObject({ format: 'kutt', imported: 2, failed: 3 });
    expect(links).toEqual([
      expect.objectContaining({
        slug: `${p}1`,
        title: 'A title',
        expiresAt: future,
        createdAt: '2020-04-01T09:08:07.123Z',
      }),
      expect.objectContaining({ slug: `${p}2`, isActive: false, title: null, createdAt: '2020-04-01T09:08:07.123Z' }),
      expect.stringMatching(/^password: /),
      expect.stringMatching(/^domain: .*7/),
      expect.stringMatching(/^expiresAt: is no moment/),
    ]);
  });

  test('from Dub: archived links redirect on with a tag, and a password, a ban and an end are seen', async () => {
    const p = prefix();
    const labels = await move(
      `Short link,Destination URL,Clicks,Created at,Link ID,Updated at,Tags,Archived\nhttps://${host}/${p}0,https://example.com/0,3,"Jan 2, 2026",link_0,2026-01-02T00:00:00.000Z,"one, two",true\n`,
    );
    expect(labels.links).toMatchObject([
      { slug: `${p}0`, isActive: true, isArchived: false, tags: ['one', 'two', 'archived'], domain: { domain: host } },
    ]);
    expect(labels.body.remarks).toEqual([
      expect.stringMatching(/passwords or end dates/),
      expect.stringContaining('"archived"'),
    ]);
    const { body, links } = await move(
      [
        'id,domain,key,url,archived,expiresAt,expiredUrl,passwordEnabledAt,externalId,banned,shortLink,clicks,maxClicks,createdAt',
        `l1,${host},${p}1,https://example.com/1,false,${future},https://example.com/over,,ext-${p},false,https://${host}/${p}1,5,20,2026-01-02T00:00:00.000Z`,
        `l2,${host},${p}2,https://example.com/2,false,,,2026-01-02T00:00:00.000Z,,false,https://${host}/${p}2,0,,2026-01-02T00:00:00.000Z`,
        `l3,${host},${p}3,https://example.com/3,true,,,,,true,https://${host}/${p}3,20,20,2026-01-02T00:00:00.000Z`,
        `l4,${host},_root,https://example.com/4,false,,,,,false,https://${host},0,,2026-01-02T00:00:00.000Z`,
      ].join('\n'),
    );
    expect(body).toMatchObject({ format: 'dub', imported: 2, failed: 2 });
    expect(links).toEqual([
      expect.objectContaining({
        slug: `${p}1`,
        expiresAt: future,
        expiredUrl: 'https://example.com/over',
        externalId: `ext-${p}`,
        maxClicks: 15,
      }),
      expect.stringMatching(/^passwordEnabledAt: /),
      expect.objectContaining({ slug: `${p}3`, isActive: false, isArchived: false, tags: ['archived'] }),
      expect.stringMatching(/^slug: /),
    ]);
  });

  test('from Bitly: hidden links redirect on with a tag, deleted ones do not', async () => {
    const p = prefix();
    const { body, links } = await move(
      [
        'Link,Custom Link,Date created,Title,Destination URL,Engagements,Status',
        `https://bit.ly/3x${p}1,https://${host}/${p}1,2024-01-15T10:00:00+0000,One,https://example.com/1,"1,234",Active`,
        `https://bit.ly/${p}2,,2024-01-15T10:00:00+0000,Two,https://example.com/2,0,Archived`,
        `https://bit.ly/${p}3,,2024-01-15T10:00:00+0000,Three,https://example.com/3,0,Deleted`,
        `https://bit.ly/${p}4,,2024-01-15T10:00:00+0000,Four,https://example.com/4,0,Under review`,
        ',,,,,,',
      ].join('\n'),
    );
    expect(body).toMatchObject({ format: 'bitly', total: 4, imported: 3, failed: 1, ignoredColumns: ['Engagements'] });
    expect(links).toEqual([
      expect.objectContaining({ slug: `${p}1`, isActive: true, tags: [] }),
      expect.objectContaining({ slug: `${p}2`, isActive: true, isArchived: false, tags: ['archived'] }),
      expect.objectContaining({ slug: `${p}3`, isActive: false }),
      expect.stringMatching(/^Status: /),
    ]);
  });

  test('from Short.io: its tab file keeps ends, caps and the address for later', async () => {
    const p = prefix();
    const { body, links } = await move(
      [
        'short_url\toriginal_url\tpath\ttitle\ttags\tcreated_at\texpire_at\texpire_url\tclicks_limit\tarchived\tpassword',
        `https://${host}/${p}1\thttps://example.com/1\t/${p}1\tOne\ta,b\t2024-01-15 10:00:00\t2099-05-01 08:00\thttps://example.com/over\t100\tfalse\t`,
        `https://${host}/${p}2\thttps://example.com/2\t${p}2\tTwo\t\t2024-01-15 10:00:00\t\t\t\ttrue\t`,
        `https://${host}/${p}3\thttps://example.com/3\t${p}3\tThree\t\t2024-01-15 10:00:00\tsoon\t\tten\tfalse\tgeheim`,
        `https://${host}/\thttps://example.com/4\t\tRoot\t\t2024-01-15 10:00:00\t\t\t\tfalse\t`,
      ].join('\r\n'),
    );
    expect(body).toMatchObject({ format: 'shortio', separator: '\t', imported: 2, failed: 2, ignoredColumns: [] });
    expect(links).toEqual([
      expect.objectContaining({
        slug: `${p}1`,
        tags: ['a', 'b'],
        expiresAt: future,
        expiredUrl: 'https://example.com/over',
        maxClicks: 100,
      }),
      expect.objectContaining({ slug: `${p}2`, isActive: true, isArchived: false, tags: ['archived'] }),
      // All that is wrong, at once.
      expect.stringMatching(/^(?=.*expiresAt: )(?=.*maxClicks: )(?=.*password: )/),
      expect.stringMatching(/^slug: /),
    ]);
  });

  test('from Shlink: its client and a dump of its table; a start in the future fails its row', async () => {
    const p = prefix();
    const client = await move(
      `createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n2019-03-04T05:06:07+00:00,${host},${p}0,https://${host}/${p}0,https://example.com/0,A title,one|two,9\n`,
    );
    expect(client.links).toMatchObject([{ slug: `${p}0`, tags: ['one', 'two'], domain: { domain: host } }]);
    const { body, links } = await move(
      [
        'id,original_url,short_code,date_created,valid_since,valid_until,max_visits,domain_id,title',
        `1,https://example.com/1,${p}1,2024-01-15 10:00:00,2024-01-15 10:00:00,2099-05-01 08:00:00,100,NULL,One`,
        `2,https://example.com/2,${p}2,2024-01-15 10:00:00,2099-01-15 10:00:00,NULL,NULL,NULL,Two`,
      ].join('\n'),
    );
    expect(body).toMatchObject({ format: 'shlink', imported: 1, failed: 1 });
    expect(links).toEqual([
      expect.objectContaining({ slug: `${p}1`, expiresAt: future, maxClicks: 100 }),
      expect.stringMatching(/^valid_since: /),
    ]);
  });

  test('from YOURLS: a table from a spreadsheet in Windows-1252, whose first line names the separator', async () => {
    const p = prefix();
    const { body, links } = await move(
      Buffer.from(
        `sep=;\r\nkeyword;url;title;timestamp;ip;clicks\r\n${p}1;https://example.com/1;Gr\xfc\xdfe;15.01.2024 10:00;127.0.0.1;2\r\n;;;;;\r\n${p}2;https://example.com/2;NULL;15.14.2024;127.0.0.1;0\r\n`,
        'latin1',
      ),
    );
    expect(body).toMatchObject({
      format: 'yourls',
      encoding: 'windows-1252',
      separator: ';',
      remarks: [expect.stringContaining('Windows-1252')],
      total: 2,
    });
    expect(links).toEqual([
      expect.objectContaining({ slug: `${p}1`, title: 'Grüße', createdAt: '2024-01-15T10:00:00.000Z' }),
      expect.stringMatching(/^createdAt: is no moment/),
    ]);
  });
});

describe('a file of any other service', () => {
  test(
    'one date settles day and month for its column, and a column that none settles fails its rows',
    { tags: 'slow' },
    async () => {
      const p = prefix();
      const { body, links } = await move(
        [
          'short,url,created,expire_at',
          `${p}1,https://example.com/1,03/05/2024,05/06/2099`,
          `/${p}2,https://example.com/2,31/12/2023,06/06/2099`,
        ].join('\n'),
      );
      expect(body.remarks).toEqual([expect.stringContaining('createdAt: dates are read with the day first')]);
      expect(links).toEqual([
        expect.stringMatching(/^expiresAt: may have the day or the month first/),
        expect.objectContaining({
          slug: `${p}2`,
          createdAt: '2023-12-31T00:00:00.000Z',
          expiresAt: '2099-06-06T00:00:00.000Z',
        }),
      ]);
      const mended = await move(
        `short,url,created\n${p}1,https://example.com/1,03/05/2024\n${p}3,https://example.com/3,13/05/2024`,
      );
      expect(mended.links[0]).toMatchObject({ slug: `${p}1`, createdAt: '2024-05-03T00:00:00.000Z' });
    },
  );

  test('a column that nobody knows and that seems to protect fails the rows that fill it', async () => {
    const p = prefix();
    const { links } = await move(
      `shorturl,long_url,usage_limit,archived\n${p}1,https://example.com/1,,no\n${p}2,https://example.com/2,5,no\n${p}3,https://example.com/3,0,yes`,
    );
    expect(links).toEqual([
      expect.objectContaining({ slug: `${p}1`, isArchived: false }),
      expect.stringMatching(/^usage_limit: /),
      expect.objectContaining({ slug: `${p}3`, isArchived: true }),
    ]);
  });
});
