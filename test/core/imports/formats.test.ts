import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { detectFormat, hasDestination, importFormats } from '#core/imports/formats.ts';

describe('detectFormat', () => {
  test.each([
    ['bitly', 'link,long_url,title,created_at,tags'],
    ['yourls', 'keyword,url,title,timestamp,ip,clicks'],
    ['kutt', 'address,target,description,created_at,visit_count'],
    ['shlink', 'createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits'],
    ['waymark', 'slug,originUrl,destinationType,destination'],
    ['bitly', 'Link,Custom Link,Date created,Title,Destination URL,Engagements,Status'],
    ['dub', 'Short link,Destination URL,Clicks,Created at'],
    ['dub', 'Destination URL,Tags,Link ID,Short link'],
    ['shortio', 'idString,shortURL,originalPath,originalURL,title,clicks,createdAt,updatedAt,expiresAt,createdBy,tags'],
    ['shortio', 'Original URL,Short URL,Path'],
    ['rebrandly', 'id,createdAt,shortUrl,domain,slashtag,destination'],
    ['csv', 'Short link,Destination URL,maxClicks'],
    ['csv', 'Short URL,Original URL'],
    ['csv', 'link,destination url'],
    ['csv', 'url,slug'],
    ['csv', 'Destination URL,Name'],
    ['csv', 'Short URL,Long URL'],
    [undefined, 'slug,title'],
    [undefined, ''],
  ])('finds the format %s by the header %s', (format, header) => {
    expect(detectFormat(header.split(','))).toBe(format);
  });

  test('ignores the order of columns, their case, and further columns', () => {
    const header = fc.constantFrom(
      { format: 'bitly', columns: ['LINK', 'Long URL', 'tags'] },
      { format: 'yourls', columns: ['Keyword', 'URL'] },
      { format: 'kutt', columns: ['address', 'Target'] },
      { format: 'shlink', columns: ['short_code', 'LongUrl', 'shortUrl'] },
    );
    fc.assert(
      fc.property(
        header.chain(({ format, columns }) =>
          fc.record({
            format: fc.constant(format),
            columns: fc.shuffledSubarray([...columns, 'x', 'visits', ''], { minLength: columns.length + 3 }),
          }),
        ),
        ({ format, columns }) => {
          expect(detectFormat(columns)).toBe(format);
        },
      ),
    );
  });

  test('finds only formats whose columns are there', () => {
    const columns = fc.array(
      fc.constantFrom('link', 'long_url', 'url', 'keyword', 'target', 'address', 'destination', 'x'),
    );
    fc.assert(
      fc.property(columns, (header) => {
        const format = detectFormat(header);
        expect(format === undefined || hasDestination(format, header)).toBe(true);
        if (format === undefined) expect(importFormats.some((name) => hasDestination(name, header))).toBe(false);
      }),
    );
  });
});
