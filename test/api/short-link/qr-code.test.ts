import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createTestApi, useTestApi } from '#test/support/api.ts';
import { createFile, createOrganization } from '#test/support/factories.ts';
import { readQr } from '#test/support/read-qr.ts';
import { upload } from '#test/support/upload.ts';

const api = useTestApi();

const draw = (id: string, query = '', key: string = api.organization.key) =>
  api.app.inject({ url: `/short-link/${id}/qr-code${query}`, headers: { 'x-api-key': key } });
async function createLink(extra: object = {}): Promise<{ id: string; originUrl: string }> {
  const { status, body } = await api.call('POST', '/short-link', {
    destination: { type: 'link', value: 'https://example.com' },
    ...extra,
  });
  expect(status).toBe(201);
  return body;
}

describe('GET /short-link/{id}/qr-code', () => {
  it('is SVG of 300 pixels that says the short URL with qr=1', async () => {
    const { id, originUrl } = await createLink();
    const answer = await draw(id);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^sandbox/),
    });
    expect(answer.payload).toContain('width="300" height="300"');
    expect(await readQr(answer.rawPayload)).toBe(`${originUrl}?qr=1`);
  });

  it('has an ETag in both formats; a client that has the picture gets 304, and draws again after a change', async () => {
    const { id } = await createLink();
    for (const query of ['', '?format=png']) {
      const first = await draw(id, query);
      const rule = { etag: expect.stringMatching(/^"[\w-]+"$/), 'cache-control': 'private, no-cache' };
      expect(first.headers).toMatchObject(rule);
      const ask = (etag: unknown) =>
        api.app.inject({
          url: `/short-link/${id}/qr-code${query}`,
          headers: { 'x-api-key': api.organization.key, 'if-none-match': String(etag) },
        });
      const again = await ask(first.headers.etag);
      expect([again.statusCode, again.payload, again.headers]).toMatchObject([304, '', rule]);
      const options = { dotsOptions: { color: query === '' ? '#aa0000' : '#00aa00' } };
      await api.call('PATCH', `/short-link/${id}`, { qrCode: { options } });
      expect((await ask(first.headers.etag)).statusCode).toBe(200);
    }
    expect((await draw(id, '?size=1')).headers['cache-control']).toBe('no-store');
  });

  it('waits for its turn; past 48 that wait, an organization gets 429, and others have their codes drawn', async () => {
    const held = Promise.withResolvers<string>();
    const { id, originUrl } = await createLink();
    const drawSvg = ({ data }: { data: string }) =>
      data.startsWith(originUrl) ? held.promise : Promise.resolve('<svg/>');
    await using busy = await createTestApi({
      besides: api,
      qrCodes: { drawSvg, drawPng: () => Promise.reject(new Error()) },
    });
    const ask = (link: string, key: string) =>
      busy.app.inject({ url: `/short-link/${link}/qr-code`, headers: { 'x-api-key': key } });
    const asked = Array.from({ length: 50 }, () => ask(id, api.organization.key));
    const refused = await Promise.race(asked);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '2']);
    const { key } = await createOrganization(api.db);
    const destination = { type: 'link', value: 'https://example.com' };
    const { body } = await api.call('POST', '/short-link', { destination }, { headers: { 'x-api-key': key } });
    expect((await ask(body.id, key)).statusCode).toBe(200);
    held.resolve('<svg/>');
    const drawn = (await Promise.all(asked)).filter(({ statusCode }) => statusCode === 200);
    expect(drawn).toHaveLength(49);
  });

  it('is PNG of the size that is asked for', async () => {
    const { id, originUrl } = await createLink();
    const answer = await draw(id, '?format=png&size=512');
    expect(answer.headers['content-type']).toBe('image/png');
    expect(await sharp(answer.rawPayload).metadata()).toMatchObject({ format: 'png', width: 512, height: 512 });
    expect(await readQr(answer.rawPayload)).toBe(`${originUrl}?qr=1`);
  });

  it('has the styling of the link, and no picture that options name', async () => {
    const options = {
      image: 'http://127.0.0.1:1/logo.png',
      dotsOptions: { type: 'rounded', color: '#aa0000' },
      margin: 6,
    };
    const { id, originUrl } = await createLink({ qrCode: { options } });
    const answer = await draw(id);
    expect(answer.payload).toContain('fill="#aa0000"');
    expect(answer.payload).not.toContain('127.0.0.1');
    expect(await readQr((await draw(id, '?format=png')).rawPayload)).toBe(`${originUrl}?qr=1`);
  });

  it.each(['png', 'svg'])('shows the logo that was uploaded as %s', async (kind) => {
    const content =
      kind === 'svg'
        ? '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9" fill="#00aa00"/></svg>'
        : await sharp({ create: { width: 9, height: 9, channels: 3, background: '#00aa00' } })
            .png()
            .toBuffer();
    const logo = await upload(api, 'qr-code', [{ content }]);
    const { id, originUrl } = await createLink({ qrCode: { options: {}, imageId: logo.body.id } });
    const { rawPayload } = await draw(id, '?format=png&size=400');
    expect(await readQr(rawPayload)).toBe(`${originUrl}?qr=1`);
    const { data } = await sharp(rawPayload).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect([...data.subarray((200 * 400 + 200) * 3, (200 * 400 + 200) * 3 + 3)]).toEqual([0, 0xaa, 0]);
  });

  it('goes without a logo that the storage has lost', async () => {
    const imageId = await createFile(api.db, api.organization.id, 'qr-code');
    const { id, originUrl } = await createLink({ qrCode: { options: {}, imageId } });
    expect(await readQr((await draw(id, '?format=png')).rawPayload)).toBe(`${originUrl}?qr=1`);
  });

  it('says slugs of every script', async () => {
    const { id, originUrl } = await createLink({ slug: 'grüße-日本-👩‍🚀' });
    expect(originUrl).toContain('%');
    expect(await readQr((await draw(id, '?format=png&size=600')).rawPayload)).toBe(`${originUrl}?qr=1`);
  });

  it('is refused where the URL is longer than a QR code holds', async () => {
    const { id } = await createLink({ slug: '👩'.repeat(255) });
    const answer = await draw(id);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: 'id' }] });
  });

  it('takes 101 and 2,000 pixels', async () => {
    const { id } = await createLink();
    for (const size of [101, 2_000]) expect((await draw(id, `?size=${size}`)).statusCode).toBe(200);
  });
});
