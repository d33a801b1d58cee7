import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSender, openEndpoint } from '#activities/webhooks/send.ts';
import { createGuardedHttp, type GuardedHttp } from '#adapters/http/guarded-http.ts';
import { createSealing } from '#adapters/sealing.ts';
import { type Answer, createTestApi, type TestApi } from '#test/support/api.ts';
import { createReceivers } from '#test/support/receivers.ts';
import { pumpDue } from '#test/support/pumps.ts';

const sealing = createSealing(['a key of the tests, long enough to be one']);
const receivers = createReceivers();
const received: IncomingHttpHeaders[] = [];
let api: TestApi;
let http: GuardedHttp;
let receiver: string;
let counter = 0;
beforeAll(async () => {
  const port = await receivers.https((request, response) => {
    received.push(request.headers);
    request.resume().on('end', () => response.writeHead(204).end());
  });
  receiver = `https://127.0.0.1:${port}/`;
  http = createGuardedHttp({ allowedCidrs: ['127.0.0.1'], caFile: receivers.caFile });
  api = await createTestApi({ http, sealing, webhookSignatureHeader: 'X-Sig' });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await http.close();
  await receivers.dispose();
});

const create = (headers: unknown): Promise<Answer> =>
  api.call('POST', '/webhook', { url: `${receiver}${(counter += 1)}`, events: ['link.created'], headers });
const patch = (id: string, body: object): Promise<Answer> => api.call('PATCH', `/webhook/${id}`, body);

/** Sends a test event. @returns the headers that arrived. */
async function send(webhookId: string): Promise<IncomingHttpHeaders> {
  expect((await api.call('POST', `/webhook/${webhookId}/test`)).status).toBe(200);
  const before = received.length;
  await pumpDue({
    sql: api.db,
    webhookId,
    send: createSender({ http, signatureHeader: 'X-Sig' }),
    open: (webhook) => openEndpoint(sealing, webhookId, webhook),
    gapsMs: [1_000],
    probeDelaysMs: [1_000],
  });
  expect(received).toHaveLength(before + 1);
  return received.at(-1)!;
}

describe('the headers of a webhook', () => {
  it('are sent with each request, and no answer and no column shows their values', async () => {
    const { status, body } = await create({ Authorization: 'Bearer 5f0c7b', 'X-Tenant': 'a, b' });
    expect(status).toBe(201);
    expect(await send(body.id)).toMatchObject({ authorization: 'Bearer 5f0c7b', 'x-tenant': 'a, b' });
    const { secret: _secret, ...record } = body;
    expect(record.headerNames).toEqual(['Authorization', 'X-Tenant']);
    expect((await api.call('GET', `/webhook/${body.id}`)).body).toEqual(record);
    expect(JSON.stringify(body)).not.toContain('5f0c7b');
    const { rows } = await api.db.query<{ row: string }>('select w::text as row from webhooks w where id = $1', [
      body.id,
    ]);
    expect(rows[0]!.row).not.toContain('5f0c7b');
    expect(rows[0]!.row).not.toContain(Buffer.from('5f0c7b').toString('hex'));
  });

  it('are replaced as a whole, kept by a patch without them, and removed by null', async () => {
    const { body: made } = await create({ 'X-One': '1', 'X-Two': '2' });
    const { body } = await patch(made.id, { headers: { 'x-three': '3' }, name: 'CRM' });
    expect(body).toMatchObject({ headerNames: ['x-three'], name: 'CRM' });
    const now = await send(made.id);
    expect([now['x-one'], now['x-three']]).toEqual([undefined, '3']);
    expect((await patch(made.id, { headers: { 'x-three': '3' } })).body.updatedAt).toBe(body.updatedAt);
    const again = await patch(made.id, { ...body, events: ['link.deleted'] });
    expect(again).toMatchObject({ status: 200, body: { headerNames: ['x-three'] } });
    expect((await patch(made.id, { headers: null })).body.headerNames).toEqual([]);
    expect((await send(made.id))['x-three']).toBeUndefined();
  });

  it('must be sent again with a URL of another host, since a member who cannot read them could have them sent to any', async () => {
    const { body } = await create({ Authorization: 'Bearer 5f0c7b' });
    const url = 'https://127.0.0.1:1/';
    expect(await patch(body.id, { url })).toMatchObject({ status: 400, body: { issues: [{ path: 'headers' }] } });
    expect((await patch(body.id, { url: `${receiver}same-host` })).status).toBe(200);
    expect((await patch(body.id, { url, headers: { Authorization: 'Bearer 5f0c7b' } })).status).toBe(200);
    expect((await patch(body.id, { headers: null, url: receiver })).status).toBe(200);
  });

  it.each(['Host', 'content-type', 'webhook-x', 'X-SIG', 'Proxy-Authorization'])(
    'do not include %s, which requests have themselves',
    async (name) => {
      const refused = { status: 400, body: { issues: [{ path: `headers.${name}` }] } };
      expect(await create({ [name]: 'x' })).toMatchObject(refused);
      const { body } = await create(null);
      expect(await patch(body.id, { headers: { [name]: 'x' } })).toMatchObject(refused);
    },
  );

  it('does not send a header that has become the header of the signature', async () => {
    const { body } = await create({ 'X-Other': '1' });
    const sealed = sealing.seal('webhook headers', JSON.stringify([['x-sig', 'mine']]), JSON.stringify([body.id]));
    await api.db.query('update webhooks set headers_sealed = $2 where id = $1', [body.id, sealed]);
    expect((await send(body.id))['x-sig']).toMatch(/^sha256=/);
  });

  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, '1']));
  it.each([
    [{ 'x a': '1' }],
    [{ '': '1' }],
    [{ 'x-a': '' }],
    [{ 'x-a': ' 1' }],
    [{ 'x-a': '1\r\nx-b: 2' }],
    [{ 'x-a': 'ä' }],
    [{ 'x-a': 'x'.repeat(2_001) }],
    [{ ['x'.repeat(101)]: '1' }],
    [{ 'x-a': '1', 'X-A': '2' }],
    [many(11)],
  ])('answer 400 for %j', async (headers) => {
    const { status, body } = await create(headers);
    expect(status).toBe(400);
    expect(body.issues[0].path).toMatch(/^headers/);
  });

  it('are refused by name where one is called __proto__, and every other wrong one with it', async () => {
    const { status, body } = await create(JSON.parse('{ "__proto__": "1", "x a": "1", "x-a": "1" }'));
    expect(status).toBe(400);
    expect(body.issues.map(({ path }: { path: string }) => path)).toEqual(['headers.__proto__', 'headers.x a']);
  });

  it('may be called as members that every object has', async () => {
    const { body } = await create({ constructor: '1', toString: '2' });
    expect(body.headerNames).toEqual(['constructor', 'toString']);
    expect(await send(body.id)).toMatchObject({ constructor: '1', tostring: '2' });
  });

  it('may be ten, with values of 2,000 characters', async () => {
    const { status, body } = await create({ ...many(9), [`x${'-'.repeat(99)}`]: 'x'.repeat(2_000) });
    expect([status, body.headerNames.length]).toEqual([201, 10]);
  });
});
