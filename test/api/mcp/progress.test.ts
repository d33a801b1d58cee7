import type { Client, Progress } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, useOwnTestApi } from '#test/support/api.ts';
import { eventually, longestWaitMs } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';
import { beginImport, setImported, useWaitsWithoutEnd, watchReads } from '#test/support/imports.ts';
import { connectMcp } from '#test/support/mcp.ts';

// No worker runs: each test says how far an import is.
const api = useOwnTestApi();
let address: string;
beforeAll(async () => {
  address = await api.app.listen({ host: '127.0.0.1', port: 0 });
});
useWaitsWithoutEnd();
const keyHeader = () => ({ 'x-api-key': api.organization.key });
const waiting = (id: string) => ({ name: 'get_import', arguments: { import: id, waitSeconds: 20 } });

/** Follows an import. @param onProgress called at each progress, the first of which tells of no link. */
async function follow(client: Client, id: string, onProgress: (progress: Progress) => void): Promise<string> {
  const { content } = await client.callTool(waiting(id), { onprogress: onProgress, timeout: longestWaitMs });
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

describe.each(['auto', 'legacy'] as const)('a client of the protocol “%s”', { tags: 'slow' }, (mode) => {
  it('is told progress while an import runs, then its end', async () => {
    const { client } = await connectMcp(address, keyHeader(), mode);
    const id = await beginImport(api, 1_200);
    const told: Progress[] = [];
    const text = await follow(client, id, (progress) => {
      told.push(progress);
      if (told.length === 1) void setImported(api.db, id, 1_100);
      if (told.length === 2) void setImported(api.db, id, 1_200, { isOver: true });
    });
    // The official client drops a progress that arrives together with the answer.
    expect(told.slice(0, 2)).toEqual([
      { progress: 0, total: 1_200, message: '0 of 1,200 links' },
      { progress: 1_100, total: 1_200, message: '1,100 of 1,200 links' },
    ]);
    expect(text).toContain('is completed: 1200 of 1200 rows');
  });

  it('gets an answer when the API shuts down', async () => {
    await using other = await createTestApi({ besides: api });
    const { client } = await connectMcp(await other.app.listen({ host: '127.0.0.1', port: 0 }), keyHeader(), mode);
    const id = await beginImport(api, 3);
    let closed: Promise<void> | undefined;
    const text = await follow(client, id, () => {
      closed ??= Promise.resolve(other.app.close());
    });
    expect(text).toContain('is pending: 0 of 3 rows');
    await closed;
    await setImported(api.db, id, 3, { isOver: true });
  });

  it.each([true, false])('that leaves ends the wait (progress is asked for: %s)', async (isAsked) => {
    const { client } = await connectMcp(address, keyHeader(), mode);
    const id = await beginImport(api, 3);
    using reads = watchReads(api, id);
    const options = isAsked ? { onprogress: () => {} } : {};
    const answer = client.callTool(waiting(id), options).catch((error: Error) => error);
    await reads.begin();
    await client.close();
    expect(await answer).toBeInstanceOf(Error);
    expect(await reads.end()).toBe(true);
    await setImported(api.db, id, 3, { isOver: true });
  });
});

describe('an organization', () => {
  const listCall = { jsonrpc: '2.0', id: 1, method: 'tools/call' };

  it('has ten waits at a time; others go on', { tags: 'slow' }, async () => {
    const id = await beginImport(api, 3);
    const { client, call } = await connectMcp(address, keyHeader(), 'auto');
    const begun: string[] = [];
    const answers = Array.from({ length: 10 }, (_, index) => follow(client, id, () => begun.push(String(index))));
    await eventually(
      () => new Set(begun).size,
      (size) => size === 10,
    );
    const refused = await call('get_import', { import: id, waitSeconds: 20 });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('Next: call get_import without') });
    expect((await call('get_import', { import: id })).isError).toBe(false);

    const organization = await createOrganization(api.db, { plan: 'premium' });
    const others = await beginImport(api, 3, organization.key);
    const other = await connectMcp(address, { 'x-api-key': organization.key }, 'auto');
    const end = () => setImported(api.db, others, 3, { isOver: true });
    expect(await follow(other.client, others, () => void end())).toContain('is completed');

    await setImported(api.db, id, 3, { isOver: true });
    for (const text of await Promise.all(answers)) expect(text).toContain('is completed');
    expect((await call('get_import', { import: id, waitSeconds: 20 })).isError).toBe(false);
  });

  it('gets one JSON answer where no progress is asked for', async () => {
    const id = await beginImport(api, 3);
    await setImported(api.db, id, 3, { isOver: true });
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const envelope = {
      ...meta,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = {
      ...keyHeader(),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'get_import',
    };
    const payload = { ...listCall, params: { ...waiting(id), _meta: envelope } };
    const answer = await api.app.inject({ method: 'POST', url: '/mcp', headers, payload });
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringContaining('application/json'),
      'cache-control': 'no-store',
    });
    expect(answer.json()).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } });
  });
});
