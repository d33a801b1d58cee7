// @module-tag process

import { beforeAll, describe, expect, it } from 'vitest';
import type * as Sdk from '#sdk/typescript/src/index.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { readDescription, readDocument } from '#test/support/openapi.ts';
import { prepareSdk } from '#test/support/sdk.ts';

const api = useOwnTestApi();
let sdk: typeof Sdk;
let waymark: Sdk.Waymark;

beforeAll(async () => {
  await prepareSdk('generate');
  sdk = await import('#sdk/typescript/src/index.ts');
  const baseUrl = await api.app.listen({ host: '127.0.0.1', port: 0 });
  waymark = sdk.createWaymark({ baseUrl, apiKey: api.organization.key });
});

it('each operation of the description has one method, which sends its method and path', async () => {
  const sent: string[] = [];
  const recording = sdk.createWaymark({
    baseUrl: 'https://api.waymark.example',
    async fetch(request) {
      const { method, url } = request as Request;
      sent.push(`${method} ${new URL(url).pathname.replaceAll(/\b[0-9]{4}\b/g, '{}')}`);
      return Response.json({ data: [] });
    },
  });
  for (const methods of Object.values(recording))
    for (const call of Object.values(methods) as ((...args: unknown[]) => PromiseLike<unknown>)[])
      await call('1111', '2222');
  const { operations } = readDescription(await readDocument(api));
  const described = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
  expect(sent.toSorted()).toEqual(described.toSorted());
});

it.each(['', 'localhost:3000', 'api.waymark.example'])('a client is not made for the address "%s"', (baseUrl) => {
  expect(() => sdk.createWaymark({ baseUrl })).toThrow(/^baseUrl is an address like /);
});

it('each error code of the description has a class of its own', async () => {
  const document = await readDocument(api);
  const codes = document.components.schemas.ApiError.properties.code.enum as Sdk.ErrorCode[];
  const names = await Promise.all(
    codes.map(async (code) => {
      const answer = (): Response => Response.json({ code, message: 'No.', requestId: '1' }, { status: 400 });
      const failing = sdk.createWaymark({ baseUrl: 'https://api.waymark.example', fetch: async () => answer() });
      const error = await failing.organization.get().catch((caught: Error) => caught as Sdk.ApiError);
      return error.name;
    }),
  );
  expect(new Set(names).size).toBe(codes.length);
  expect(names).not.toContain('ApiError');
});

describe('calls of the SDK', () => {
  const to = (value: string) => ({ destination: { type: 'link' as const, value } });

  it('make, find, change and delete links', async () => {
    const made = await waymark.links.create({ ...to('https://example.com/a'), tags: ['sdk'], externalId: 'sdk-1' });
    expect(await waymark.links.get(made.id)).toMatchObject({ slug: made.slug });
    expect(await waymark.links.find({ externalId: 'sdk-1' })).toMatchObject({ id: made.id });
    expect(await waymark.links.update(made.id, { title: 'Changed' })).toMatchObject({ title: 'Changed' });
    expect(await waymark.links.upsert({ ...to('https://example.com/b'), externalId: 'sdk-1' })).toMatchObject({
      id: made.id,
    });
    const copy = await waymark.links.duplicate(made.id, { slug: 'sdk-copy' });
    expect(await waymark.links.archive(copy.id)).toMatchObject({ isArchived: true });
    expect(await waymark.links.restore(copy.id)).toMatchObject({ isArchived: false });
    expect(await waymark.links.check({ link: { ...to('https://example.com'), slug: made.slug } })).toMatchObject({
      isAccepted: false,
      isSlugFree: false,
    });
    const changes = await Array.fromAsync(waymark.links.listChanges(made.id));
    const title = changes.find(({ changes: fields }) => JSON.stringify(fields).includes('title'))!;
    expect(await waymark.links.undoChange(made.id, title.id)).toMatchObject({ title: null });
    expect(await waymark.links.delete(copy.id)).toEqual({ rowCount: 1 });
    expect(await waymark.links.count({ externalIds: ['sdk-1'] })).toEqual({ count: 1 });
  });

  it('read every link of a list once, a page at a time', async () => {
    const links = Array.from({ length: 7 }, (_, index) => to(`https://example.com/page/${index}`));
    const { results } = await waymark.links.createMany({ links });
    expect(results.every(({ status }) => status === 201)).toBe(true);
    const seen: string[] = [];
    for await (const link of waymark.links.list({ search: 'example.com/page', limit: 3 })) seen.push(link.id);
    expect(new Set(seen).size).toBe(7);
    const pages = await Array.fromAsync(waymark.links.list({ search: 'example.com/page', limit: 3 }).pages());
    expect(pages.map(({ data }) => data.length)).toEqual([3, 3, 1]);
    expect(await waymark.links.list({ search: 'example.com/page', limit: 2 })).toMatchObject({ count: 7 });
    expect(await waymark.links.count({ search: 'example.com/page' })).toEqual({ count: 7 });
    const ids = seen.slice(0, 2);
    await waymark.links.updateMany({ ids, change: { addTags: ['many'] } });
    expect((await waymark.tags.list({ search: 'many', withCounts: true })).data).toHaveLength(1);
    expect((await waymark.links.deleteMany({ ids })).results).toHaveLength(2);
  });

  it('read pages by their number where a list has no cursor', async () => {
    for (const name of ['sdk-a', 'sdk-b', 'sdk-c']) await waymark.utmTemplates.create({ name, utmSource: 'sdk' });
    const names = await Array.fromAsync(waymark.utmTemplates.list({ limit: 2 }), ({ name }) => name);
    expect(names.toSorted()).toEqual(['sdk-a', 'sdk-b', 'sdk-c']);
  });

  it('read pictures and tables, and upload files', async () => {
    const { id } = await waymark.links.create(to('https://example.com/files'));
    const picture = await waymark.links.drawQrCode(id, { format: 'png', size: 300 });
    expect(picture).toBeInstanceOf(Blob);
    expect(await waymark.links.export()).toContain('https://example.com/files');
    const csv = new File(['destination,slug\nhttps://example.com/row,sdk-row\n'], 'links.csv');
    const started = await waymark.imports.create({ file: csv });
    expect(await waymark.imports.get(started.id)).toMatchObject({ total: 1 });
    expect(await waymark.imports.cancel(started.id)).toMatchObject({ id: started.id });
    const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>';
    const stored = await waymark.files.uploadQrCodeImage({ file: new File([logo], 'logo.svg') });
    expect((await waymark.files.list({ kind: 'qr-code' })).data[0]).toMatchObject({ id: stored.id });
  });

  it('reach domains, webhooks, statistics, keys and the organization', async () => {
    const domain = await waymark.domains.create({ domain: 'sdk.example.com' });
    expect((await waymark.domains.getDns(domain.id)).needed.length).toBeGreaterThan(0);
    const webhook = await waymark.webhooks.create({ url: 'https://hooks.example.com/', events: ['link.created'] });
    const test = await waymark.webhooks.test(webhook.id);
    expect((await waymark.webhooks.listDeliveries(webhook.id)).data[0]).toMatchObject({ id: test.id });
    expect(await waymark.webhooks.getDelivery(webhook.id, test.id)).toMatchObject({ type: 'webhook.test' });
    expect(await waymark.stats.overview({ groupBy: 'country' })).toMatchObject({ totalClicks: 0 });
    expect(await Array.fromAsync(waymark.stats.listClicks())).toEqual([]);
    expect(await waymark.events.list()).toMatchObject({ hasMore: false, nextCursor: expect.any(String) });
    expect(await waymark.organization.get()).toMatchObject({ id: api.organization.id });
    expect(await waymark.installation.checkLiveness()).toEqual({ status: 'ok' });
  });

  it('make one link of one key, and give the headers of an answer', async () => {
    const answers: Response[] = [];
    const once = { idempotencyKey: 'sdk-order-1', onResponse: (response: Response) => answers.push(response) };
    const first = await waymark.links.create(to('https://example.com/order'), once);
    const second = await waymark.links.create(to('https://example.com/order'), once);
    expect(second.id).toBe(first.id);
    expect(answers[1]?.headers.get('idempotency-replayed')).toBe('true');
    const headers = { 'If-Match': '"another"' };
    await expect(waymark.links.update(first.id, { title: 'Mine' }, { headers })).rejects.toBeInstanceOf(
      sdk.ConflictError,
    );
  });
});

describe('errors of the API', () => {
  it('are classes by their code, with the id of the request', async () => {
    const missing = waymark.links.get('01890000-0000-7000-8000-000000000000');
    await expect(missing).rejects.toBeInstanceOf(sdk.NotFoundError);
    await expect(missing).rejects.toMatchObject({ status: 404, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    const wrong = waymark.links.create({ destination: { type: 'link', value: 'example.com' } });
    await expect(wrong).rejects.toMatchObject({
      name: 'ValidationError',
      issues: [{ path: 'destination.value', message: expect.any(String) }],
    });
  });

  it('tell of a wrong key and a wrong address', async () => {
    const server = api.app.server.address() as { port: number };
    const stranger = sdk.createWaymark({ baseUrl: `http://127.0.0.1:${server.port}/`, apiKey: 'wrong' });
    await expect(stranger.links.list()).rejects.toBeInstanceOf(sdk.UnauthorizedError);
    const nowhere = sdk.createWaymark({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
    await expect(nowhere.links.list()).rejects.toBeInstanceOf(sdk.ConnectionError);
  });
});
