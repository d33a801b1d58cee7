import { beforeAll, describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { connectMcp, type ToolAnswer } from '#test/support/mcp.ts';

const api = useOwnTestApi();
let call: (name: string, args: Record<string, unknown>) => Promise<ToolAnswer>;
beforeAll(async () => {
  const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
  ({ call } = await connectMcp(address, { 'x-api-key': api.organization.key }, 'auto'));
});

// Fields of the API that no tool has.
const fieldsOfApi = /Names|Ids?\b|Date\b|destination\.value|- file|- change/;

describe('an error of a tool', () => {
  it.each([
    ['find_links', { domain: '' }, /- domain: /],
    ['find_links', { search: '\0' }, /- search: /],
    ['find_links', { folder: '\0' }, /No folder is named/],
    ['find_links', { tag: '' }, /- tag: /],
    ['get_link', { link: 'a\0b' }, /No link is named/],
    ['get_link', { link: 'localhost:3001/a%00' }, /No link is named/],
    ['get_statistics', { tag: '' }, /No tag is named/],
    ['get_statistics', { from: '2026-02-01', until: '2026-01-01' }, /- (?:from|until): .*\b(?:from|until)\b/],
    ['import_links', { csv: 'title,slug\nNo address,none\n' }, /- csv: /],
    ['import_links', { csv: 'x'.repeat(60_001) }, /- csv: has more than 60,000 characters/],
    ['create_links', { links: [{ destination: 'not a url' }] }, /- destination: [\s\S]*1 of 1 rows are refused/],
  ])('%s of %j names fields of the tool, and the next call', async (name, args, says) => {
    const { text, isError } = await call(name, args);
    expect([isError, text]).toEqual([true, expect.stringMatching(says)]);
    expect(text).toMatch(/\nNext: /);
    expect(text).not.toMatch(fieldsOfApi);
  });

  it('stands beside the links that were made, with the next call', async () => {
    const links = [{ destination: 'https://example.com/made' }, { destination: 'not a url' }];
    const { text, isError } = await call('create_links', { links });
    expect(isError).toBe(false);
    expect(text).toMatch(/example\.com\/made[\s\S]*- destination: [\s\S]*1 of 2 rows are refused[\s\S]*Next: /);
  });
});

it('a file of 60,000 characters is taken, also from a client that escapes them', async () => {
  const title = 'ü'.repeat(200);
  const csv = `destination,title\n${`https://example.com/in,${title}\n`.repeat(260)}`;
  expect(csv.length).toBeGreaterThan(58_000);
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'import_links', arguments: { csv } } };
  const payload = JSON.stringify(message).replaceAll('ü', String.raw`\u00fc`);
  const headers = {
    'x-api-key': api.organization.key,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const answer = await api.app.inject({ method: 'POST', url: '/mcp', headers, payload });
  expect([answer.statusCode, answer.payload]).toEqual([200, expect.stringContaining('0 of 260 rows')]);
});
