import { describe, expect, it, beforeAll } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { connectMcp } from '#test/support/mcp.ts';

const api = useOwnTestApi();
let address: string;
beforeAll(async () => {
  address = await api.app.listen({ host: '127.0.0.1', port: 0 });
});
const keyHeader = () => ({ 'x-api-key': api.organization.key });
// Older clients get the answer as one event of a stream.
async function listTools(): Promise<string> {
  const headers = { ...keyHeader(), ...accept };
  const { statusCode, payload } = await api.app.inject({ method: 'POST', url: '/mcp', headers, payload: listCall });
  expect(statusCode).toBe(200);
  return /^data: (.*)$/m.exec(payload)?.[1] ?? payload;
}
const listCall = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const accept = { accept: 'application/json, text/event-stream' };

describe('POST /mcp', () => {
  it('serves clients of 2026 and of 2025, by either header', async () => {
    const modern = await connectMcp(address, keyHeader(), 'auto');
    expect(modern.client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const older = await connectMcp(address, { authorization: `Bearer ${api.organization.key}` }, 'legacy');
    expect(older.client.getNegotiatedProtocolVersion()).toMatch(/^2025-/);
    for (const { call, client } of [modern, older]) {
      expect((await client.listTools()).tools.length).toBeGreaterThanOrEqual(18);
      expect((await call('list_domains', {})).isError).toBe(false);
    }
  });

  it('lists the same bytes each time, of at most some 6,000 tokens', async () => {
    const text = await listTools();
    expect(await listTools()).toBe(text);
    // Four characters of JSON in English are about a token.
    expect(text.length / 4).toBeLessThanOrEqual(6_000);
  });

  it('marks what reads, and what destroys, and asks once before it does', async () => {
    type Listed = { name: string; annotations: Record<string, boolean>; inputSchema: object };
    const { tools } = (JSON.parse(await listTools()) as { result: { tools: Listed[] } }).result;
    const named = (hint: string): string[] => tools.filter((one) => one.annotations[hint]).map(({ name }) => name);
    expect(named('destructiveHint')).toEqual(['delete_links', 'undo_import']);
    expect(named('readOnlyHint')).toEqual(
      tools.map(({ name }) => name).filter((name) => /^(find|get|list|explain)_/.test(name)),
    );
    for (const tool of tools.filter((one) => one.annotations.destructiveHint))
      expect(tool.inputSchema).toMatchObject({ properties: { confirm: { type: 'boolean' } } });
  });

  it('is refused without a key, and has no session to read or end', async () => {
    const none = await api.call('POST', '/mcp', listCall, { headers: { ...accept, 'x-api-key': undefined } });
    expect(none).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    expect(none.headers['www-authenticate']).toContain('Bearer');
    for (const method of ['GET', 'DELETE'] as const)
      expect((await api.app.inject({ method, url: '/mcp' })).statusCode).toBe(405);
  });

  it('takes one message a call, and no batch', async () => {
    const batch = await api.call('POST', '/mcp', [listCall, listCall], { headers: accept });
    expect(batch).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  });

  it('refuses a subscription at once: tools do not change while the API runs', async () => {
    const { client } = await connectMcp(address, keyHeader(), 'auto');
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow(/limit/i);
  });

  it('lets a tool do what its key may do, and no more', async () => {
    await expect(connectMcp(address, { 'x-api-key': 'wrong' }, 'auto')).rejects.toThrow('401');
    const { key } = await createOrganization(api.db, { permissions: { shortLinks: ['read'] } });
    const { call } = await connectMcp(address, { 'x-api-key': key }, 'auto');
    const refused = await call('create_link', { destination: 'https://example.com' });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('ACTION_NOT_ALLOWED') });
    expect(await call('find_links', {})).toMatchObject({ isError: false });
  });
});

describe('a key of two calls a second', { tags: 'slow' }, () => {
  const limited = useOwnTestApi({ limits: { perSecond: 2, perMinute: 1_000 } });

  it('suffices for a tool of more calls, which waits for its turn', async () => {
    const limitedAddress = await limited.app.listen({ host: '127.0.0.1', port: 0 });
    const { call } = await connectMcp(limitedAddress, { 'x-api-key': limited.organization.key }, 'auto');
    const answers = await Promise.all([call('get_account', {}), call('get_account', {})]);
    expect(answers.map(({ isError }) => isError)).toEqual([false, false]);
  });
});

describe('names of links', () => {
  it('are whole: a link that merely holds the words is offered, and never changed or deleted', async () => {
    const { call } = await connectMcp(address, keyHeader(), 'auto');
    await call('create_link', { destination: 'https://example.com/springfield', slug: 'springfield' });
    const refused = await call('delete_links', { links: ['springfiel'], confirm: true });
    expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/similar are: \S+\/springfield \(/) });
    expect((await call('get_link', { link: 'springfield' })).isError).toBe(false);
  });
});

describe('a key of four calls a minute', () => {
  const limited = useOwnTestApi({ limits: { perSecond: 4, perMinute: 4 } });

  it('makes many links in one folder, which is looked up once', async () => {
    const limitedAddress = await limited.app.listen({ host: '127.0.0.1', port: 0 });
    const { call } = await connectMcp(limitedAddress, { 'x-api-key': limited.organization.key }, 'auto');
    const links = Array.from({ length: 10 }, (_, index) => ({
      destination: `https://example.com/${index}`,
      folder: limited.organization.folderId,
    }));
    const made = await call('create_links', { links });
    expect(made).toMatchObject({ isError: false, text: expect.stringContaining('https://example.com/9') });
  });
});
