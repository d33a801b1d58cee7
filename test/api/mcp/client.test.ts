import { beforeAll, describe, expect, it } from 'vitest';
import { createRest } from '#api/mcp/rest.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { createSignedIn } from '#test/support/people.ts';
import { connectMcp } from '#test/support/mcp.ts';

const api = useOwnTestApi();
let address: string;
beforeAll(async () => {
  address = await api.app.listen({ host: '127.0.0.1', port: 0 });
});
const keyHeader = () => ({ 'x-api-key': api.organization.key });

describe.each(['auto', 'legacy'] as const)('a client of the protocol “%s”', (mode) => {
  it('is named beside the key in history and activity', async () => {
    const info = { name: 'claude-ai', title: `Claude ${mode}` };
    const { call } = await connectMcp(address, keyHeader(), mode, info);
    await call('create_link', { destination: 'https://example.com/', slug: `named-${mode}` });
    await call('update_link', { link: `named-${mode}`, title: 'Named' });
    await call('create_links', { links: [{ destination: 'https://example.com/', slug: `bulk-${mode}` }] });
    const by = { type: 'key', name: expect.any(String), client: info.title };

    const [link] = (await api.call('GET', `/short-link/list?search=named-${mode}`)).body.data;
    const history = (await api.call('GET', `/short-link/${link.id}/history`)).body.data;
    expect(history).toMatchObject([{ by, changes: [{ field: 'title' }] }]);
    const activity = (await api.call('GET', '/activity?limit=3')).body.data;
    expect(activity).toMatchObject([
      { by, action: 'shortLink.created' },
      { by, action: 'shortLink.updated' },
      { by, action: 'shortLink.created', subject: { name: `named-${mode}` } },
    ]);
  });
});

it('a client is named in the audit log too, as a part of the sealed details', async () => {
  const caller = { key: api.organization.key, address: '127.0.0.1', client: 'Claude Desktop' };
  await createRest(api.app, caller).call('POST', '/domain', { body: { domain: 'audited.example.com' } });
  const { cookie } = (await createSignedIn(api.db, api.organization.id, 'owner')).headers;
  const read = (url: string) => api.app.inject({ url, headers: { cookie } });
  const { data } = (await read('/organization/audit')).json();
  expect(data[0]).toMatchObject({
    action: 'domain.created',
    details: { name: 'audited.example.com' },
    by: { type: 'key', client: 'Claude Desktop' },
  });
  const csv = (await read('/organization/audit/export')).payload;
  expect(csv.split('\r\n')[1]).toMatch(/,"Claude Desktop"$/);
});

it('a call that no tool makes names no client, whatever it sends', async () => {
  const headers = { 'mcp-session-id': Buffer.from('Forged').toString('base64url'), 'mcp-client': 'Forged' };
  await api.call('POST', '/folder', { name: 'Plain' }, { headers });
  expect((await api.call('GET', '/activity?limit=1')).body.data[0].by.client).toBeNull();
});

it('a name of the handshake is bounded, and has no control characters', async () => {
  const { call } = await connectMcp(address, keyHeader(), 'legacy', { name: `\u202Eevil\n${'x'.repeat(5_000)}` });
  await call('create_link', { destination: 'https://example.com/', slug: 'bounded' });
  const { client } = (await api.call('GET', '/activity?limit=1')).body.data[0].by;
  expect(client).toBe(`evil ${'x'.repeat(75)}`);
});
