// @module-tag process

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { useOwnTestApi } from '#test/support/api.ts';

const api = useOwnTestApi();
let address: string;
beforeAll(async () => {
  address = await api.app.listen({ host: '127.0.0.1', port: 0 });
});

async function connect(mode: 'auto' | 'legacy', key = api.organization.key): Promise<Client> {
  const client = new Client({ name: 'waymark-tests', version: '1.0.0' }, { versionNegotiation: { mode } });
  const env = { WAYMARK_URL: address, WAYMARK_API_KEY: key };
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

it('an agent without a valid key is told so at once', async () => {
  await expect(connect('auto', 'wrong')).rejects.toThrow('UNAUTHORIZED: There is no such API key, or it has ended.');
});
