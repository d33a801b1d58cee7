import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGuardedHttp } from '#adapters/http/guarded-http.ts';
import { createImages } from '#adapters/images/images.ts';
import { createPagePreviews } from '#adapters/page-preview/page-preview.ts';
import { createTestApi, useTestApi } from '#test/support/api.ts';

const api = useTestApi();

const pages: Record<string, RequestListener> = {};
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url!);
  const page = pages[request.url!.split('?')[0]!];
  if (page === undefined) response.writeHead(404).end();
  else page(request, response);
});
let origin: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked.length = 0;
});

function page(html: string, headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => void response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(html);
}

const look = (path: string) => api.call('GET', `/link-preview?url=${encodeURIComponent(`${origin}${path}`)}`);

describe('GET /link-preview answers 200', () => {
  it('with title, description and a small picture', async () => {
    const picture = await sharp({ create: { width: 1_200, height: 630, channels: 3, background: '#336' } })
      .png()
      .toBuffer();
    pages['/picture.png'] = (_request, response) => void response.writeHead(200).end(picture);
    pages['/whole'] = page(
      '<title>Spring</title><meta name="description" content="All of it"><meta property="og:image" content="/picture.png">',
    );
    const { status, body } = await look('/whole');
    expect(status).toBe(200);
    const { image, ...rest } = body;
    expect(rest).toEqual({
      url: `${origin}/whole`,
      finalUrl: `${origin}/whole`,
      status: 200,
      title: 'Spring',
      description: 'All of it',
      isFrameable: true,
      problem: null,
    });
    const { width, height, format } = await sharp(Buffer.from(image.split(',')[1], 'base64')).metadata();
    expect({ width, height, format }).toEqual({ width: 480, height: 252, format: 'jpeg' });
  });

  it('with the end of the redirects', async () => {
    pages['/moved'] = (_request, response) => void response.writeHead(301, { location: '/end?a=1' }).end();
    pages['/end'] = page('<title>End</title>');
    expect((await look('/moved')).body).toMatchObject({ finalUrl: `${origin}/end?a=1`, title: 'End', problem: null });
  });

  it('with isFrameable false for a page that refuses frames', async () => {
    pages['/strict'] = page('<title>x</title>', { 'content-security-policy': "frame-ancestors 'none'" });
    expect((await look('/strict')).body).toMatchObject({ isFrameable: false, problem: null });
  });

  it('without the picture where that cannot be read', async () => {
    pages['/bad.png'] = page('no picture');
    pages['/with-bad'] = page('<title>Still</title><meta property="og:image" content="/bad.png">');
    pages['/large.png'] = (_request, response) => void response.end(Buffer.alloc(600_000));
    pages['/with-large'] = page('<title>Still</title><meta property="og:image" content="/large.png">');
    for (const path of ['/with-bad', '/with-large']) {
      expect((await look(path)).body).toMatchObject({ title: 'Still', image: null, problem: null });
    }
  });

  it('for a page that is longer than is read', async () => {
    pages['/endless'] = page(`<title>Long</title>${'<p>text</p>'.repeat(100_000)}`);
    expect((await look('/endless')).body).toMatchObject({ title: 'Long', problem: null });
  });

  it('from memory within a minute, and once for calls at the same time', async () => {
    pages['/kept'] = page('<title>Kept</title>');
    await Promise.all([look('/kept'), look('/kept')]);
    await look('/kept');
    expect(asked).toEqual(['/kept']);
  });

  it('with the problem where there is no page', async () => {
    pages['/broken'] = (_request, response) => void response.writeHead(500).end();
    pages['/data.json'] = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    pages['/loop'] = (_request, response) => void response.writeHead(302, { location: '/loop' }).end();
    pages['/inside'] = (_request, response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
    pages['/other'] = (_request, response) => void response.writeHead(302, { location: 'mailto:a@b.example' }).end();
    pages['/cut'] = (request) => void request.socket.destroy();
    const problems: Record<string, unknown> = {};
    for (const path of ['/gone', '/broken', '/data.json', '/loop', '/inside', '/other', '/cut']) {
      const { status, body } = await look(path);
      expect({ path, status, title: body.title }).toEqual({ path, status: 200, title: null });
      problems[path] = [body.status, body.problem];
    }
    expect(problems).toEqual({
      '/gone': [404, 'status'],
      '/broken': [500, 'status'],
      '/data.json': [200, 'not-a-page'],
      '/loop': [302, 'redirects'],
      '/inside': [null, 'refused-address'],
      '/other': [null, 'refused-address'],
      '/cut': [null, 'connect'],
    });
    const { body } = await api.call('GET', '/link-preview?url=https://nowhere.example/');
    expect(body).toMatchObject({ status: null, problem: 'dns', finalUrl: 'https://nowhere.example/' });
  });

  it('within the time for a page that never ends', async () => {
    pages['/slow'] = (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>');
    const http = createGuardedHttp({
      dnsServers: ['127.0.0.1:1'],
      allowedCidrs: ['127.0.0.0/8'],
      allowHttp: true,
    });
    const embedder = new URL('https://sho.rt/');
    const pagePreviews = createPagePreviews({ http, images: createImages(), embedder, timeoutMs: 300 });
    await using hasty = await createTestApi({ besides: api, pagePreviews });
    const { body } = await hasty.call('GET', `/link-preview?url=${encodeURIComponent(`${origin}/slow`)}`);
    expect(body).toMatchObject({ status: null, problem: 'timeout' });
    await http.close();
  });
});

describe('GET /link-preview answers 400', () => {
  it.each([
    ['for an empty url', '?url='],
    ['for another scheme', '?url=ftp://example.com/'],
    ['for a url with a password', '?url=https://a:b@example.com/'],
    ['for text that is no url', '?url=example'],
  ])('%s', async (_case, query) => {
    const { status, body } = await api.call('GET', `/link-preview${query}`);
    expect(status).toBe(400);
    expect(body.code).toBe('VALIDATION_ERROR');
    expect(body.issues[0].path).toBe('url');
  });
});

describe('GET /link-preview answers 429', () => {
  it('to an organization that waits for more pages than its share, while the others are served', async () => {
    const held: (() => void)[] = [];
    pages['/held'] = (_request, response) => void held.push(() => response.end());
    pages['/quick'] = page('<title>Quick</title>');
    const calls = Array.from({ length: 40 }, (_unused, n) => look(`/held?${n}`));
    let refused = 0;
    for (const call of calls) void call.then(({ status }) => (refused += status === 429 ? 1 : 0));
    const finished = Promise.all(calls);
    // All calls have come before the first one is answered.
    await expect.poll(() => refused).toBe(16);
    await expect.poll(() => held.length).toBe(4);
    const freeing = setInterval(() => held.splice(0).forEach((free) => free()), 20);
    const statuses = (await finished).map(({ status }) => status);
    clearInterval(freeing);
    expect(statuses.filter((status) => status === 429)).toHaveLength(16);
    expect(statuses.filter((status) => status === 200)).toHaveLength(24);
    expect((await look('/quick')).status).toBe(200);
  });
});
