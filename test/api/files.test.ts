import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFileUrl } from '../../core/file-url.ts';
import { StorageError } from '../../core/storage.ts';
import { readCompiledLinks } from '../../db/compiled-link.ts';
import { createTestApi, type TestApi } from '../support/api.ts';
import { createOrganization } from '../support/factories.ts';
import { upload, writeMultipart } from '../support/upload.ts';

let api: TestApi;
let png: Buffer;
let jpeg: Buffer;
let webp: Buffer;
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>evil()</script><circle r="4"/></svg>';
beforeAll(async () => {
  api = await createTestApi();
  const picture = sharp({ create: { width: 30, height: 20, channels: 3, background: '#336699' } });
  [png, jpeg, webp] = await Promise.all([
    picture.png().toBuffer(),
    picture.jpeg().toBuffer(),
    picture.webp().toBuffer(),
  ]);
});
afterAll(() => api[Symbol.asyncDispose]());

const id = '019a2f6e-7c1b-7d3a-9a51-0c6f6d2f8e11';
const fetchPublic = async (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  api.app.inject({ method, url: new URL(url).pathname, headers });
/** A picture that does not get small: its upload has exactly so many bytes, what follows the picture being nothing. */
const padded = (bytes: number): Buffer => Buffer.concat([png, Buffer.alloc(bytes - png.length)]);

describe('POST /files/meta-tag-image', () => {
  it('keeps a picture and answers with its record', async () => {
    const { status, body } = await upload(api, 'meta-tag', [{ content: png, filename: 'grüße.png' }]);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      createdAt: expect.any(String),
      name: 'grüße.png',
      organizationId: api.organization.id,
      key: `meta-tag/${body.id}.png`,
      mime: 'image/png',
      size: expect.any(Number),
      url: expect.stringMatching(/^http:\/\/localhost:3000\/files\/public\/[0-9a-f]{32}$/),
    });
    const link = await api.call('POST', '/short-link', {
      destination: { type: 'link', value: 'https://example.com' },
      metaTags: { title: 'T', imageId: body.id },
    });
    expect(link.body.metaTags.image).toEqual({ id: body.id, key: body.key });
  });

  it.each([
    ['png', () => png, 'image/png'],
    ['jpg', () => jpeg, 'image/jpeg'],
    ['webp', () => webp, 'image/webp'],
  ])('tells %s by content, not by name or header', async (ext, content, mime) => {
    const { body } = await upload(api, 'meta-tag', [{ content: content(), filename: 'a.gif', type: 'text/html' }]);
    expect(body).toMatchObject({ mime, key: `meta-tag/${body.id}.${ext}`, name: 'a.gif' });
  });

  it('takes 1,048,576 bytes and not one more', async () => {
    expect((await upload(api, 'meta-tag', [{ content: padded(1_048_576) }])).status).toBe(201);
    const { status, body } = await upload(api, 'meta-tag', [{ content: padded(1_048_577) }]);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'file', message: expect.stringContaining('1048576') }],
    });
  });

  it.each([
    ['no part', []],
    ['an empty file', [{ content: '' }]],
    ['a field', [{ content: 'text', filename: null }]],
    ['SVG', [{ content: svg, filename: 'a.png', type: 'image/png' }]],
    ['text', [{ content: 'text', filename: 'a.png', type: 'image/png' }]],
    ['two files', [{ content: 'a' }, { content: 'b' }]],
  ])('refuses %s and names `file`', async (_what, parts) => {
    const { status, body } = await upload(api, 'meta-tag', parts);
    expect(status).toBe(400);
    expect(body.issues).toEqual([{ path: 'file', message: expect.any(String) }]);
  });

  it('refuses other parts and names them', async () => {
    const more = await upload(api, 'meta-tag', [{ content: png }, { name: 'title', filename: null, content: 'x' }]);
    expect(more).toMatchObject({ status: 400, body: { issues: [{ path: 'title', message: 'is not a known field' }] } });
    const other = await upload(api, 'meta-tag', [{ name: 'picture', content: png }]);
    expect(other.body.issues.map(({ path }: { path: string }) => path).toSorted()).toEqual(['file', 'picture']);
  });

  it('refuses what is no multipart, too much of it, or cut short', async () => {
    const whole = writeMultipart([{ content: png }]);
    const cases = [
      { payload: { file: 'x' } },
      { payload: whole.payload.subarray(0, 100), headers: whole.headers },
      { payload: whole.payload, headers: { 'content-type': 'multipart/form-data' } },
      writeMultipart(Array.from({ length: 30 }, () => ({ content: 'a' }))),
      writeMultipart([{ name: '__proto__', content: png }]),
      writeMultipart([{ name: 'constructor', filename: null, content: 'x' }]),
    ];
    for (const options of cases) {
      const { status, body } = await api.call('POST', '/files/meta-tag-image', undefined, options);
      expect(body).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{}] });
      expect(status).toBe(400);
    }
  });

  it('keeps of a name what can be shown', async () => {
    const names = { '../../etc/passwd': 'passwd', 'C:\\\\a\\\\b.png': 'b.png', ['x'.repeat(300)]: 'x'.repeat(255) };
    for (const [filename, name] of Object.entries(names)) {
      expect((await upload(api, 'meta-tag', [{ content: png, filename }])).body.name).toBe(name);
    }
  });

  it('leaves JSON to other routes, and multipart to this one', async () => {
    const { payload, headers } = writeMultipart([{ content: png }]);
    const { status, body } = await api.call('POST', '/tag', undefined, { payload, headers });
    expect(status).toBe(400);
    expect(body.message).toBe('The body must be sent as application/json.');
  });
});

describe('POST /files/qr-code-image', () => {
  it('cleans SVG', async () => {
    const { status, body } = await upload(api, 'qr-code', [{ content: svg }]);
    expect(status).toBe(201);
    expect(body).toMatchObject({ key: `qr-code/${body.id}.svg`, mime: 'image/svg+xml' });
    const served = await fetchPublic(body.url);
    expect(served.payload).toContain('<circle r="4"/>');
    expect(served.payload).not.toContain('evil');
    expect(Buffer.byteLength(served.payload)).toBe(body.size);
  });

  it('takes 512,000 bytes and not one more, and no WebP', async () => {
    expect((await upload(api, 'qr-code', [{ content: padded(512_000) }])).status).toBe(201);
    expect((await upload(api, 'qr-code', [{ content: padded(512_001) }])).body.issues).toMatchObject([
      { path: 'file' },
    ]);
    expect((await upload(api, 'qr-code', [{ content: webp }])).body.issues).toMatchObject([{ path: 'file' }]);
  });
});

describe('an upload over a real connection', () => {
  it('is taken as browsers and curl send it, and refused when it is far too large', async () => {
    await using served = await createTestApi({ besides: api });
    const address = await served.app.listen({ host: '127.0.0.1', port: 0 });
    const send = async (content: Buffer): Promise<Response> => {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(content)], { type: 'image/png' }), 'größe.png');
      const headers = { 'x-api-key': api.organization.key };
      return fetch(`${address}/files/qr-code-image`, { method: 'POST', headers, body });
    };
    const taken = await send(png);
    expect(taken.status).toBe(201);
    expect(await taken.json()).toMatchObject({ name: 'größe.png', mime: 'image/png' });
    const refused = await send(padded(8_000_000));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: 'file' }] });
  });
});

describe('Idempotency-Key of an upload', () => {
  it('compares what the parts hold, not how they are divided', async () => {
    const headers = { 'idempotency-key': 'one' };
    const first = await upload(api, 'qr-code', [{ content: png }], { headers });
    const again = await upload(api, 'qr-code', [{ content: png }], { headers });
    expect(again).toMatchObject({ status: 201, body: first.body, headers: { 'idempotency-replayed': 'true' } });
    const other = await upload(api, 'qr-code', [{ content: jpeg }], { headers });
    expect(other).toMatchObject({ status: 409, body: { code: 'ALREADY_EXIST' } });
  });

  it('replays a refusal', async () => {
    const headers = { 'idempotency-key': 'two' };
    const first = await upload(api, 'qr-code', [{ content: 'text' }], { headers });
    const again = await upload(api, 'qr-code', [{ content: 'text' }], { headers });
    expect(again).toMatchObject({ status: 400, body: first.body, headers: { 'idempotency-replayed': 'true' } });
  });

  it('presents what a call had made that died after its commit', async () => {
    const headers = { 'idempotency-key': 'three' };
    const first = await upload(api, 'qr-code', [{ content: png }], { headers });
    await api.db.query(
      `update idempotency_keys set status = null, answer = null, claimed_until = now() where key = 'three'`,
    );
    const again = await upload(api, 'qr-code', [{ content: png }], { headers });
    expect(again).toMatchObject({ status: 201, body: first.body });
  });
});

describe('the url of a file', () => {
  it('serves it to everybody, for ever, and harmless', async () => {
    const { body } = await upload(api, 'qr-code', [{ content: png }]);
    const { statusCode, headers, rawPayload } = await fetchPublic(body.url);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': expect.stringMatching(/^sandbox/),
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers['x-request-id']).toEqual(expect.any(String));
    expect(rawPayload.length).toBe(body.size);
    expect((await sharp(rawPayload).metadata()).width).toBe(30);
    const head = await fetchPublic(body.url, {}, 'HEAD');
    expect(head).toMatchObject({ statusCode: 200, payload: '' });
    const known = await fetchPublic(body.url, { 'if-none-match': `"x", ${String(headers.etag)}` });
    expect(known).toMatchObject({ statusCode: 304, payload: '' });
  });

  it('is what the edge shows in previews of a link', async () => {
    const { body } = await upload(api, 'meta-tag', [{ content: png }]);
    const link = await api.call('POST', '/short-link', {
      destination: { type: 'link', value: 'https://example.com' },
      metaTags: { imageId: body.id },
    });
    const { domainId, slug } = link.body;
    const compiled = (await readCompiledLinks(api.db, domainId, [slug])).get(slug);
    expect(createFileUrl('http://localhost:3000')(compiled!.metaTags!.imageKey!)).toBe(body.url);
  });

  it('is not guessed from what is known of it', async () => {
    const { body } = await upload(api, 'qr-code', [{ content: png }]);
    for (const guess of [body.id, body.key, `${body.id}.png`, 'x', '..%2F..%2Fconfig.ts', '%00', '%E0%A4%A']) {
      const { statusCode } = await api.app.inject({ url: `/files/public/${guess}` });
      expect([400, 404]).toContain(statusCode);
    }
  });

  it('answers 404 where the storage has lost it, 503 where it is away', async () => {
    const { body } = await upload(api, 'qr-code', [{ content: png }]);
    await using away = await createTestApi({
      besides: api,
      storage: {
        put: () => Promise.reject(new StorageError(new Error('away'))),
        get: () => Promise.reject(new StorageError(new Error('away'))),
        remove: async () => {},
      },
    });
    expect((await away.app.inject({ url: new URL(body.url).pathname })).statusCode).toBe(503);
    expect((await upload(away, 'qr-code', [{ content: png }])).status).toBe(503);
    await using empty = await createTestApi({ besides: api });
    expect((await empty.app.inject({ url: new URL(body.url).pathname })).statusCode).toBe(404);
  });
});

describe('GET /files/list, GET and DELETE /files/{id}', () => {
  it('lists the organization’s own, most recent first', async () => {
    const mine = await createOrganization(api.db);
    const options = { headers: { 'x-api-key': mine.key } };
    const made = [];
    for (const kind of ['meta-tag', 'qr-code'] as const)
      made.unshift((await upload(api, kind, [{ content: png }], options)).body);
    expect((await api.call('GET', '/files/list', undefined, options)).body).toEqual({ count: 2, data: made });
    const page = await api.call('GET', '/files/list?limit=1&page=1', undefined, options);
    expect(page.body).toEqual({ count: 2, data: [made[1]] });
    expect((await api.call('GET', '/files/list?limit=0', undefined, options)).body).toEqual({ count: 2, data: [] });
    expect((await api.call('GET', '/files/list?limit=51', undefined, options)).status).toBe(400);
    expect((await api.call('GET', `/files/${made[0].id}`, undefined, options)).body).toEqual(made[0]);
  });

  it('deletes a file that nothing shows', async () => {
    const { body } = await upload(api, 'qr-code', [{ content: png }]);
    expect(await api.call('DELETE', `/files/${body.id}`)).toMatchObject({ status: 200, body: { rowCount: 1 } });
    expect((await api.call('GET', `/files/${body.id}`)).status).toBe(404);
    expect((await api.call('DELETE', `/files/${body.id}`)).status).toBe(404);
    expect((await fetchPublic(body.url)).statusCode).toBe(404);
    const link = await api.call('POST', '/short-link', {
      destination: { type: 'link', value: 'https://example.com' },
      qrCode: { options: {}, imageId: body.id },
    });
    expect(link.body.issues).toMatchObject([{ path: 'qrCode.imageId' }]);
  });

  it('keeps a file that a link or a domain shows, until that is gone', async () => {
    const logo = (await upload(api, 'qr-code', [{ content: png }])).body;
    const image = (await upload(api, 'meta-tag', [{ content: png }])).body;
    const link = await api.call('POST', '/short-link', {
      destination: { type: 'link', value: 'https://example.com' },
      qrCode: { options: {}, imageId: logo.id },
      metaTags: { imageId: image.id },
    });
    for (const file of [logo, image]) {
      expect(await api.call('DELETE', `/files/${file.id}`)).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'id' }] },
      });
    }
    await api.call('DELETE', `/short-link/${link.body.id}`);
    expect((await api.call('DELETE', `/files/${image.id}`)).status).toBe(200);
    const domain = await api.call('POST', '/domain', { domain: 'files.example' });
    await api.call('PATCH', `/domain/${domain.body.id}`, { qrCode: { options: {}, imageId: logo.id } });
    expect((await api.call('DELETE', `/files/${logo.id}`)).status).toBe(400);
    await api.call('PATCH', `/domain/${domain.body.id}`, { qrCode: null });
    expect((await api.call('DELETE', `/files/${logo.id}`)).status).toBe(200);
  });

  it('answers 400, 401, 403 and 404 as every resource does', async () => {
    const { body } = await upload(api, 'qr-code', [{ content: png }]);
    const other = await createOrganization(api.db);
    const reader = await createOrganization(api.db, { permissions: { files: ['read'] } });
    const blind = await createOrganization(api.db, { permissions: { shortLinks: ['read'] } });
    const by = (key: string | undefined) => ({ headers: { 'x-api-key': key } });
    for (const method of ['GET', 'DELETE'] as const) {
      const action = method === 'GET' ? 'read' : 'delete';
      expect((await api.call(method, '/files/nonsense')).status).toBe(400);
      expect((await api.call(method, `/files/${id}`)).status).toBe(404);
      expect((await api.call(method, `/files/${body.id}`, undefined, by(undefined))).status).toBe(401);
      expect((await api.call(method, `/files/${body.id}`, undefined, by(other.key))).body.code).toBe('FORBIDDEN');
      expect((await api.call(method, `/files/${body.id}`, undefined, by(blind.key))).body).toMatchObject({
        code: 'ACTION_NOT_ALLOWED',
        resource: 'files',
        action,
      });
    }
    for (const kind of ['meta-tag', 'qr-code'] as const) {
      expect((await upload(api, kind, [{ content: png }], by(reader.key))).body).toMatchObject({
        resource: 'files',
        action: 'create',
      });
      expect((await upload(api, kind, [{ content: png }], by(undefined))).status).toBe(401);
    }
  });
});
