import { describe, expect, it } from 'vitest';
import { readMapping } from '#core/imports/mapping.ts';
import { createRowReader } from '#core/imports/rows/row-reader.ts';

/** Reads a row of any CSV: a link with one column more. */
const row = (name: string, value: string) =>
  createRowReader('csv', ['slug', 'url', name])(['a', 'https://example.com/', value]);

describe('cells that say that a link has no end, no cap and no protection', () => {
  it.each(['Never', 'none', 'N/A', '-', '—', 'No', 'nie', 'Unlimited', 'Forever', 'ongoing', 'No expiration', '∞'])(
    '%s means no end and no cap',
    (word) => {
      for (const name of ['expires_at', 'valid until', 'max_clicks', 'clicks limit']) {
        const { body, problems } = row(name, word);
        expect([name, problems, Object.keys(body)]).toEqual([name, [], ['destination', 'slug']]);
      }
    },
  );

  it.each([
    ['1.0', 1],
    ['250.00', 250],
    ['1,000', 1_000],
  ])('a cap of %s, as spreadsheets write it, is %i', (cell, maxClicks) => {
    expect(row('max_clicks', cell)).toMatchObject({ problems: [], body: { maxClicks } });
  });

  it.each(['-', '–', 'None', 'n/a', 'Never', 'nein', '✗'])('%s turns no link off, and is no password', (word) => {
    for (const name of ['disabled', 'banned_at', 'archived', 'has_password', 'one_time'])
      expect([name, row(name, word)]).toEqual([name, expect.objectContaining({ problems: [] })]);
    expect(row('disabled', word).body).not.toHaveProperty('isActive');
  });

  it('a dash and N/A are nothing in any column: no tag, folder, domain, address or number of another system', () => {
    const names = 'slug,url,title,notes,tags,folder,domain,external_id,expired_url,visibility,utm_source'.split(',');
    for (const mark of ['-', '—', 'N/A']) {
      const fields = names.map((name) => (name === 'slug' ? 'a' : name === 'url' ? 'https://example.com/' : mark));
      expect(createRowReader('csv', names)(fields)).toEqual({
        body: { slug: 'a', destination: { type: 'link', value: 'https://example.com/' } },
        domain: undefined,
        needsDomain: false,
        folder: undefined,
        createdAt: undefined,
        problems: [],
      });
    }
    const own = createRowReader('waymark', ['destination', 'title'])(['https://example.com/', '-']);
    expect(own.body.title).toBe('-');
  });

  it('a start that is a dash is none, and one that is never reached fails the row', () => {
    expect(row('starts_at', '-').problems).toEqual([]);
    expect(row('starts_at', 'never').problems).toMatchObject([{ path: 'starts_at' }]);
  });

  it('a date of creation that says that it is unknown counts as empty', () => {
    expect(row('created', 'N/A')).toMatchObject({ createdAt: undefined, problems: [] });
    expect(row('created', 'yesterday').problems).toMatchObject([{ path: 'createdAt' }]);
  });

  it('a cap of 0 may be none or be used up, and fails the row; so does 0 of what is left', () => {
    for (const cap of ['0', '-1'])
      expect(row('max_clicks', cap).problems).toMatchObject([{ path: 'maxClicks', message: /no cap or no clicks/ }]);
    for (const name of ['remaining_clicks', 'clicks left'])
      expect(row(name, '0').problems).toMatchObject([{ path: name }]);
  });
});

describe('words for the state of a link', () => {
  it.each(['link_status', 'post_status', 'status', 'state', 'Link state'])(
    'in %s draft and trash turn it off, and an unknown word fails',
    (name) => {
      for (const word of ['draft', 'Trash', 'disabled']) expect(row(name, word).body.isActive).toBe(false);
      for (const word of ['publish', 'enabled']) expect(row(name, word)).toMatchObject({ problems: [] });
      for (const word of ['pending', 'on hold', 'CA']) expect(row(name, word).problems).toMatchObject([{ path: name }]);
    },
  );

  it('a column of active links may hold the words instead of yes and no', () => {
    expect(row('active', 'Inactive').body.isActive).toBe(false);
    expect(row('active', 'Active').body.isActive).toBe(true);
    expect(row('enabled', 'ja').body.isActive).toBe(true);
  });
});

describe('columns of plugins of WordPress', () => {
  const read = (header: string, fields: string) => createRowReader('csv', header.split(','))(fields.split(','));

  it('name, start and end of an affiliate link are read', () => {
    const header =
      'post_title,post_name,post_status,_ta_destination_url,_ta_link_start_date,_ta_link_expire_date,_ta_after_expire_redirect';
    expect(
      read(header, 'Shop,shop,publish,https://example.com/,2020-01-01,2030-05-01,https://example.com/over'),
    ).toMatchObject({
      body: {
        slug: 'shop',
        title: 'Shop',
        expiresAt: '2030-05-01T00:00:00.000Z',
        expiredUrl: 'https://example.com/over',
        destination: { value: 'https://example.com/' },
      },
      problems: [],
    });
    expect(read(header, 'Shop,shop,publish,https://example.com/,2099-01-01,,').problems).toMatchObject([
      { path: '_ta_link_start_date' },
    ]);
    expect(read('slug,url,campaign_start_date', 'a,https://example.com/,2099-01-01').problems).toHaveLength(1);
  });

  it('a code that is a status of HTTP is no slug', () => {
    expect(read('source,target,code', '/old,https://example.com/,301').problems).toMatchObject([{ path: 'code' }]);
    expect(read('code,target', 'abc,https://example.com/')).toMatchObject({ body: { slug: 'abc' }, problems: [] });
    expect(read('slug,target,code', 'old,https://example.com/,301')).toMatchObject({
      body: { slug: 'old' },
      problems: [],
    });
  });
});

describe('lists of short URLs', () => {
  const read = (custom: string) =>
    createRowReader('bitly', ['link', 'custom_bitlinks', 'long_url'])([
      'https://bit.ly/3abc',
      custom,
      'https://example.com/',
    ]);

  it("Bitly's custom short link names the link, several fail the row, and an empty list leaves the generated one", () => {
    expect(readMapping('bitly', ['link', 'custom_bitlinks', 'long_url'])).toEqual([
      'shortUrl',
      'shortUrl',
      'destination',
    ]);
    expect(read('["https://go.example/sale"]')).toMatchObject({
      body: { slug: 'sale' },
      domain: 'go.example',
      problems: [],
    });
    expect(read('[]')).toMatchObject({ body: { slug: '3abc' }, domain: 'bit.ly', problems: [] });
    expect(read('["https://go.example/a","https://go.example/b"]').problems).toMatchObject([
      { path: 'slug', message: /2 short URLs/ },
    ]);
  });
});

describe('rows inside of a cell', () => {
  const read = (title: string) =>
    createRowReader('yourls', ['keyword', 'url', 'title', 'ip'])(['a', 'https://example.com/', title, '']);

  it('a quote that swallowed the rows behind it fails its row; a text of several lines does not', () => {
    expect(read('Only opening\t127.0.0.1\nb\thttps://example.com/2\tTwo\t127.0.0.1').problems).toMatchObject([
      { path: '', message: /holds other rows/ },
    ]);
    expect(read('Two lines,\nwith https://example.com/ in the second').problems).toEqual([]);
  });
});
