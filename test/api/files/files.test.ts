// @module-tag slow

import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, useTestApi } from '#test/support/api.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { createPictures, fetchPublic, type Pictures } from '#test/support/pictures.ts';
import { upload, writeMultipart } from '#test/support/upload.ts';

let pictures: Pictures;
const api = useTestApi();
beforeAll(async () => {
  pictures = await createPictures();
});

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>evil()</script><circle r="4"/></svg>';
/** A picture that does not get small: its upload has exactly so many bytes, what follows the picture being nothing. */
const padded = (bytes: number): Buffer => Buffer.concat([pictures.png, Buffer.alloc(bytes - pictures.png.length)]);

describe('POST /files/meta-tag-image', () => {
  it('keeps a picture and answers with its record', async () => {
    const { status, body } = await upload(api, 'meta-tag', [{ content: pictures.png, filename: 'grüße.png' }]);
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
      takenDown: null,
    });
    const link = await api.call('POST', '/short-link', {
      destination: { type: 'link', value: 'https://example.com' },
      metaTags: { title: 'T', imageId: body.id },
    });
    expect(link.body.metaTags.image).toEqual({ id: body.id, key: body.key });
  });

  it.each([
    ['png', () => pictures.png, 'image/png'],
    ['jpg', () => pictures.jpeg, 'image/jpeg'],
    // Drawn anew, since few programs that show previews read WebP.
    ['jpg', () => pictures.webp, 'image/jpeg'],
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

  it("one organization's heavy pictures do not hold up another's", { tags: 'nightly' }, async () => {
    const size = { width: 4_900, height: 4_900, channels: 3, background: '#336699' } as const;
    const heavy = await sharp({ create: size }).png().toBuffer();
    const other = await createOrganization(api.db);
    const ended: string[] = [];
    const send = async (name: string, key: string, content: Buffer): Promise<void> => {
      const { status } = await upload(api, 'meta-tag', [{ content }], { headers: { 'x-api-key': key } });
      ended.push(`${name} ${status}`);
    };
    const many = Array.from({ length: 8 }, () => send('greedy', api.organization.key, heavy));
    await Promise.all([...many, send('other', other.key, pictures.png)]);
    expect(ended).toHaveLength(9);
    expect(ended.slice(0, 4)).toContain('other 201');
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
    const more = await upload(api, 'meta-tag', [
      { content: pictures.png },
      { name: 'title', filename: null, content: 'x' },
    ]);
    expect(more).toMatchObject({ status: 400, body: { issues: [{ path: 'title', message: 'is not a known field' }] } });
    const other = await upload(api, 'meta-tag', [{ name: 'picture', content: pictures.png }]);
    expect(other.body.issues.map(({ path }: { path: string }) => path).toSorted()).toEqual(['file', 'picture']);
  });

  it('refuses what is no multipart, too much of it, or cut short', async () => {
    const whole = writeMultipart([{ content: pictures.png }]);
    const cases = [
      { payload: { file: 'x' } },
      { payload: whole.payload.subarray(0, 100), headers: whole.headers },
      { payload: whole.payload, headers: { 'content-type': 'multipart/form-data' } },
      writeMultipart(Array.from({ length: 30 }, () => ({ content: 'a' }))),
      writeMultipart([{ name: '__proto__', content: pictures.png }]),
      writeMultipart([{ name: 'constructor', filename: null, content: 'x' }]),
    ];
    for (const options of cases) {
      const { status, body } = await api.call('POST', '/files/meta-tag-image', undefined, options);
      expect(body).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{}] });
      expect(status).toBe(400);
    }
  });

  it('says what a compressed body, and a part without a name, lack', async () => {
    const compressed = await upload(api, 'meta-tag', [{ content: pictures.png }], {
      headers: { 'content-encoding': 'gzip' },
    });
    expect([compressed.status, compressed.body.message]).toEqual([400, expect.stringContaining('Content-Encoding')]);
    const { payload, headers } = writeMultipart([{ content: pictures.png }]);
    const nameless = Buffer.from(payload.toString('latin1').replace(' name="file";', ''), 'latin1');
    const { status, body } = await api.call('POST', '/files/meta-tag-image', undefined, { payload: nameless, headers });
    expect([status, body.message]).toEqual([400, 'A part of the body has no name.']);
  });

  it('keeps of a name what can be shown', async () => {
    const names = {
      '../../etc/passwd': 'passwd',
      'C:\\\\a\\\\b.png': 'b.png',
      ['x'.repeat(300)]: 'x'.repeat(255),
      [`${'x'.repeat(300)}.png`]: `${'x'.repeat(251)}.png`,
    };
    for (const [filename, name] of Object.entries(names)) {
      expect((await upload(api, 'meta-tag', [{ content: pictures.png, filename }])).body.name).toBe(name);
    }
  });

  it('leaves JSON to other routes, and multipart to this one', async () => {
    const { payload, headers } = writeMultipart([{ content: pictures.png }]);
    const { status, body } = await api.call('POST', '/tag', undefined, { payload, headers });
    expect(status).toBe(400);
    expect(body.message).toBe('The body must be sent as application/json.');
    for (const path of ['/files/meta-tag-image', '/short-link/import']) {
      const answer = await api.call('POST', path, undefined, { payload: 'x', headers: { 'content-type': 'text/csv' } });
      expect([answer.status, answer.body.message]).toEqual([
        400,
        'The body must be sent as multipart/form-data, with the file in a part "file".',
      ]);
    }
  });
});

describe('POST /files/qr-code-image', () => {
  it('cleans SVG', async () => {
    const { status, body } = await upload(api, 'qr-code', [{ content: svg }]);
    expect(status).toBe(201);
    expect(body).toMatchObject({ key: `qr-code/${body.id}.svg`, mime: 'image/svg+xml' });
    const served = await fetchPublic(api, body.url);
    expect(served.payload).toContain('<circle r="4"/>');
    expect(served.payload).not.toContain('evil');
    expect(Buffer.byteLength(served.payload)).toBe(body.size);
  });

  it('takes 512,000 bytes and not one more, and no WebP', async () => {
    expect((await upload(api, 'qr-code', [{ content: padded(512_000) }])).status).toBe(201);
    expect((await upload(api, 'qr-code', [{ content: padded(512_001) }])).body.issues).toMatchObject([
      { path: 'file' },
    ]);
    expect((await upload(api, 'qr-code', [{ content: pictures.webp }])).body.issues).toMatchObject([{ path: 'file' }]);
  });
});

describe('an upload over a real connection', () => {
  it(
    'an upload is taken as browsers and curl send it, and refused when it is far too large',
    { tags: 'slow' },
    async () => {
      await using served = await createTestApi({ besides: api });
      const address = await served.app.listen({ host: '127.0.0.1', port: 0 });
      const send = async (content: Buffer): Promise<Response> => {
        const body = new FormData();
        body.append('file', new Blob([new Uint8Array(content)], { type: 'image/png' }), 'größe.png');
        const headers = { 'x-api-key': api.organization.key };
        return fetch(`${address}/files/qr-code-image`, { method: 'POST', headers, body });
      };
      const taken = await send(pictures.png);
      expect(taken.status).toBe(201);
      expect(await taken.json()).toMatchObject({ name: 'größe.png', mime: 'image/png' });
      const refused = await send(padded(8_000_000));
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: 'file' }] });
    },
  );
});

describe('Idempotency-Key of an upload', () => {
  it('a refused upload is replayed under its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'two' };
    const first = await upload(api, 'qr-code', [{ content: 'text' }], { headers });
    const again = await upload(api, 'qr-code', [{ content: 'text' }], { headers });
    expect(again.body.issues).toEqual(first.body.issues);
    expect(again).toMatchObject({ status: 400, headers: { 'idempotency-replayed': 'true' } });
  });
});

describe('GET /files/list with withUses', () => {
  it('counts the live links and domains that use a file, and each link once', async () => {
    await using own = await createTestApi();
    const idOf = async (kind: 'meta-tag' | 'qr-code'): Promise<string> =>
      (await upload(own, kind, [{ content: pictures.png }])).body.id;
    const [picture, logo, unused] = [await idOf('meta-tag'), await idOf('qr-code'), await idOf('qr-code')];
    const destination = { type: 'link', value: 'https://example.com' };
    const metaTags = { title: 'T', imageId: picture };
    const qrCode = { imageId: logo, options: {} };
    const make = async (body: object): Promise<string> => {
      const link = await own.call('POST', '/short-link', { destination, ...body });
      expect([link.status, link.body.issues]).toEqual([201, undefined]);
      return link.body.id;
    };
    await make({ metaTags, qrCode });
    await make({ metaTags });
    const leaving = await make({ metaTags, qrCode });
    await own.call('DELETE', `/short-link/${leaving}`);
    const domain = await createDomain(own.db, own.organization.id);
    expect((await own.call('PATCH', `/domain/${domain.id}`, { qrCode })).status).toBe(200);

    const { status, body } = await own.call('GET', '/files/list?withUses=true');
    expect(status).toBe(200);
    const uses = new Map(body.data.map((file: { id: string; uses: unknown }) => [file.id, file.uses]));
    expect(uses.get(picture)).toEqual({ links: 2, domains: 0 });
    expect(uses.get(logo)).toEqual({ links: 1, domains: 1 });
    expect(uses.get(unused)).toEqual({ links: 0, domains: 0 });
    expect((await own.call('GET', '/files/list')).body.data[0]).not.toHaveProperty('uses');
  });
});
