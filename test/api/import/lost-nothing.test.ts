// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDomain } from '#test/support/factories.ts';
import { type ImportStack, startImportStack } from '#test/support/import-stack.ts';

// One file of each service with the cases that are hard to see: a link comes with all that protects it, or its row says why not.

let stack: ImportStack;
let host: string;
beforeAll(async () => {
  stack = await startImportStack();
  host = (await createDomain(stack.api.db, stack.api.organization.id)).domain;
});
afterAll(() => stack[Symbol.asyncDispose]());

const prefix = (): string => `n${uuidv7().slice(-10)}`;

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

test('Dub: bans, ends and the second column of a password', async () => {
  const p = prefix();
  const { answer, rows } = await move(
    [
      'Short link,Destination URL,Clicks,Created at,Archived,Expires at,Expired URL,Max clicks,Password,Disabled at,password',
      `https://${host}/${p}1,https://example.com/1,"1,200","Jan 2, 2026",Yes,,,,,,`,
      `https://${host}/${p}2,https://example.com/2,1.2k,"Jan 2, 2026",No,,,2000,,,`,
      `https://${host}/${p}3,https://example.com/3,0,"Jan 2, 2026",No,,,,,,geheim`,
      `https://${host}/${p}4,https://example.com/4,0,"Jan 2, 2026",No,"Mar 3, 2020",https://example.com/over,,,,`,
      `https://${host}/${p}5,https://example.com/5,0,"Jan 2, 2026",No,,,,,2026-01-03T00:00:00.000Z,`,
      `https://${host}/${p}6,https://example.com/6,0,yesterday,No,,,,,,`,
      `,https://example.com/7,0,"Jan 2, 2026",No,,,,,,`,
    ].join('\n'),
  );
  expect(answer).toMatchObject({ format: 'dub', total: 7, imported: 3, failed: 4 });
  expect(rows).toEqual([
    expect.objectContaining({
      slug: `${p}1`,
      isActive: true,
      tags: ['archived'],
      createdAt: '2026-01-02T00:00:00.000Z',
    }),
    expect.stringMatching(/^Clicks: /),
    expect.stringMatching(/^password: /),
    expect.objectContaining({
      slug: `${p}4`,
      expiresAt: '2020-03-03T00:00:00.000Z',
      expiredUrl: 'https://example.com/over',
    }),
    expect.objectContaining({ slug: `${p}5`, isActive: false }),
    expect.stringMatching(/^createdAt: /),
    expect.stringMatching(/^slug: /),
  ]);
});

test('Bitly: fields of its API, with short links without a scheme, hidden and deleted ones', async () => {
  const p = prefix();
  const { answer, rows } = await move(
    [
      'created_at,id,link,custom_bitlinks,long_url,title,archived,is_deleted,tags,expiration_at',
      `2024-01-15T10:00:00+0000,bit.ly/${p}1,bit.ly/${p}1,[],https://example.com/1,One,true,false,"[""a"",""b""]",`,
      `2024-01-15T10:00:00+0000,bit.ly/${p}2,https://bit.ly/${p}2,[],https://example.com/2,null,false,true,[],`,
      `2024-01-15T10:00:00+0000,bit.ly/${p}3,https://bit.ly/${p}3,[],https://example.com/3,Three,false,false,[],05/06/2030`,
      `2024-01-15T10:00:00+0000,bit.ly/${p}4,NULL,[],https://example.com/4,Four,false,false,[],`,
    ].join('\r\n'),
  );
  expect(answer).toMatchObject({ format: 'bitly', imported: 2, failed: 2 });
  expect(rows).toEqual([
    expect.objectContaining({ slug: `${p}1`, isActive: true, isArchived: false, tags: ['a', 'b', 'archived'] }),
    expect.objectContaining({ slug: `${p}2`, isActive: false, title: null }),
    expect.stringMatching(/^expiresAt: .*day or the month/),
    expect.stringMatching(/^slug: /),
  ]);
});

test('Short.io: its tab file, where one end settles the order of all ends', async () => {
  const p = prefix();
  const { answer, rows } = await move(
    [
      'original_url\tpath\ttitle\ttags\texpire_at\texpire_url\tclicks_limit\tarchived\tAutodeletedAt\thasPassword\tcreated_at',
      `https://example.com/1\t${p}1\tOne\t\t03/05/2099 10:00\thttps://example.com/over\t50\tfalse\tnull\tfalse\t2024-01-15`,
      `https://example.com/2\t/${p}2\tTwo\t\t31/05/2099\t\t\ttrue\tnull\tfalse\t2024-01-15`,
      `https://example.com/3\t${p}3\tThree\t\t\t\t\tfalse\t2024-03-01T00:00:00.000Z\tfalse\t2024-01-15`,
      `https://example.com/4\t${p}4\tFour\t\t\t\t\tfalse\tnull\ttrue\t2024-01-15`,
      '\t\t\t\t\t\t\t\t\t\t',
    ].join('\r\n'),
  );
  expect(answer).toMatchObject({ format: 'shortio', separator: '\t', total: 4, imported: 2, failed: 2 });
  expect(rows).toEqual([
    expect.objectContaining({
      slug: `${p}1`,
      expiresAt: '2099-05-03T10:00:00.000Z',
      expiredUrl: 'https://example.com/over',
      maxClicks: 50,
    }),
    expect.objectContaining({
      slug: `${p}2`,
      isActive: true,
      tags: ['archived'],
      expiresAt: '2099-05-31T00:00:00.000Z',
    }),
    expect.stringMatching(/^AutodeletedAt: /),
    expect.stringMatching(/^hasPassword: /),
  ]);
});

test('Kutt: a dump with a header and tabs, all markers of nothing, and a ban without its flag', async () => {
  const p = prefix();
  const dump = [
    'id|address|banned|banned_by_id|created_at|description|domain_id|expire_in|password|target|visit_count',
    String.raw`1|${p}1|f|\N|2020-04-01 09:08:07.123+00|\N|\N|2021-04-01 09:08:07+00|\N|https://example.com/1|4`,
    String.raw`2|${p}2|f|3|2020-04-01 09:08:07+00|\N|\N|\N|\N|https://example.com/2|0`,
    String.raw`3|${p}3|t|\N|2020-04-01 09:08:07+00|\N|\N|\N|$2a$12$x|https://example.com/3|0`,
    String.raw`4|\N|f|\N|2020-04-01 09:08:07+00|\N|\N|\N|\N|https://example.com/4|0`,
  ].join('\n');
  const { answer, rows } = await move(dump.replaceAll('|', '\t'));
  expect(answer).toMatchObject({ format: 'kutt', imported: 2, failed: 2 });
  expect(rows).toEqual([
    expect.objectContaining({
      slug: `${p}1`,
      title: null,
      expiresAt: '2021-04-01T09:08:07.000Z',
      createdAt: '2020-04-01T09:08:07.123Z',
    }),
    expect.objectContaining({ slug: `${p}2`, isActive: false }),
    expect.stringMatching(/^password: /),
    expect.stringMatching(/^slug: /),
  ]);
});

test('Shlink: fields of its API, with visits that use up a limit', async () => {
  const p = prefix();
  const { answer, rows } = await move(
    [
      'shortCode,shortUrl,longUrl,dateCreated,tags,meta.validSince,meta.validUntil,meta.maxVisits,domain,title,visitsSummary.total',
      `${p}1,https://${host}/${p}1,https://example.com/1,2024-01-15T10:00:00+01:00,a|b,,2099-05-01T10:00:00+02:00,10,${host},One,4`,
      `${p}2,https://${host}/${p}2,https://example.com/2,2024-01-15T10:00:00+01:00,,,,10,${host},Two,10`,
      `${p}3,https://${host}/${p}3,https://example.com/3,2024-01-15T10:00:00+01:00,,2099-01-01T00:00:00+00:00,,,${host},Three,0`,
      `${p}4,https://${host}/${p}4,https://example.com/4,2024-01-15T10:00:00+01:00,,2020-01-01T00:00:00+00:00,,ten,${host},Four,0`,
    ].join('\n'),
  );
  expect(answer).toMatchObject({ format: 'shlink', imported: 2, failed: 2 });
  expect(rows).toEqual([
    expect.objectContaining({
      slug: `${p}1`,
      maxClicks: 6,
      tags: ['a', 'b'],
      expiresAt: '2099-05-01T08:00:00.000Z',
      createdAt: '2024-01-15T09:00:00.000Z',
    }),
    expect.objectContaining({ slug: `${p}2`, isActive: false }),
    expect.stringMatching(/^meta\.validSince: /),
    expect.stringMatching(/^maxClicks: /),
  ]);
});

test('YOURLS: a spreadsheet whose first line is filled up with separators, and a keyword that says nothing', async () => {
  const p = prefix();
  const { answer, rows } = await move(
    Buffer.from(
      `sep=;;;;;;\r\n;;;;;\r\nkeyword;url;title;timestamp;ip;clicks\r\n${p}1;https://example.com/1;Caf\xe9 \x80;2024-01-15 10:00:00;127.0.0.1;2\r\n` +
        `${p}2;https://example.com/2;Two;0000-00-00 00:00:00;127.0.0.1;0\r\nNULL;https://example.com/3;Three;2024-01-15 10:00:00;127.0.0.1;0\r\n;;;;;\r\n`,
      'latin1',
    ),
  );
  expect(answer).toMatchObject({ format: 'yourls', encoding: 'windows-1252', separator: ';', total: 3, imported: 2 });
  expect(rows).toEqual([
    expect.objectContaining({ slug: `${p}1`, title: 'Café €' }),
    expect.objectContaining({ slug: `${p}2`, title: 'Two' }),
    expect.stringMatching(/^slug: /),
  ]);
});

test('Polr: two columns alone, a whole table, and what a title could hide', async () => {
  const p = prefix();
  const two = await move(`short_url,long_url\n${p}0,https://example.com/0`);
  expect(two).toMatchObject({ answer: { remarks: [], failed: 0 }, rows: [{ slug: `${p}0` }] });
  const { rows } = await move(
    [
      '"id","short_url","long_url","clicks","secret_key","is_disabled","created_at","updated_at"',
      `"1","${p}1","https://example.com/1","3","","0","2016-05-04 10:20:30","2016-05-04 10:20:30"`,
      `"2","${p}2","https://example.com/2","3","ab12","1","2016-05-04 10:20:30","2016-05-04 10:20:30"`,
      `"3","${p}3","https://example.com/3","3",NULL,"1","0000-00-00 00:00:00",NULL`,
    ].join('\n'),
  );
  expect(rows).toEqual([
    expect.objectContaining({ slug: `${p}1`, isActive: true, createdAt: '2016-05-04T10:20:30.000Z' }),
    expect.stringMatching(/^secret_key: /),
    expect.objectContaining({ slug: `${p}3`, isActive: false }),
  ]);
});

test('any other file: what sounds like protection fails its row, a word turns a link off, and a random slug is told', async () => {
  const p = prefix();
  const { rows } = await move(
    [
      'code,url,private,one_time,allowed_ips,state',
      `${p}1,https://example.com/1,no,0,,live`,
      `${p}2,https://example.com/2,yes,0,,`,
      `${p}3,https://example.com/3,,1,10.0.0.1,`,
      `${p}4,https://example.com/4,,,,disabled`,
      `${p}5,https://example.com/5,,,,on hold`,
    ].join('\n'),
  );
  expect(rows).toEqual([
    expect.objectContaining({ slug: `${p}1`, isActive: true }),
    expect.stringMatching(/^private: /),
    expect.stringMatching(/^(?=.*one_time: )(?=.*allowed_ips: )/),
    expect.objectContaining({ slug: `${p}4`, isActive: false }),
    expect.stringMatching(/^state: /),
  ]);
  const unnamed = await move(`source,url\n/${p}6,https://example.com/6`);
  expect(unnamed.answer).toMatchObject({
    ignoredColumns: ['source'],
    remarks: [expect.stringContaining('random slug')],
  });
});

test('a comma that moves a password behind the header, and a short URL in a column "Link", are told', async () => {
  const p = prefix();
  const { rows } = await move(
    `slug,url,title,notes,password\n${p}1,https://example.com/1,Hello, world,,secret\n${p}2,https://example.com/2,"Hello, world",\n`,
  );
  expect(rows).toEqual([
    expect.stringMatching(/^this row has more cells than the header/),
    expect.objectContaining({ slug: `${p}2`, title: 'Hello, world' }),
  ]);
  const bitly = await move(`Link,Title,Destination URL\nhttps://bit.ly/${p}3,T,https://example.com/3\n`);
  expect(bitly).toMatchObject({ answer: { remarks: [] }, rows: [{ slug: `${p}3` }] });
});

test('what the file of a service has no column for is told, and which of several slugs counts', async () => {
  const p = prefix();
  const labels = await move(
    `Short link,Destination URL,Clicks,Created at\nhttps://${host}/${p}1,https://example.com/1,3,2026-01-02\n`,
  );
  expect(labels.answer).toMatchObject({
    remarks: ['The file has no column for passwords or end dates: links are imported without them.'],
  });
  const several = await move(`code,alias,url\n${p}2,${p}3,https://example.com/2\n`);
  expect(several).toMatchObject({
    answer: { remarks: ['slug: read from "alias"; other columns of slugs (code) count where it is empty.'] },
    rows: [{ slug: `${p}3` }],
  });
});

test('any other file: other wordings of protection, tags as objects, two domains, two counts and impossible dates', async () => {
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
  expect(answer).toMatchObject({
    format: 'csv',
    imported: 1,
    failed: 5,
    ignoredColumns: ['clicks', 'visits', 'caption'],
  });
  expect(rows).toEqual([
    expect.objectContaining({ slug: `${p}1`, tags: ['Sale'], maxClicks: 1, isActive: true }),
    expect.stringMatching(/^domain: /),
    expect.stringMatching(/^tags: /),
    expect.stringMatching(/^(?=.*Enddatum: )(?=.*Aktiv: )(?=.*staff only: )(?=.*publishDate: )(?=.*access_level: )/),
    expect.stringMatching(/^expiresAt: /),
    expect.stringMatching(/^expiresAt: /),
  ]);
});
