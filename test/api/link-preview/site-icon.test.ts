import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';

const api = useTestApi();
const stopping = new AsyncDisposableStack();
const asked: string[] = [];

afterEach(() => void (asked.length = 0));
afterAll(() => stopping.disposeAsync());

/** A site of its own, since icons are kept by sites. @returns its origin. */
async function site(pages: Record<string, RequestListener>): Promise<string> {
  const server = createServer((request, response) => {
    asked.push(request.url!);
    const page = pages[request.url!];
    if (page === undefined) response.writeHead(404).end();
    else page(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopping.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answer =
  (body: string | Buffer, type = 'text/html'): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': type }).end(body);

const draw = (side: number, background: string): Promise<Buffer> =>
  sharp({ create: { width: side, height: side, channels: 4, background } })
    .png()
    .toBuffer();

/** An icon file of one bitmap of 32 bits, all of one colour. */
function bitmapIcon(side: number, [red, green, blue, alpha]: readonly [number, number, number, number]): Buffer {
  const pixels = Buffer.alloc(side * side * 4, Buffer.of(blue, green, red, alpha));
  const header = Buffer.alloc(40);
  header.writeUInt32LE(40, 0);
  header.writeInt32LE(side, 4);
  header.writeInt32LE(side * 2, 8);
  header.writeUInt16LE(1, 12);
  header.writeUInt16LE(32, 14);
  const directory = Buffer.alloc(22);
  directory.writeUInt32LE(0x00_01_00_00, 0);
  directory.writeUInt16LE(1, 4);
  directory[6] = side;
  directory[7] = side;
  directory.writeUInt32LE(header.length + pixels.length, 14);
  directory.writeUInt32LE(22, 18);
  return Buffer.concat([directory, header, pixels]);
}

const iconOf = (url: string) =>
  api.app.inject({
    url: `/link-preview/icon?url=${encodeURIComponent(url)}`,
    headers: { 'x-api-key': api.organization.key },
  });

/** Side and first pixel of an icon as it was sent. */
async function look(bytes: Buffer): Promise<unknown> {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { side: info.width, pixel: [...data.subarray(0, 4)] };
}

describe('GET /link-preview/icon answers', () => {
  it('200 with the icon that the home page names, as a small PNG, and asks the site once', async () => {
    const origin = await site({
      '/': answer('<link rel="icon" href="/a.svg"><link rel="shortcut icon" href="/large.png">'),
      '/large.png': answer(await draw(256, '#ff0000'), 'image/png'),
    });
    const { statusCode, headers, rawPayload } = await iconOf(`${origin}/spring?a=1`);
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'image/png',
      'private, max-age=86400',
    ]);
    expect(await look(rawPayload)).toEqual({ side: 32, pixel: [255, 0, 0, 255] });
    await iconOf(`${origin}/other`);
    expect(asked).toEqual(['/', '/large.png']);
  });

  it('200 with the picture of /favicon.ico, a bitmap too', async () => {
    const origin = await site({ '/favicon.ico': answer(bitmapIcon(16, [10, 20, 30, 255]), 'image/x-icon') });
    const { rawPayload } = await iconOf(`${origin}/`);
    expect(await look(rawPayload)).toEqual({ side: 16, pixel: [10, 20, 30, 255] });
  });

  it('204 where the site has no icon, an SVG alone, a broken or a long one, or does not answer', async () => {
    const broken = bitmapIcon(16, [0, 0, 0, 0]).subarray(0, 100);
    const origins = [
      await site({}),
      await site({ '/favicon.ico': answer('<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml') }),
      await site({ '/favicon.ico': answer(broken, 'image/x-icon') }),
      await site({ '/favicon.ico': answer(Buffer.alloc(600_000), 'image/x-icon') }),
      await site({ '/favicon.ico': (request) => void request.socket.destroy() }),
      'http://10.0.0.1',
    ];
    for (const origin of origins) {
      const { statusCode, headers } = await iconOf(origin);
      expect({ origin, statusCode, kept: headers['cache-control'] }).toEqual({
        origin,
        statusCode: 204,
        kept: 'private, max-age=3600',
      });
    }
  });

  it('400 for an address that no link can lead to', async () => {
    const answered = await iconOf('ftp://example.com');
    expect([answered.statusCode, answered.json().issues[0].path]).toEqual([400, 'url']);
  });
});
