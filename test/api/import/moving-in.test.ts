// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDomain } from '#test/support/factories.ts';
import { useFixture } from '#test/support/fixture.ts';
import { startImportStack } from '#test/support/import-stack.ts';

// Exports of other services, and dumps of their tables. An imported link keeps its password, end and caps, or its row fails and names what it lacks.

const stack = useFixture(startImportStack);
let host: string;
beforeAll(async () => void ({ domain: host } = await createDomain(stack.api.db, stack.api.organization.id)));

/** A beginning of slugs that no other file has. */
const prefix = (): string => `m${uuidv7().slice(-10)}`;
const future = '2099-05-01T08:00:00.000Z';

/** Imports a file. @returns its answer, and of each row the link, or why it failed. */
async function move(content: string | Buffer): Promise<{ answer: unknown; rows: unknown[] }> {
  const done = await stack.run(content);
  const { body: answer } = await stack.api.call('GET', `/short-link/import/${done.id}`);
  const rows = done.rows.map(async ({ shortLinkId, error }) => {
    if (shortLinkId === null) return error;
    const { body } = await stack.api.call('GET', `/short-link/${shortLinkId}`);
    return { ...body, tags: body.tags.map(({ name }: { name: string }) => name) };
  });
  return { answer, rows: await Promise.all(rows) };
}

test('Polr: a dump of its table keeps endings, and nothing secret or disabled comes alive; two columns alone', async () => {
  const p = prefix();
  const two = await move(`short_url,long_url\n${p}0,https://example.com/0`);
  expect(two).toMatchObject({ answer: { remarks: [], failed: 0 }, rows: [{ slug: `${p}0` }] });
  const { answer, rows } = await move(
    [
      '"id","short_url","long_url","ip","creator","clicks","secret_key","is_disabled","is_custom","created_at","updated_at","long_url_hash","is_api"',
      `"1","${p}1","https://example.com/1","127.0.0.1","admin","3","","0","1","2016-05-04 10:20:30","2016-05-04 10:20:30","11aa","0"`,
      `"2","${p}2","https://example.com/2","127.0.0.1","admin","0","x7fa","0","0","2016-05-04 10:20:30","2016-05-04 10:20:30","22aa","0"`,
      `"3","${p}3","https://example.com/3","127.0.0.1",NULL,"0",NULL,"1","0","0000-00-00 00:00:00",NULL,"33aa","0"`,
      `"4","${p}4","https://example.com/4","127.0.0.1","admin","3","ab12","1","0","2016-05-04 10:20:30",NULL,"44aa","0"`,
    ].join('\n'),
  );
  expect(answer).toMatchObject({ format: 'polr', imported: 2, failed: 2 });
  expect(rows).toMatchObject([
    { slug: `${p}1`, isActive: true, createdAt: '2016-05-04T10:20:30.000Z' },
    expect.stringMatching(/^secret_key: /),
    { slug: `${p}3`, isActive: false },
    expect.stringMatching(/^secret_key: /),
  ]);
});

test('Kutt: a dump of its table keeps ends and bans, and the row of a password or an unnamed domain fails', async () => {
  const p = prefix();
  const dump = [
    'id|address|description|banned|banned_by_id|domain_id|password|expire_in|target|user_id|visit_count|created_at|updated_at|uuid',
    String.raw`1|${p}1|A title|f|\N|\N|\N|2099-05-01 08:00:00+00|https://example.com/1|1|12|2020-04-01 09:08:07.123+00|2020-04-01 09:08:07.123+00|u-1`,
    String.raw`2|${p}2|\N|t|1|\N|\N|\N|https://example.com/2|1|0|2020-04-01 09:08:07.123456 +0000 UTC|2020-04-01 09:08:07+00|u-2`,
    String.raw`3|${p}3|\N|f|3|\N|\N|2021-04-01 09:08:07+00|https://example.com/3|1|0|2020-04-01 09:08:07+00|\N|u-3`,
    String.raw`4|${p}4|\N|t|\N|\N|$2a$12$abc|\N|https://example.com/4|1|0|2020-04-01 09:08:07+00|\N|u-4`,
    String.raw`5|${p}5|\N|f|\N|7|\N|\N|https://example.com/5|1|0|2020-04-01 09:08:07+00|\N|u-5`,
    String.raw`6|${p}6|\N|f|\N|\N|\N|2 days|https://example.com/6|1|0|2020-04-01 09:08:07+00|\N|u-6`,
    String.raw`7|\N|\N|f|\N|\N|\N|\N|https://example.com/7|1|0|2020-04-01 09:08:07+00|\N|u-7`,
  ].join('\n');
  const { answer, rows } = await move(dump.replaceAll('|', '\t'));
  expect(answer).toMatchObject({ format: 'kutt', imported: 3, failed: 4 });
  const createdAt = '2020-04-01T09:08:07.123Z';
  expect(rows).toMatchObject([
    { slug: `${p}1`, title: 'A title', isActive: true, expiresAt: future, createdAt },
    { slug: `${p}2`, title: null, isActive: false, createdAt },
    { slug: `${p}3`, isActive: false, expiresAt: '2021-04-01T09:08:07.000Z' },
    expect.stringMatching(/^password: /),
    expect.stringMatching(/^domain: .*7/),
    expect.stringMatching(/^expiresAt: is no moment/),
    expect.stringMatching(/^slug: /),
  ]);
});

test('Dub: archived links redirect on with a tag, and a password, a ban, an end and a used-up limit are seen', async () => {
  const p = prefix();
  const labels = await move(
    [
      'Short link,Destination URL,Clicks,Created at,Link ID,Tags,Archived,Expires at,Expired URL,Max clicks,Password,Disabled at,password',
      `https://${host}/${p}1,https://example.com/1,"1,200","Jan 2, 2026",link_1,"one, two",Yes,,,,,,`,
      `https://${host}/${p}2,https://example.com/2,1.2k,"Jan 2, 2026",link_2,,No,,,2000,,,`,
      `https://${host}/${p}3,https://example.com/3,0,"Jan 2, 2026",link_3,,No,,,,,,geheim`,
      `https://${host}/${p}4,https://example.com/4,0,"Jan 2, 2026",link_4,,true,"Mar 3, 2020",https://example.com/over,,,,`,
      `https://${host}/${p}5,https://example.com/5,0,"Jan 2, 2026",link_5,,No,,,,,2026-01-03T00:00:00.000Z,`,
      `https://${host}/${p}6,https://example.com/6,0,yesterday,link_6,,No,,,,,,`,
      `,https://example.com/7,0,"Jan 2, 2026",link_7,,No,,,,,,`,
    ].join('\n'),
  );
  const remarks = [
    expect.stringContaining('"archived"'),
    expect.stringMatching(/^maxClicks: /),
    'Columns with values that no field is read from: Link ID, password.',
  ];
  expect(labels.answer).toMatchObject({ format: 'dub', total: 7, imported: 3, failed: 4, remarks });
  expect(labels.rows).toMatchObject([
    {
      slug: `${p}1`,
      domain: { domain: host },
      isActive: true,
      isArchived: false,
      tags: ['one', 'two', 'archived'],
      createdAt: '2026-01-02T00:00:00.000Z',
    },
    expect.stringMatching(/^Clicks: /),
    expect.stringMatching(/^password: /),
    {
      slug: `${p}4`,
      tags: ['archived'],
      expiresAt: '2020-03-03T00:00:00.000Z',
      expiredUrl: 'https://example.com/over',
    },
    { slug: `${p}5`, isActive: false },
    expect.stringMatching(/^createdAt: /),
    expect.stringMatching(/^slug: /),
  ]);
  const { answer, rows } = await move(
    [
      'id,domain,key,url,archived,expiresAt,expiredUrl,passwordEnabledAt,externalId,banned,shortLink,clicks,maxClicks,createdAt',
      `l1,${host},${p}a,https://example.com/1,false,${future},https://example.com/over,,ext-${p},false,https://${host}/${p}a,5,20,2026-01-02T00:00:00.000Z`,
      `l2,${host},${p}b,https://example.com/2,false,,,2026-01-02T00:00:00.000Z,,false,https://${host}/${p}b,0,,2026-01-02T00:00:00.000Z`,
      `l3,${host},${p}c,https://example.com/3,true,,,,,true,https://${host}/${p}c,20,20,2026-01-02T00:00:00.000Z`,
      `l4,${host},_root,https://example.com/4,false,,,,,false,https://${host},0,,2026-01-02T00:00:00.000Z`,
    ].join('\n'),
  );
  expect(answer).toMatchObject({ format: 'dub', imported: 2, failed: 2 });
  expect(rows).toMatchObject([
    {
      slug: `${p}a`,
      expiresAt: future,
      expiredUrl: 'https://example.com/over',
      externalId: `ext-${p}`,
      maxClicks: 15,
    },
    expect.stringMatching(/^passwordEnabledAt: /),
    { slug: `${p}c`, isActive: false, isArchived: false, tags: ['archived'] },
    expect.stringMatching(/^slug: /),
  ]);
});

test('Bitly: its table and fields of its API; hidden links redirect on with a tag, deleted ones do not', async () => {
  const p = prefix();
  const table = await move(
    [
      'Link,Custom Link,Date created,Title,Destination URL,Engagements,Status',
      `https://bit.ly/3x${p}1,https://${host}/${p}1,2024-01-15T10:00:00+0000,One,https://example.com/1,"1,234",Active`,
      `https://bit.ly/${p}2,,2024-01-15T10:00:00+0000,Two,https://example.com/2,0,Archived`,
      `https://bit.ly/${p}3,,2024-01-15T10:00:00+0000,Three,https://example.com/3,0,Deleted`,
      `https://bit.ly/${p}4,,2024-01-15T10:00:00+0000,Four,https://example.com/4,0,Under review`,
      ',,,,,,',
    ].join('\n'),
  );
  const counts = { total: 4, imported: 3, failed: 1 };
  expect(table.answer).toMatchObject({ format: 'bitly', ...counts, ignoredColumns: ['Engagements'] });
  expect(table.rows).toMatchObject([
    { slug: `${p}1`, isActive: true, tags: [] },
    { slug: `${p}2`, isActive: true, isArchived: false, tags: ['archived'] },
    { slug: `${p}3`, isActive: false },
    expect.stringMatching(/^Status: /),
  ]);
  const { answer, rows } = await move(
    [
      'created_at,id,link,custom_bitlinks,long_url,title,archived,is_deleted,tags,expiration_at',
      `2024-01-15T10:00:00+0000,bit.ly/${p}a,bit.ly/${p}a,[],https://example.com/1,One,true,false,"[""a"",""b""]",`,
      `2024-01-15T10:00:00+0000,bit.ly/${p}b,https://bit.ly/${p}b,[],https://example.com/2,null,false,true,[],`,
      `2024-01-15T10:00:00+0000,bit.ly/${p}c,https://bit.ly/${p}c,[],https://example.com/3,Three,false,false,[],05/06/2030`,
      `2024-01-15T10:00:00+0000,bit.ly/${p}d,NULL,[],https://example.com/4,Four,false,false,[],`,
    ].join('\r\n'),
  );
  expect(answer).toMatchObject({ format: 'bitly', imported: 2, failed: 2 });
  expect(rows).toMatchObject([
    { slug: `${p}a`, isActive: true, isArchived: false, tags: ['a', 'b', 'archived'] },
    { slug: `${p}b`, isActive: false, title: null },
    expect.stringMatching(/^expiresAt: .*day or the month/),
    expect.stringMatching(/^slug: /),
  ]);
});

test('Short.io: its tab file keeps ends and caps, and one end settles the order of all ends', async () => {
  const p = prefix();
  const file = [
    'short_url|original_url|path|title|tags|created_at|expire_at|expire_url|clicks_limit|archived|AutodeletedAt|hasPassword|password',
    `https://${host}/${p}1|https://example.com/1|/${p}1|One|a,b|2024-01-15 10:00:00|2099-05-01 08:00|https://example.com/over|100|false|null|false|`,
    `https://${host}/${p}2|https://example.com/2|${p}2|Two||2024-01-15|31/05/2099|||true|null|false|`,
    `https://${host}/${p}3|https://example.com/3|${p}3|Three||2024-01-15|03/05/2099 10:00|||false|null|false|`,
    `https://${host}/${p}4|https://example.com/4|${p}4|Four||2024-01-15|soon||ten|false|null|false|geheim`,
    `https://${host}/|https://example.com/5||Root||2024-01-15 10:00:00||||false|null|false|`,
    `https://${host}/${p}6|https://example.com/6|${p}6|Six||2024-01-15||||false|2024-03-01T00:00:00.000Z|false|`,
    `https://${host}/${p}7|https://example.com/7|${p}7|Seven||2024-01-15||||false|null|true|`,
    '||||||||||||',
  ].join('\r\n');
  const { answer, rows } = await move(file.replaceAll('|', '\t'));
  const counts = { total: 7, imported: 3, failed: 4 };
  expect(answer).toMatchObject({ format: 'shortio', separator: '\t', ...counts, ignoredColumns: [] });
  expect(rows).toMatchObject([
    {
      slug: `${p}1`,
      tags: ['a', 'b'],
      expiresAt: future,
      expiredUrl: 'https://example.com/over',
      maxClicks: 100,
    },
    {
      slug: `${p}2`,
      isActive: true,
      isArchived: false,
      tags: ['archived'],
      expiresAt: '2099-05-31T00:00:00.000Z',
    },
    { slug: `${p}3`, expiresAt: '2099-05-03T10:00:00.000Z' },
    // The error of a row names every wrong cell.
    expect.stringMatching(/^(?=.*expiresAt: )(?=.*maxClicks: )(?=.*password: )/),
    expect.stringMatching(/^slug: /),
    expect.stringMatching(/^AutodeletedAt: /),
    expect.stringMatching(/^hasPassword: /),
  ]);
});

test('Shlink: its client, fields of its API with a used-up limit, and a dump of its table; a future start fails', async () => {
  const p = prefix();
  const client = await move(
    `createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n2019-03-04T05:06:07+00:00,${host},${p}0,https://${host}/${p}0,https://example.com/0,A title,one|two,9\n`,
  );
  expect(client.rows).toMatchObject([{ slug: `${p}0`, tags: ['one', 'two'], domain: { domain: host } }]);
  const fields = await move(
    [
      'shortCode,shortUrl,longUrl,dateCreated,tags,meta.validSince,meta.validUntil,meta.maxVisits,domain,title,visitsSummary.total',
      `${p}1,https://${host}/${p}1,https://example.com/1,2024-01-15T10:00:00+01:00,a|b,,2099-05-01T10:00:00+02:00,10,${host},One,4`,
      `${p}2,https://${host}/${p}2,https://example.com/2,2024-01-15T10:00:00+01:00,,,,10,${host},Two,10`,
      `${p}3,https://${host}/${p}3,https://example.com/3,2024-01-15T10:00:00+01:00,,2099-01-01T00:00:00+00:00,,,${host},Three,0`,
      `${p}4,https://${host}/${p}4,https://example.com/4,2024-01-15T10:00:00+01:00,,2020-01-01T00:00:00+00:00,,ten,${host},Four,0`,
    ].join('\n'),
  );
  expect(fields.answer).toMatchObject({ format: 'shlink', imported: 2, failed: 2 });
  expect(fields.rows).toMatchObject([
    { slug: `${p}1`, maxClicks: 6, tags: ['a', 'b'], expiresAt: future, createdAt: '2024-01-15T09:00:00.000Z' },
    { slug: `${p}2`, isActive: false },
    expect.stringMatching(/^meta\.validSince: /),
    expect.stringMatching(/^maxClicks: /),
  ]);
  const { answer, rows } = await move(
    [
      'id,original_url,short_code,date_created,valid_since,valid_until,max_visits,domain_id,title',
      `1,https://example.com/1,${p}a,2024-01-15 10:00:00,2024-01-15 10:00:00,2099-05-01 08:00:00,100,NULL,One`,
      `2,https://example.com/2,${p}b,2024-01-15 10:00:00,2099-01-15 10:00:00,NULL,NULL,NULL,Two`,
    ].join('\n'),
  );
  expect(answer).toMatchObject({ format: 'shlink', imported: 1, failed: 1 });
  expect(rows).toMatchObject([
    { slug: `${p}a`, expiresAt: future, maxClicks: 100 },
    expect.stringMatching(/^valid_since: /),
  ]);
});

test('YOURLS: a table from a spreadsheet in Windows-1252, whose first line names the separator', async () => {
  const p = prefix();
  const { answer, rows } = await move(
    Buffer.from(
      `sep=;;;;;;\r\n;;;;;\r\nkeyword;url;title;timestamp;ip;clicks\r\n` +
        `${p}1;https://example.com/1;Gr\xfc\xdfe \x80;15.01.2024 10:00;127.0.0.1;2\r\n;;;;;\r\n` +
        `${p}2;https://example.com/2;NULL;15.14.2024;127.0.0.1;0\r\n` +
        `${p}3;https://example.com/3;Three;0000-00-00 00:00:00;127.0.0.1;0\r\n` +
        `NULL;https://example.com/4;Four;2024-01-15 10:00:00;127.0.0.1;0\r\n;;;;;\r\n`,
      'latin1',
    ),
  );
  const format = { format: 'yourls', encoding: 'windows-1252', separator: ';' };
  const remarks = [expect.stringContaining('Windows-1252'), expect.stringContaining('ip, clicks')];
  expect(answer).toMatchObject({ ...format, remarks, total: 4, imported: 2 });
  expect(rows).toMatchObject([
    { slug: `${p}1`, title: 'Grüße €', createdAt: '2024-01-15T10:00:00.000Z' },
    expect.stringMatching(/^createdAt: is no moment/),
    { slug: `${p}3`, title: 'Three' },
    expect.stringMatching(/^slug: /),
  ]);
});

test('what the file of a service has no column for is told, and a short URL in a column "Link" is read', async () => {
  const p = prefix();
  const { answer } = await move(
    `Short link,Destination URL,Clicks,Created at\nhttps://${host}/${p}1,https://example.com/1,3,2026-01-02\n`,
  );
  expect(answer).toMatchObject({
    remarks: [
      'The file has no column for passwords or end dates: links are imported without them.',
      'Columns with values that no field is read from: Clicks.',
    ],
  });
  const bitly = await move(`Link,Title,Destination URL\nhttps://bit.ly/${p}2,T,https://example.com/2\n`);
  expect(bitly).toMatchObject({ answer: { remarks: [] }, rows: [{ slug: `${p}2` }] });
});

describe('a file of any other service', () => {
  test('what sounds like protection fails its row, a word turns a link off, and a random slug is told', async () => {
    const p = prefix();
    const { rows } = await move(
      [
        'code,url,private,one_time,allowed_ips,usage_limit,archived,state',
        `${p}1,https://example.com/1,no,0,,,no,live`,
        `${p}2,https://example.com/2,yes,0,,,,`,
        `${p}3,https://example.com/3,,1,10.0.0.1,,,`,
        `${p}4,https://example.com/4,,,,0,yes,disabled`,
        `${p}5,https://example.com/5,,,,,,on hold`,
        `${p}6,https://example.com/6,,,,5,no,`,
      ].join('\n'),
    );
    expect(rows).toMatchObject([
      { slug: `${p}1`, isActive: true, isArchived: false },
      expect.stringMatching(/^private: /),
      expect.stringMatching(/^(?=.*one_time: )(?=.*allowed_ips: )/),
      { slug: `${p}4`, isActive: false, isArchived: true },
      expect.stringMatching(/^state: /),
      expect.stringMatching(/^usage_limit: /),
    ]);
    const unnamed = await move(`source,url\n/${p}7,https://example.com/7`);
    expect(unnamed.answer).toMatchObject({
      ignoredColumns: ['source'],
      remarks: [expect.stringContaining('random slug'), 'Columns with values that no field is read from: source.'],
    });
  });

  test('other wordings of protection, tags as objects, two domains, two counts and impossible dates', async () => {
    const p = prefix();
    const { answer, rows } = await move(
      [
        'short_url;domain;url;tags;maxClicks;clicks;visits;expires_at;Enddatum;Aktiv;staff only;publishDate;access_level;caption',
        `https://${host}/${p}1;${host.toUpperCase()};https://example.com/1;[{"name":"Sale","color":"#fff"}];20;5;19;;;ja;no;2020-01-01;public;Hat`,
        `https://${host}/${p}2;localhost;https://example.com/2;;;;;;;;;;;`,
        `https://${host}/${p}3;;https://example.com/3;['a', 'b'];;;;;;;;;;`,
        `https://${host}/${p}4;;https://example.com/4;;;;;;2030-01-01;nein;yes;2099-01-01;private;`,
        `https://${host}/${p}5;;https://example.com/5;;;;;Monday, 15 Jan 2030;;;;;;`,
        `https://${host}/${p}6;;https://example.com/6;;;;;2030-01-15T10:00:00+25:00;;;;;;`,
      ].join('\n'),
    );
    const ignoredColumns = ['clicks', 'visits', 'caption'];
    expect(answer).toMatchObject({ format: 'csv', imported: 1, failed: 5, ignoredColumns });
    expect(rows).toMatchObject([
      { slug: `${p}1`, tags: ['Sale'], maxClicks: 1, isActive: true },
      expect.stringMatching(/^domain: /),
      expect.stringMatching(/^tags: /),
      expect.stringMatching(/^(?=.*Enddatum: )(?=.*Aktiv: )(?=.*staff only: )(?=.*publishDate: )(?=.*access_level: )/),
      expect.stringMatching(/^expiresAt: /),
      expect.stringMatching(/^expiresAt: /),
    ]);
  });

  test('a comma that moves a password behind the header fails its row, and which of several slugs counts is told', async () => {
    const p = prefix();
    const { rows } = await move(
      `slug,url,title,notes,password\n${p}1,https://example.com/1,Hello, world,,secret\n${p}2,https://example.com/2,"Hello, world",\n`,
    );
    expect(rows).toMatchObject([
      expect.stringMatching(/^this row has more cells than the header/),
      { slug: `${p}2`, title: 'Hello, world' },
    ]);
    const several = await move(`code,alias,url\n${p}3,${p}4,https://example.com/3\n`);
    expect(several).toMatchObject({
      answer: { remarks: ['slug: read from "alias"; other columns of slugs (code) count where it is empty.'] },
      rows: [{ slug: `${p}4` }],
    });
  });

  test('one date settles day and month for its column, and a column that none settles fails its rows', async () => {
    const p = prefix();
    const { answer, rows } = await move(
      [
        'short,url,created,expire_at',
        `${p}1,https://example.com/1,03/05/2024,05/06/2099`,
        `/${p}2,https://example.com/2,31/12/2023,06/06/2099`,
      ].join('\n'),
    );
    expect(answer).toMatchObject({
      remarks: [expect.stringContaining('createdAt: dates are read with the day first')],
    });
    expect(rows).toMatchObject([
      expect.stringMatching(/^expiresAt: may have the day or the month first/),
      { slug: `${p}2`, createdAt: '2023-12-31T00:00:00.000Z', expiresAt: '2099-06-06T00:00:00.000Z' },
    ]);
    const mended = await move(
      `short,url,created\n${p}1,https://example.com/1,03/05/2024\n${p}3,https://example.com/3,13/05/2024`,
    );
    expect(mended.rows[0]).toMatchObject({ slug: `${p}1`, createdAt: '2024-05-03T00:00:00.000Z' });
  });
});
