import { describe, expect, it, beforeAll } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
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

  it('are found among many others that hold them, and archived', async () => {
    const { call } = await connectMcp(address, keyHeader(), 'auto');
    const destination = 'https://example.com/';
    const rows = Array.from({ length: 60 }, (_, index) => ({ destination, slug: `fair-${index}` }));
    await call('create_link', { destination, slug: 'fair' });
    await call('create_links', { links: rows });
    expect(await call('archive_link', { link: 'fair', isArchived: true })).toMatchObject({ isError: false });
    expect(await call('archive_link', { link: 'fair', isArchived: false })).toMatchObject({ isError: false });
    for (let index = 0; index < 60; index += 1)
      await api.call('POST', '/folder', { name: `Fair ${index}`, color: '#112233' });
    await api.call('POST', '/folder', { name: 'Fair', color: '#112233' });
    expect(await call('find_links', { folder: 'fair' })).toMatchObject({ isError: false });
  });

  it('of several links are refused, a short one among many others too', async () => {
    const { call } = await connectMcp(address, keyHeader(), 'auto');
    const { id: domainId } = await createDomain(api.db, api.organization.id);
    const destination = { type: 'link', value: 'https://example.com/' };
    await api.call('POST', '/short-link', { destination, slug: 'twice' });
    await api.call('POST', '/short-link', { destination, slug: 'twice', domainId });
    for (let index = 0; index < 60; index += 1)
      await api.call('POST', '/short-link', { destination, slug: `twice-${index}` });
    await api.call('POST', '/short-link', { destination, slug: 'other', externalId: 'twice-1' });
    for (const link of ['twice', 'twice-1']) {
      const refused = await call('delete_links', { links: [link], confirm: true });
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('Several links are named') });
    }
  });

  it.each([
    ['the short address of a slug in other letters', (url: string) => url],
    ['an address with a query and a slash', (url: string) => `${url}/?utm=1#x`],
    ['an address between spaces', (url: string) => `  ${url} `],
    ['its externalId, which looks like an address', () => 'order/123,4'],
  ])('may be %s', async (_what, nameOf) => {
    const { call } = await connectMcp(address, keyHeader(), 'auto');
    const found = await api.call('PUT', '/short-link/upsert', {
      destination: { type: 'link', value: 'https://example.com/' },
      slug: 'größe',
      externalId: 'order/123,4',
    });
    expect(await call('get_link', { link: nameOf(found.body.originUrl) })).toMatchObject({ isError: false });
  });

  it('may be an externalId that looks like an id, unless a link has that id', async () => {
    const { call } = await connectMcp(address, keyHeader(), 'auto');
    const destination = { type: 'link', value: 'https://example.com/' };
    const make = async (body: object) => (await api.call('POST', '/short-link', { destination, ...body })).body.id;
    const externalId = '8f14e45f-ceea-467f-a0e6-9b1b2c3d4e5f';
    const named = await make({ slug: 'by-uuid', externalId });
    const own = await make({ slug: 'by-id' });
    await make({ slug: 'shadow', externalId: own });
    expect((await call('get_link', { link: externalId })).text).toContain(named);
    expect((await call('get_link', { link: own })).text).toContain('/by-id"');
    const asked = await call('delete_links', { links: [externalId, own] });
    expect(asked.text).toMatch(/\/by-uuid[\s\S]*\/by-id/);
    expect(asked.text).not.toContain('/shadow');
  });

  it('by ids need no right to read', async () => {
    const limited = await createOrganization(api.db, { permissions: { shortLinks: ['create', 'update'] } });
    const { call } = await connectMcp(address, { 'x-api-key': limited.key }, 'auto');
    const { body } = await api.call(
      'POST',
      '/short-link',
      { destination: { type: 'link', value: 'https://example.com/' } },
      { headers: { 'x-api-key': limited.key } },
    );
    expect(await call('change_links', { links: [body.id], isActive: false })).toMatchObject({ isError: false });
  });

  it('of several webhooks are refused', async () => {
    const { call } = await connectMcp(address, keyHeader(), 'auto');
    for (const path of ['1', '2'])
      await api.call('POST', '/webhook', { name: 'Same', url: `https://a.example/${path}`, events: ['link.created'] });
    expect(await call('explain_webhook', { webhook: 'Same' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/Several webhooks are named "Same"[\s\S]*Next:/),
    });
  });
});

describe('a tool', () => {
  it.each([
    ['get_link', {}, /- link: [\s\S]*Next: Correct/],
    ['find_links', { limit: 51 }, /- limit: [\s\S]*Next: Correct/],
    ['get_link', { link: 'x', foo: 1 }, /foo[\s\S]*Next: Correct/],
    ['get_statistics', { from: 'yesterday' }, /- from: [\s\S]*Next: Correct/],
    ['create_link', { destination: 'not an address' }, /- destination: [\s\S]*Next: Correct/],
    ['change_links', { links: ['x'] }, /Next:/],
    ['undo_import', { import: 'list' }, /is no id of an import[\s\S]*Next: call list_imports/],
    ['delete_links', { links: ['01a2263f-119e-7221-8df7-0fb76fa5b9a0'] }, /no such links[\s\S]*Next: call find_links/],
    [
      'delete_links',
      { links: ['01a2263f-119e-7221-8df7-0fb76fa5b9a0'], confirm: true },
      /0 of 1[\s\S]*Next: call find_links/,
    ],
  ])('%s of %j ends with the next call', async (name, args, says) => {
    const { call } = await connectMcp(address, keyHeader(), 'auto');
    const answer = await call(name, args);
    expect(answer.text).toMatch(says);
    expect(answer.isError).toBe(true);
  });

  it('explains visits of a link with an end, before and after it', async () => {
    const { call } = await connectMcp(address, keyHeader(), 'auto');
    const ends = await call('create_link', {
      destination: 'https://example.com/',
      slug: 'ends',
      expiresAt: '2100-01-01T00:00:00Z',
    });
    expect(ends.isError).toBe(false);
    expect((await call('explain_visit', { link: 'ends' })).text).toContain('Destination: https://example.com/');
    await api.db.query(`update short_links set expires_at = now() - interval '1 hour' where slug = 'ends'`);
    const { text } = await call('explain_visit', { link: 'ends' });
    expect(text).toContain('told that the link has ended');
    expect(text).not.toContain('Destination');
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
