import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFileNames, zipQrCodes } from '#console/links/qr/zip.ts';
import { firstTemplate } from '#core/links/qr/template.ts';
import { root } from '#scripts/lib/paths.ts';

const { unzipSync } = createRequire(join(root, 'console/package.json'))('fflate') as {
  unzipSync: (bytes: Uint8Array) => Record<string, Uint8Array>;
};

async function unzip(zip: Blob): Promise<Record<string, string>> {
  const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]));
}

const link = (number: number, rest: object = {}) => ({
  id: `id-${number}`,
  slug: `slug-${number}`,
  originUrl: `https://go.example.com/slug-${number}`,
  ...rest,
});

/** Tools over links in memory; what they were asked for is noted. */
function createTools(links: ReturnType<typeof link>[]) {
  const asked: string[] = [];
  return {
    asked,
    tools: {
      async *readPages() {
        for (let start = 0; start < links.length; start += 100) {
          asked.push(`page ${start}`);
          yield links.slice(start, start + 100);
        }
      },
      readLink: async (id: string) => {
        asked.push(id);
        const found = links.find((one) => one.id === id);
        if (found === undefined) throw new Error('The requested resource does not exist.');
        return found;
      },
      readLogo: async (id: string) => {
        asked.push(`logo ${id}`);
        return { bytes: new Uint8Array(), mime: 'image/png' };
      },
      draw: async ({ url, logo }: { url: string; logo: object | undefined }) =>
        `<svg>${url}${logo === undefined ? '' : ' with a logo'}</svg>`,
    },
  };
}

const run = { filters: {}, onProgress: () => {}, signal: new AbortController().signal };
const rows = (...ids: string[]) => ({ kind: 'rows' as const, ids: new Set(ids) });

describe('the ZIP of QR codes', () => {
  test('all found links but those taken out are in it, a logo is read once', async () => {
    const qrCode = { options: firstTemplate, imageId: 'image' };
    const { tools, asked } = createTools([link(1, { qrCode }), link(2), link(3, { qrCode })]);
    const seen: number[] = [];
    const selection = { kind: 'all' as const, count: 3, except: new Set(['id-2']) };
    const result = await zipQrCodes(
      { ...run, selection, count: 3, onProgress: ({ done, all }) => seen.push(done, all) },
      tools,
    );
    expect(await unzip(result!.zip)).toEqual({
      'go.example.com/slug-1.svg': '<svg>https://go.example.com/slug-1 with a logo</svg>',
      'go.example.com/slug-3.svg': '<svg>https://go.example.com/slug-3 with a logo</svg>',
    });
    expect(result).toMatchObject({ drawn: 2, failed: [] });
    expect(asked).toEqual(['page 0', 'logo image']);
    expect(seen.slice(0, 2)).toEqual([0, 2]);
  });

  test('few of many links are read one by one, many by pages, and those that other filters found one by one', async () => {
    const links = Array.from({ length: 250 }, (_value, index) => link(index));
    const few = createTools(links);
    await zipQrCodes({ ...run, selection: rows('id-7', 'id-249'), count: 250 }, few.tools);
    expect(few.asked).toEqual(['id-7', 'id-249']);
    const more = createTools(links);
    await zipQrCodes({ ...run, selection: rows('id-7', 'id-8', 'id-120'), count: 250 }, more.tools);
    expect(more.asked).toEqual(['page 0', 'page 100']);
    const others = createTools(links);
    const result = await zipQrCodes({ ...run, selection: rows('id-1', 'id-2', 'gone'), count: 250 }, others.tools);
    expect(others.asked).toEqual(['page 0', 'page 100', 'page 200', 'gone']);
    expect(result).toMatchObject({
      drawn: 2,
      failed: [{ id: 'gone', reason: 'The requested resource does not exist.' }],
    });
  });

  test('a stopped run makes no archive', async () => {
    const { tools } = createTools([link(1), link(2)]);
    const stopper = new AbortController();
    const draw: typeof tools.draw = (picture) => {
      stopper.abort();
      return tools.draw(picture);
    };
    const stopped = await zipQrCodes(
      { ...run, selection: rows('id-1', 'id-2'), count: 2, signal: stopper.signal },
      { ...tools, draw },
    );
    expect(stopped).toBeUndefined();
  });

  test('files have names that every system takes, unlike each other without regard to case', () => {
    const nameOf = createFileNames();
    const at = (slug: string, host = 'go.example.com') => nameOf({ slug, originUrl: `https://${host}/x` });
    expect([at('Spring'), at('spring'), at('SPRING'), at('spring', 'b.example.com')]).toEqual([
      'go.example.com/Spring.svg',
      'go.example.com/spring-2.svg',
      'go.example.com/SPRING-3.svg',
      'b.example.com/spring.svg',
    ]);
    expect(at('con')).toBe('go.example.com/_con.svg');
    expect(at('aux.1')).toBe('go.example.com/_aux.1.svg');
    const long = at('ä'.repeat(255));
    expect(Buffer.byteLength(long)).toBeLessThan(255);
    expect(at('ä'.repeat(255))).not.toBe(long);
  });
});
