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

it.each(['', '.', '..', undefined])('an id that leads to another call, %s, calls nothing', async (id) => {
  const sent: unknown[] = [];
  const recording = sdk.createWaymark({
    baseUrl: 'https://api.waymark.example',
    fetch: async (request) => Response.json(sent.push(request)),
  });
  await expect(recording.members.remove(id!)).rejects.toThrow(/^id is no id: /);
  await expect(recording.webhooks.listDeliveries(id!)).rejects.toThrow(/^id is no id: /);
  expect(sent).toEqual([]);
});

it.each(['', 'localhost:3000', 'api.waymark.example', 'https://a.example?b', 'https://a.example/#b'])(
  'a client is not made for the address "%s"',
  (baseUrl) => {
    expect(() => sdk.createWaymark({ baseUrl })).toThrow(/^baseUrl is an address like /);
  },
);

it('a key with the end of its line is sent without it, and one that no header holds is not told', async () => {
  const keys: unknown[] = [];
  const waymarkOf = (apiKey: string) =>
    sdk.createWaymark({
      baseUrl: 'https://api.waymark.example',
      apiKey,
      async fetch(request) {
        keys.push((request as Request).headers.get('x-api-key'));
        return Response.json({});
      },
    });
  await waymarkOf('wm_live_a\n').organization.get();
  expect(keys).toEqual(['wm_live_a']);
  expect(() => waymarkOf('wm_live_a\nwm_live_b')).toThrow(/^apiKey has characters that no key has\.$/);
});

it('the signal of a client ends its calls and their waits', async () => {
  const stop = new AbortController();
  const answer = (): Response => {
    setImmediate(() => stop.abort(new Error('No longer wanted.')));
    return Response.json({}, { status: 503, headers: { 'retry-after': '60' } });
  };
  const options = { baseUrl: 'https://api.waymark.example', signal: stop.signal, fetch: async () => answer() };
  const called = sdk.createWaymark(options).organization.get({ signal: new AbortController().signal });
  await expect(called).rejects.toThrow('No longer wanted.');
});

it('a success that is no JSON is no answer of Waymark', async () => {
  const headers = { 'content-type': 'application/json' };
  const answer = (): Response => new Response('{"id":', { headers });
  const broken = sdk.createWaymark({ baseUrl: 'https://api.waymark.example', fetch: async () => answer() });
  const error = await broken.organization.get().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(sdk.WaymarkError);
  expect(error).toMatchObject({ message: expect.stringContaining('No answer of Waymark: it is no JSON') });
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
