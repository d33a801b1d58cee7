import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvLine, readCsvField } from '#core/imports/csv.ts';
import { splitTags } from '#core/imports/link-columns.ts';
import { createRowReader, detectFormat, hasDestination, importFormats } from '#core/imports/row-reader.ts';

describe('detectFormat', () => {
  test.each([
    ['bitly', 'link,long_url,title,created_at,tags'],
    ['yourls', 'keyword,url,title,timestamp,ip,clicks'],
    ['kutt', 'address,target,description,created_at,visit_count'],
    ['shlink', 'createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits'],
    ['waymark', 'slug,originUrl,destinationType,destination'],
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

describe('createRowReader', () => {
  const read = (header: string, row: string, format = detectFormat(header.split(','))!) =>
    createRowReader(format, header.split(','))(row.split(','));

  test('takes a slug from the path of a short URL, with or without its scheme', () => {
    for (const short of ['https://bit.ly/abc', 'bit.ly/abc', 'http://bit.ly/abc/', 'https://bit.ly/abc?x=1'])
      expect(read('link,long_url', `${short},https://example.com/`)).toMatchObject({
        body: { slug: 'abc', destination: { type: 'link', value: 'https://example.com/' } },
        domain: 'bit.ly',
        needsDomain: false,
      });
    expect(read('link,long_url', 'https://bit.ly/gr%C3%BC%C3%9Fe,x').body.slug).toBe('grüße');
    expect(read('link,long_url', 'https://bit.ly/%zz,x').body.slug).toBe('%zz');
    expect(read('link,long_url', 'https://bit.ly/,x').body.slug).toBeUndefined();
  });

  test.each([
    ['2019-03-04T05:06:07.891Z', '2019-03-04T05:06:07.891Z'],
    ['2019-03-04T05:06:07+0200', '2019-03-04T03:06:07.000Z'],
    ['2019-03-04 05:06:07', '2019-03-04T05:06:07.000Z'],
    ['2019-03-04 05:06:07 UTC', '2019-03-04T05:06:07.000Z'],
    ['2019-03-04', '2019-03-04T00:00:00.000Z'],
    ['1551675967', '2019-03-04T05:06:07.000Z'],
    ['4.3.2019', undefined],
    ['2019-13-44', undefined],
    ['0000-00-00 00:00:00', undefined],
    ['0000-01-01 00:00:00', undefined],
    ['0', undefined],
    ['', undefined],
  ])('reads the moment %s', (text, wanted) => {
    const { createdAt } = read('keyword,url,timestamp', `a,https://example.com/,${text}`);
    expect(createdAt?.toISOString()).toBe(wanted);
  });

  test('shortens titles of other services to a valid one, and keeps our own', () => {
    const title = `  two\n lines ${'😀'.repeat(300)}`;
    expect(createRowReader('yourls', ['url', 'title'])(['x', title]).body.title).toBe(`two lines ${'😀'.repeat(245)}`);
    expect(createRowReader('waymark', ['destination', 'title'])(['x', title]).body.title).toBe(title);
  });

  test('reports a password, whether a column flags it or holds it', () => {
    for (const [header, field] of [
      ['url,hasPassword', 'true'],
      ['url,has_password', 'yes'],
      ['url,password', 'secret'],
      ['url,Password', '1'],
    ] as const)
      expect(read(header, `https://example.com/,${field}`).problem).toMatch(/^password: /);
    for (const field of ['', 'false', 'no', '0'])
      expect(read('url,password', `https://example.com/,${field}`).problem).toBeUndefined();
  });

  test('a link of our own export without a QR code gets none', () => {
    expect(createRowReader('waymark', ['destination', 'qrCode'])(['x', '']).body.qrCode).toBeNull();
    expect(createRowReader('waymark', ['destination'])(['x']).body).not.toHaveProperty('qrCode');
    expect(createRowReader('csv', ['url', 'qrCode'])(['x', '']).body).not.toHaveProperty('qrCode');
  });

  test('keeps unreadable values, so that the schema refuses them by their names', () => {
    const { body } = read('destination,maxClicks,isActive,rules', 'x,many,perhaps,none');
    expect(body).toMatchObject({ maxClicks: 'many', isActive: 'perhaps', rules: 'none' });
  });

  test('reads any file without an exception', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...importFormats),
        fc.array(
          fc.oneof(
            fc.string({ unit: 'binary' }),
            fc.constantFrom('link', 'url', 'createdAt', 'tags', 'rules', '__proto__'),
          ),
        ),
        fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('{', '[', '%', 'https://[', '0000-00-00'))),
        (format, header, fields) => {
          expect(createRowReader(format, header)(fields).body.destination).toBeDefined();
        },
      ),
    );
  });
});

describe('fields and tags', () => {
  test('a field is read as it was before it was guarded', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^['=+@-]{0,4}.{0,5}$/));
    fc.assert(
      fc.property(text, (field) => {
        const written = csvLine([field]).slice(1, -3).replaceAll('""', '"');
        expect(written).not.toMatch(/^[=+\-@\t\r]/);
        expect(readCsvField(written)).toBe(field);
      }),
    );
  });

  test.each([
    ['one|two', ['one', 'two']],
    ['one, two ,', ['one', 'two']],
    ['["a|b","c,d"]', ['a|b', 'c,d']],
    ['[draft]', ['[draft]']],
    [' ', []],
  ])('%s', (text, names) => {
    expect(splitTags(text)).toEqual(names);
  });
});
