// @module-tag process

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { answer, breakOff, type ScriptedAnswer, startScriptedServer } from '#test/support/scripted-server.ts';
import { beginImport, setImported, useWaitsWithoutEnd, watchReads } from '#test/support/imports.ts';

const api = useOwnTestApi();
let address: string;
beforeAll(async () => {
  address = await api.app.listen({ host: '127.0.0.1', port: 0 });
});
useWaitsWithoutEnd();

const answerWith =
  (type: string, text: string): ScriptedAnswer =>
  (response) =>
    void response.writeHead(200, { 'content-type': type }).end(text);

/** @param url where the API is. */
async function connect(mode: 'auto' | 'legacy', key = api.organization.key, url = address): Promise<Client> {
  const client = new Client({ name: 'waymark-tests', version: '1.0.0' }, { versionNegotiation: { mode } });
  const env = { WAYMARK_URL: url, WAYMARK_API_KEY: key };
  const program = join(root, 'mcp/stdio.js');
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env }));
  return client;
}

it.each(['auto', 'legacy'] as const)('an agent calls tools through the program, by the protocol “%s”', async (mode) => {
  const client = await connect(mode);
  try {
    const version = client.getNegotiatedProtocolVersion();
    expect(version).toMatch(mode === 'auto' ? /^2026-07-28$/ : /^2025-/);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('explain_visit');
    const [one, two] = await Promise.all([
      client.callTool({ name: 'create_link', arguments: { destination: 'https://example.com/stdio' } }),
      client.callTool({ name: 'get_link', arguments: { link: 'nothing' } }),
    ]);
    expect(JSON.stringify(one.content)).toContain('https://example.com/stdio');
    expect(two.isError).toBe(true);
  } finally {
    await client.close();
  }
});

it.each(['auto', 'legacy'] as const)('an agent sees progress as it comes, by the protocol “%s”', async (mode) => {
  const client = await connect(mode);
  try {
    const id = await beginImport(api, 3);
    const told: (string | undefined)[] = [];
    // The import ends after the progress has arrived: a program that waits for the whole answer would see no end.
    const onprogress = ({ message }: { message?: string | undefined }): void => {
      told.push(message);
      void setImported(api.db, id, 3, { isOver: true });
    };
    const followed = { name: 'get_import', arguments: { import: id, waitSeconds: 20 } };
    const { content } = await client.callTool(followed, { onprogress });
    // The official client drops a progress that arrives together with the answer.
    expect(told[0]).toBe('0 of 3 links');
    expect(JSON.stringify(content)).toContain('is completed');
  } finally {
    await client.close();
  }
});

/** Runs the program on lines of an agent. @returns its answers. */
function runOn(lines: string, env: Record<string, string>) {
  const program = join(root, 'mcp/stdio.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { input: lines, env, encoding: 'utf8' });
  return { status, stderr, answers: stdout.split('\n').filter((line) => line !== '') };
}

it.each([
  ['http://localhost', 'wm_live_a\nwm_live_b', 'WAYMARK_API_KEY has characters that no key has.\n'],
  ['localhost:3000', 'key', 'WAYMARK_URL is an address like https://api.example.com, not localhost:3000.\n'],
  ['https://a.example?b', 'key', 'WAYMARK_URL is an address like https://api.example.com, not https://a.example?b.\n'],
  ['', 'key', 'Set WAYMARK_URL (the address of the API) and WAYMARK_API_KEY.\n'],
])('2: with the address "%s" and the key %j it says what is wrong, and names no key', (url, key, problem) => {
  const env = { WAYMARK_URL: url, WAYMARK_API_KEY: key };
  expect(runOn('', env)).toEqual({ status: 2, stderr: problem, answers: [] });
});

it.each(['no JSON', 'null', '"text"'])('a line of an agent that is no message, %s, is told', (line) => {
  const { answers } = runOn(`${line}\n`, { WAYMARK_URL: address, WAYMARK_API_KEY: 'key' });
  const error = { code: -32_700, message: 'This line is no message of JSON-RPC.' };
  expect(answers.map((text) => JSON.parse(text) as object)).toEqual([{ jsonrpc: '2.0', id: null, error }]);
});

it('an agent that cancels a call ends its wait', async () => {
  const client = await connect('legacy');
  try {
    const id = await beginImport(api, 3);
    using reads = watchReads(api, id);
    const cancel = new AbortController();
    const followed = { name: 'get_import', arguments: { import: id, waitSeconds: 20 } };
    const options = { signal: cancel.signal, onprogress: () => cancel.abort() };
    await expect(client.callTool(followed, options)).rejects.toThrow(/abort/i);
    expect(await reads.end()).toBe(true);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  } finally {
    await client.close();
  }
});

it('a line of an agent may hold any character of JSON', async () => {
  const client = await connect('auto');
  try {
    const arguments_ = { destination: 'https://example.com/lines', title: 'One\u2028two' };
    const { content } = await client.callTool({ name: 'create_link', arguments: arguments_ });
    expect(JSON.stringify(content)).toContain('example.com/lines');
  } finally {
    await client.close();
  }
});

it.each([
  ['an empty body', answerWith('application/json', ''), /status 200, holds no reply/],
  ['a stream that ends before the reply', answerWith('text/event-stream', 'data: \n\n'), /status 200, holds no reply/],
  ['a page of a proxy', answerWith('text/html', '<html>'), /did not answer: .*JSON/],
  ['no bytes', breakOff, /did not answer: fetch failed \(UND_ERR_SOCKET\)/],
])('a call whose answer is %s is refused, and says why', async (_what, answering, says) => {
  await using server = await startScriptedServer(answering);
  await expect(connect('legacy', api.organization.key, server.address)).rejects.toThrow(says);
});

it('an agent without a valid key is told so at once', async () => {
  await expect(connect('auto', 'wrong')).rejects.toThrow('UNAUTHORIZED: There is no such API key, or it has ended.');
});

it('an agent is told of a redirect, and no other host gets the key', async () => {
  await using other = await startScriptedServer(answer({}));
  await using server = await startScriptedServer((response) =>
    response.writeHead(307, { location: `${other.address}/mcp` }).end(),
  );
  await expect(connect('legacy', 'wm_live_a', server.address)).rejects.toThrow(`leads to ${other.address}/mcp`);
  expect(server.sent[0]?.headers).toMatchObject({ 'x-api-key': 'wm_live_a' });
  expect(other.sent).toEqual([]);
});
