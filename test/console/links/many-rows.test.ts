import { describe, expect, it } from 'vitest';
import { ApiError } from '#console/api/error.ts';
import { isManyAddresses } from '#console/links/many/lines.ts';
import { makeLinks, type Outcome } from '#console/links/many/make.ts';
import { bodyOfRow, readRows } from '#console/links/many/rows.ts';

const shared = { domain: '', folderId: '', tags: ['spring'] };

describe('a text of several addresses', () => {
  it.each(['https://example.com/1\nhttps://example.com/2', 'example.com/1 one\r\n\r\nexample.com/2\ttwo'])(
    'is %j',
    (text) => {
      expect(isManyAddresses(text)).toBe(true);
    },
  );

  it.each(['https://example.com/1', 'Dear all,\nsee example.com', 'one\ntwo', ''])('is not %j', (text) => {
    expect(isManyAddresses(text)).toBe(false);
  });
});

describe('rows of addresses', () => {
  it('become links with their slugs, their UTM values and what all have', () => {
    expect(readRows(' example.com/1?utm_source=news&a=1  one \n', shared).map(bodyOfRow)).toEqual([
      {
        destination: { type: 'link', value: 'https://example.com/1?a=1' },
        slug: 'one',
        tags: ['spring'],
        utmSource: 'news',
      },
    ]);
  });

  it('say what is wrong with a line, and keep their keys while others are edited', () => {
    const rows = readRows(
      'nowhere\nexample.com a b\nexample.com/1 one\nexample.com/2 one\nexample.com\nexample.com',
      shared,
    );
    expect(rows.map(({ problem }) => problem)).toEqual([
      'address',
      'cells',
      undefined,
      'slugTwice',
      undefined,
      undefined,
    ]);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(6);
    expect(readRows('example.com/1 one', shared)[0]?.key).toBe(rows[2]?.key);
  });

  it('are made in hundreds, and a hundred that fails leaves the others made', async () => {
    const rows = readRows(Array.from({ length: 150 }, (_value, index) => `example.com/${index}`).join('\n'), shared);
    const outcomes = new Map<string, Outcome>();
    await makeLinks(
      rows,
      (found) => found.forEach((outcome, key) => outcomes.set(key, outcome)),
      async (links) => {
        if (links.length < 100) throw new Error('The API did not answer.');
        return links.map((_link, index) =>
          index === 0
            ? {
                status: 400,
                error: { code: 'CONFLICT', message: 'no', issues: [{ path: 'slug', message: 'is in use' }] },
              }
            : { status: 201, data: { originUrl: `https://sho.rt/${index}` } },
        );
      },
    );
    const shown = rows.map(({ key }) => outcomes.get(key));
    expect([shown[0], shown[1], shown[149]]).toEqual([
      { error: 'Short link: Is in use' },
      { shortUrl: 'https://sho.rt/1' },
      { error: 'The API did not answer.' },
    ]);
  });

  it('of a call whose answer got lost are sent again as that call, whatever is added meanwhile', async () => {
    const calls: { intent: string; count: number }[] = [];
    const lines = Array.from({ length: 101 }, (_value, index) => `example.com/lost-${index}`);
    const ignore = (): void => undefined;
    await makeLinks(readRows(lines.join('\n'), shared), ignore, async (links, intent) => {
      calls.push({ intent, count: links.length });
      if (links.length === 1) throw new ApiError(0, { code: 'OFFLINE', message: 'The API did not answer.' });
      return links.map(() => ({ status: 400, error: { code: 'CONFLICT', message: 'no' } }));
    });
    await makeLinks(readRows(['example.com/added', ...lines].join('\n'), shared), ignore, async (links, intent) => {
      calls.push({ intent, count: links.length });
      return links.map(() => ({ status: 201, data: { originUrl: 'https://sho.rt/1' } }));
    });
    expect(calls.map(({ count }) => count)).toEqual([100, 1, 1, 100, 1]);
    const intents = calls.map(({ intent }) => intent);
    expect(intents.map((intent) => intents.indexOf(intent))).toEqual([0, 1, 1, 3, 4]);
  });
});
