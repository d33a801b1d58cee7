// @module-tag slow

import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { resumeOrganization, suspendOrganization } from '#commands/organizations/organizations.ts';
import { createFileUrl } from '#core/files/url.ts';
import { StorageError } from '#core/files/storage.ts';
import { readCompiledLinks } from '#db/links/visits/compiled.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createTestApi, useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { createPictures, fetchPublic, type Pictures } from '#test/support/pictures.ts';
import { upload } from '#test/support/upload.ts';

let pictures: Pictures;
const api = useTestApi();
beforeAll(async () => {
  pictures = await createPictures();
});

describe('the url of a file', () => {
  it('the url of a file serves it without a key, cacheable for five minutes, and harmless', async () => {
    const { body } = await upload(api, 'qr-code', [{ content: pictures.png }]);
    const { statusCode, headers, rawPayload } = await fetchPublic(api, body.url);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': expect.stringMatching(/^sandbox/),
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=300',
    });
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers['x-request-id']).toEqual(expect.any(String));
    expect(rawPayload.length).toBe(body.size);
    expect((await sharp(rawPayload).metadata()).width).toBe(30);
    const head = await fetchPublic(api, body.url, { method: 'HEAD' });
    expect(head).toMatchObject({ statusCode: 200, payload: '' });
    const known = await fetchPublic(api, body.url, { headers: { 'if-none-match': `"x", ${String(headers.etag)}` } });
    expect(known).toMatchObject({ statusCode: 304, payload: '' });
  });

  it('previews of a link show the url of its image', async () => {
    const { body } = await upload(api, 'meta-tag', [{ content: pictures.png }]);
    const link = await api.call('POST', '/short-link', {
      destination: { type: 'link', value: 'https://example.com' },
      metaTags: { imageId: body.id },
    });
    const { domainId, slug } = link.body;
    const compiled = (await readCompiledLinks(api.db, domainId, [slug])).get(slug);
    expect(createFileUrl('http://localhost:3000')(compiled!.metaTags!.imageKey!)).toBe(body.url);
    expect(compiled!.metaTags!.imageSize).toEqual({ width: 30, height: 20 });
  });

  it('the url of a file cannot be guessed from its id or key', async () => {
    const { body } = await upload(api, 'qr-code', [{ content: pictures.png }]);
    for (const guess of [body.id, body.key, `${body.id}.png`, 'x', '..%2F..%2Fconfig.ts', '%00', '%E0%A4%A']) {
      const { statusCode } = await api.app.inject({ url: `/files/public/${guess}` });
      expect([400, 404]).toContain(statusCode);
    }
  });

  it('the url of a file answers 404 where the storage has lost it, 503 where the storage is unreachable', async () => {
    const { body } = await upload(api, 'qr-code', [{ content: pictures.png }]);
    await using away = await createTestApi({
      besides: api,
      storage: {
        put: () => Promise.reject(new StorageError(new Error('away'))),
        get: () => Promise.reject(new StorageError(new Error('away'))),
        remove: async () => {},
      },
    });
    expect((await away.app.inject({ url: new URL(body.url).pathname })).statusCode).toBe(503);
    expect((await upload(away, 'qr-code', [{ content: pictures.png }])).status).toBe(503);
    await using empty = await createTestApi({ besides: api });
    expect((await empty.app.inject({ url: new URL(body.url).pathname })).statusCode).toBe(404);
  });
});

describe('the file of a suspended organization', () => {
  it('a file of a suspended organization is not served until the suspension ends (2.9)', async () => {
    const { id: organizationId, key } = await createOrganization(api.db);
    const { body } = await upload(api, 'qr-code', [{ content: pictures.png }], { headers: { 'x-api-key': key } });
    const statuses = async (): Promise<number[]> => [
      (await fetchPublic(api, body.url)).statusCode,
      (await fetchPublic(api, body.url, { headers: { 'if-none-match': '*' } })).statusCode,
    ];
    expect(await statuses()).toEqual([200, 304]);
    await emOf(api.db).transactional((em) => suspendOrganization(em, organizationId, { now: new Date() }));
    await eventually(statuses, (seen) => seen.every((status) => status === 404));
    const refused = await fetchPublic(api, body.url);
    expect(refused.headers['cache-control']).toBe('no-store');
    await emOf(api.db).transactional((em) => resumeOrganization(em, organizationId));
    await eventually(statuses, (seen) => seen[0] === 200);
  });
});

describe('GET /files/list, GET and DELETE /files/{id}', () => {
  it('lists the organization’s own, most recent first', async () => {
    const mine = await createOrganization(api.db);
    const options = { headers: { 'x-api-key': mine.key } };
    const made = [];
    for (const kind of ['meta-tag', 'qr-code'] as const)
      made.unshift((await upload(api, kind, [{ content: pictures.png }], options)).body);
    expect((await api.call('GET', '/files/list', undefined, options)).body).toEqual({ count: 2, data: made });
    const page = await api.call('GET', '/files/list?limit=1&page=1', undefined, options);
    expect(page.body).toEqual({ count: 2, data: [made[1]] });
    expect((await api.call('GET', '/files/list?limit=0', undefined, options)).body).toEqual({ count: 2, data: [] });
    expect((await api.call('GET', '/files/list?limit=51', undefined, options)).status).toBe(400);
    expect((await api.call('GET', `/files/${made[0].id}`, undefined, options)).body).toEqual(made[0]);
  });

  it('filters files by kind, name and moment', async () => {
    const mine = await createOrganization(api.db);
    const options = { headers: { 'x-api-key': mine.key } };
    const make = async (kind: 'meta-tag' | 'qr-code', filename: string) =>
      (await upload(api, kind, [{ content: pictures.png, filename }], options)).body;
    const preview = await make('meta-tag', 'Spring_1.png');
    const logo = await make('qr-code', 'spring.png');
    const find = async (query: string) => {
      const { status, body } = await api.call('GET', `/files/list?${query}`, undefined, options);
      expect([query, status]).toEqual([query, 200]);
      return [body.count, ...body.data.map(({ id }: { id: string }) => id)];
    };
    const soon = new Date(Date.parse(logo.createdAt) + 1_000).toISOString();
    expect(await find('kind=meta-tag')).toEqual([1, preview.id]);
    expect(await find('kind=qr-code&search=%20SPRING')).toEqual([1, logo.id]);
    expect(await find('search=spring_')).toEqual([1, preview.id]);
    expect(await find(`createdSince=${preview.createdAt}&createdUntil=${soon}`)).toEqual([2, logo.id, preview.id]);
    expect(await find(`createdUntil=${preview.createdAt}`)).toEqual([0]);
    expect(await find(`createdSince=${soon}`)).toEqual([0]);
    for (const [query, path] of [
      ['kind=pdf', 'kind'],
      ['createdSince=today', 'createdSince'],
      ['search=a&search=b', 'search'],
    ] as const) {
      const { status, body } = await api.call('GET', `/files/list?${query}`, undefined, options);
      expect([status, body.issues[0].path]).toEqual([400, path]);
    }
  });

  it('deletes a file that nothing shows', async () => {
    const { body } = await upload(api, 'qr-code', [{ content: pictures.png }]);
    expect(await api.call('DELETE', `/files/${body.id}`)).toMatchObject({ status: 200, body: { rowCount: 1 } });
    expect((await api.call('GET', `/files/${body.id}`)).status).toBe(404);
    expect((await api.call('DELETE', `/files/${body.id}`)).status).toBe(404);
    expect((await fetchPublic(api, body.url)).statusCode).toBe(404);
    const link = await api.call('POST', '/short-link', {
      destination: { type: 'link', value: 'https://example.com' },
      qrCode: { options: {}, imageId: body.id },
    });
    expect(link.body.issues).toMatchObject([{ path: 'qrCode.imageId' }]);
  });

  it('keeps a file that a link or a domain shows, until that is gone', async () => {
    const logo = (await upload(api, 'qr-code', [{ content: pictures.png }])).body;
    const image = (await upload(api, 'meta-tag', [{ content: pictures.png }])).body;
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
});
