import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** What a tool answered. */
export interface ToolAnswer {
  text: string;
  isError: boolean;
  /** MIME types of its pictures. */
  pictures: string[];
}

/**
 * The official client at an API that listens.
 * @param mode the protocol: of 2026 where the server has it, or of 2025.
 * @param info how the client names itself.
 */
export async function connectMcp(
  address: string,
  headers: Record<string, string>,
  mode: 'auto' | 'legacy',
  info: { name: string; title?: string } = { name: 'waymark-tests' },
) {
  const client = new Client({ version: '1.0.0', ...info }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', address), { requestInit: { headers } }));
  return {
    client,
    async call(name: string, args: Record<string, unknown>): Promise<ToolAnswer> {
      const { content, isError = false } = await client.callTool({ name, arguments: args });
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return { text, isError, pictures: content.flatMap((part) => (part.type === 'image' ? [part.mimeType] : [])) };
    },
  };
}
