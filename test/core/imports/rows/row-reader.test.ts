import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linkColumns } from '#core/imports/link-columns.ts';
import { detectFormat, formats, importFormats } from '#core/imports/formats.ts';
import { createRowReader, findIgnoredColumns } from '#core/imports/rows/row-reader.ts';
import { anyCharacter } from '#test/support/texts.ts';

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
    ['1551675967', '2019-03-04T05:06:07.000Z'],
    ['4.3.2019', '2019-03-04T00:00:00.000Z'],
    ['2019-13-44', undefined],
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
      expect(read(header, `https://example.com/,${field}`).problems[0]?.message).toContain('password');
    for (const field of ['', 'false', 'no', '0'])
      expect(read('url,password', `https://example.com/,${field}`).problems).toEqual([]);
  });

  test('columns of files made by hand that turn a link off, start, end or cap it are taken over, or fail the row', () => {
    const row = (name: string, value: string) => read(`url,slug,${name}`, `https://example.com/,a,${value}`);
    expect(row('Active?', 'No').body).toMatchObject({ isActive: false });
    expect(row('Enabled:', '0').body).toMatchObject({ isActive: false });
    for (const name of ['until', 'End', 'ends on', 'expire_at_datetime'])
      expect(row(name, '2020-01-01').body).toMatchObject({ expiresAt: '2020-01-01T00:00:00.000Z' });
    expect(row('expire_at_views', '5').body).toMatchObject({ maxClicks: 5 });
    for (const name of ['activation date', 'Go live', 'starts on'])
      expect(row(name, '2030-01-01').problems).toMatchObject([{ path: name }]);
    for (const name of ['access code', 'Remaining clicks', 'clicks left'])
      expect(row(name, '3').problems).toMatchObject([{ path: name }]);
  });

  test('of several columns that limit a link the strictest counts', () => {
    const header = 'url,expire_at,ttl,clicks_limit,max_visits,is_active,enabled';
    const { body } = read(header, 'https://example.com/,2099-01-02,2099-01-01,20,10,yes,no');
    expect(body).toMatchObject({ expiresAt: '2099-01-01T00:00:00.000Z', maxClicks: 10, isActive: false });
    expect(read(header, 'https://example.com/,2099-01-02,soon,,,,').problems).toMatchObject([{ path: 'expiresAt' }]);
  });

  test('a row with more cells than the header fails: a comma without quotes has moved its password', () => {
    const { problems } = read('slug,url,title,notes,password', 'a,https://example.com/,Hello, world,,secret');
    expect(problems).toMatchObject([{ path: '', message: expect.stringContaining('more cells') }]);
    expect(read('slug,url,title', 'a,https://example.com/').problems).toEqual([]);
  });

  test('a second column that names, ends or turns off a link fails the rows in which it says something else', () => {
    for (const [name, first, second] of [
      ['slug', '', 'abc'],
      ['target', 'https://a.example/', 'https://b.example/'],
      ['isActive', 'true', 'false'],
      ['expires_at', '', '2020-01-01'],
    ] as const) {
      const header = `destination,x,${name},${name}`;
      expect(read(header, `https://example.com/,,${first},${second}`, 'csv').problems).toMatchObject([{ path: name }]);
      expect(read(header, `https://example.com/,,${second},${second}`, 'csv').problems).toEqual([]);
    }
    expect(read('url,slug,title,title', 'https://example.com/,a,b,c').problems).toEqual([]);
  });

  test.each([
    ['Link,Title,Destination URL', 'https://bit.ly/abc,T,https://example.com/'],
    ['url,long_url', 'https://bit.ly/abc,https://example.com/'],
    ['original_url,url', 'https://example.com/,bit.ly/abc'],
    ['url,link', 'https://example.com/,bit.ly/abc'],
  ])('in a file of %s the short URL names the link', (header, row) => {
    expect(read(header, row)).toMatchObject({
      body: { slug: 'abc', destination: { value: 'https://example.com/' } },
      domain: 'bit.ly',
      problems: [],
    });
    expect(findIgnoredColumns('csv', header.split(','))).toEqual([]);
  });

  test('a slug that is not that of the short URL fails the row, but behind a folder of the service', () => {
    const row = (slug: string, short: string) => read('slug,short_url,url', `${slug},${short},https://example.com/`);
    expect(row('17', 'https://s.example/abc').problems).toMatchObject([{ path: 'slug' }]);
    for (const short of ['https://s.example/abc', 's.example/abc/', '/abc', 'https://s.example/yourls/abc'])
      expect(row('abc', short).problems).toEqual([]);
  });

  test('columns that name different domains fail the row; case, port, a dot at the end and the form of an IDN make no difference', () => {
    const row = (short: string, domain: string, slug = 'a') =>
      read('slug,short_url,domain,url', `${slug},${short},${domain},https://example.com/`).problems;
    for (const domain of ['localhost', 'www.my.example', 'my.example.org'])
      expect(row('https://my.example/a', domain)).toMatchObject([{ path: 'domain' }]);
    expect(row('https://my.example/a', '', 'https://other.example/a')).toMatchObject([{ path: 'domain' }]);
    for (const domain of ['my.example', 'MY.example.', 'my.example:8080', 'https://my.example/', ''])
      expect([domain, row('https://my.example:3000/a', domain)]).toEqual([domain, []]);
    expect(row('https://bücher.example/a', 'xn--bcher-kva.example')).toEqual([]);
    for (const format of ['shlink', 'rebrandly', 'kutt', 'shortio'] as const) {
      const { destination, slug } = formats[format];
      const header = [destination[0], slug![0], 'shorturl', 'domain'].join(',');
      const problems = (domain: string) => read(header, `x,a,https://s.example/a,${domain}`, format).problems;
      expect(problems('go.example')).toMatchObject([{ path: 'domain' }]);
      expect(problems('S.example')).toEqual([]);
      expect(problems('DEFAULT')).toEqual([]);
    }
  });

  test('a cap is less the most clicks that a column counts, but not unique ones', () => {
    const row = (names: string, counts: string) =>
      read(`slug,url,maxClicks,${names}`, `a,https://example.com/,20,${counts}`, 'csv');
    expect(row('clicks,visits', '5,19').body.maxClicks).toBe(1);
    expect(row('visits,clicks,Total views', '5,4,7').body.maxClicks).toBe(13);
    expect(row('clicks,unique clicks,uniques,visitors', '5,19,20,21').body.maxClicks).toBe(15);
    expect(row('clicks,hits', '3,20').body).toMatchObject({ isActive: false });
    expect(row('clicks,visits', '5,many').problems).toMatchObject([{ path: 'visits' }]);
    const counts = fc.array(fc.nat(30), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(counts, (clicks) => {
        const { body } = row('clicks,hits', clicks.join(','));
        const left = Math.max(0, 20 - Math.max(...clicks));
        expect(body.isActive === false ? 0 : body.maxClicks).toBe(left);
      }),
    );
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
            fc.string({ unit: anyCharacter }),
            fc.constantFrom('link', 'url', 'createdAt', 'tags', 'rules', '__proto__'),
          ),
        ),
        fc.array(
          fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom('{', '[', '%', 'https://[', '0000-00-00')),
        ),
        (format, header, fields) => {
          expect(createRowReader(format, header)(fields).body.destination).toBeDefined();
        },
      ),
    );
  });
});

describe('findIgnoredColumns', () => {
  test('finds columns that no format reads, and the second column of a name', () => {
    const header = 'keyword,url,title,timestamp,ip,clicks,URL,,has_password'.split(',');
    expect(findIgnoredColumns('yourls', header)).toEqual(['ip', 'clicks', 'URL']);
  });

  test("our own export's columns are read, except those that a link gets by itself", () => {
    expect(findIgnoredColumns('waymark', linkColumns)).toEqual(['originUrl', 'currentClicks', 'id', 'updatedAt']);
  });

  test('every column that a format names is read', () => {
    for (const format of importFormats) {
      const {
        destination,
        shortUrl = [],
        slug = [],
        notes = [],
        tags = [],
        createdAt = [],
        domain = [],
      } = formats[format];
      const named = new Set([destination, shortUrl, slug, notes, tags, createdAt, domain].flat());
      expect(findIgnoredColumns(format, [...named])).toEqual([]);
    }
  });
});

describe('files of other services', () => {
  const read = (format: 'bitly' | 'dub' | 'shortio' | 'rebrandly', row: Record<string, string>) =>
    createRowReader(format, Object.keys(row))(Object.values(row));

  test('Dub: comments become notes, UTM parameters and the external id are kept, and a password is reported', () => {
    const row = { 'Short link': 'https://dub.sh/x', 'Destination URL': 'https://example.com/', 'Link ID': 'link_1' };
    const more = { Comments: 'n'.repeat(3_000), utm_source: 'mail', 'External ID': 'crm-1' };
    expect(read('dub', { ...row, ...more }).body).toMatchObject({
      notes: 'n'.repeat(2_000),
      utmSource: 'mail',
      externalId: 'crm-1',
    });
    expect(read('dub', { ...row, Password: 'x' }).problems).toMatchObject([{ path: 'Password' }]);
  });

  test('Short.io: ends are read in the forms of dates of creation, and others fail their rows', () => {
    const row = { shortURL: 'https://s.example/a-b', path: 'a-b', originalURL: 'https://example.com/' };
    const endOf = (expiresAt: string) => read('shortio', { ...row, expiresAt }).body.expiresAt;
    expect(endOf('2030-05-01')).toBe('2030-05-01T00:00:00.000Z');
    expect(endOf('1903824000000')).toBe('2030-05-01T00:00:00.000Z');
    expect(endOf('next week')).toBeUndefined();
    expect(read('shortio', { ...row, expiresAt: 'next week' }).problems).toMatchObject([{ path: 'expiresAt' }]);
    expect(read('shortio', row).body.slug).toBe('a-b');
  });

  test('Rebrandly: the domain may be a column of its own, by any of its names', () => {
    const row = { slashtag: 'sale', destination: 'https://example.com/' };
    for (const name of ['domain.fullName', 'domain', 'Domain name'])
      expect(read('rebrandly', { ...row, [name]: 'go.example' })).toMatchObject({
        body: { slug: 'sale' },
        domain: 'go.example',
        needsDomain: false,
      });
  });
});
