import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';

const api = useTestApi();

interface Sent {
  method?: 'GET' | 'POST';
  url: string;
  payload?: object;
}

const send = (sent: Sent, accepted = 'gzip') =>
  api.app.inject({ ...sent, headers: { 'x-api-key': api.organization.key, 'accept-encoding': accepted } });

it('JSON and CSV of reads and bulk calls are compressed; small answers and answers with secrets are not', async () => {
  const link = (index: number) => ({
    destination: { type: 'link', value: `https://example.com/${index}` },
    title: 'Spring '.repeat(20),
  });
  const links = Array.from({ length: 50 }, (_, index) => link(index));
  const bulk = await send({ method: 'POST', url: '/short-link/bulk', payload: { links } });
  expect(bulk.headers).toMatchObject({ 'content-encoding': 'gzip', vary: expect.stringMatching(/accept-encoding/i) });
  expect(JSON.parse(gunzipSync(bulk.rawPayload).toString()).results).toHaveLength(50);

  const list = '/short-link/list?limit=50';
  const plain = await send({ url: list }, 'identity');
  expect(plain.headers['content-encoding']).toBeUndefined();
  const small = await send({ url: list }, 'br');
  expect(small.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(small.rawPayload).toString()).toBe(plain.body);
  expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4);

  const csv = await send({ url: '/short-link/export' });
  expect(csv.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(csv.rawPayload).toString().split('\n').length).toBeGreaterThan(50);

  expect((await send({ url: '/short-link/list?limit=0' })).headers['content-encoding']).toBeUndefined();
  const hook = {
    url: 'https://hooks.example.com/',
    events: ['link.created'],
    name: 'x'.repeat(255),
    headers: { a: 'b' },
  };
  const scope = {
    linkIds:
      bulk.statusCode === 201
        ? JSON.parse(gunzipSync(bulk.rawPayload).toString()).results.map((row: { data: { id: string } }) => row.data.id)
        : [],
  };
  const secret = await send({ method: 'POST', url: '/webhook', payload: { ...hook, scope } });
  expect([secret.statusCode, secret.headers['content-encoding']]).toEqual([201, undefined]);
  expect(secret.rawPayload.length).toBeGreaterThan(1_400);
});
