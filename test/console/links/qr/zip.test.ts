import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFileNames, zipQrCodes } from '#console/links/qr/zip.ts';
import { isSelected, type Selection } from '#console/links/list/selection.ts';
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
      async *readPages(selection: Selection) {
        yield links.filter(({ id }) => isSelected(selection, id));
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
    const result = await zipQrCodes({ ...run, selection, onProgress: ({ done, all }) => seen.push(done, all) }, tools);
    expect(await unzip(result!.zip)).toEqual({
      'go.example.com/slug-1.svg': '<svg>https://go.example.com/slug-1 with a logo</svg>',
      'go.example.com/slug-3.svg': '<svg>https://go.example.com/slug-3 with a logo</svg>',
    });
    expect(result).toMatchObject({ drawn: 2, failed: [] });
    expect(asked).toEqual(['logo image']);
    expect(seen.slice(0, 2)).toEqual([0, 2]);
  });

  test('a link that was deleted after it was selected is named, and the others are in the archive', async () => {
    const { tools } = createTools([link(1), link(2)]);
    const result = await zipQrCodes({ ...run, selection: rows('id-1', 'id-2', 'gone') }, tools);
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
      { ...run, selection: rows('id-1', 'id-2'), signal: stopper.signal },
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
