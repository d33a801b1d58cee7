import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import type { FastifyInstance } from 'fastify';
import { createRest, type McpCaller, ToolError } from './rest.ts';
import type { Tool } from './tool.ts';
import { explanationTools } from './tools/explanations.ts';
import { linkTools } from './tools/links.ts';
import { importTools } from './tools/imports.ts';
import { statisticsTools } from './tools/statistics.ts';
import { surroundingsTools } from './tools/surroundings.ts';

const tools: readonly Tool[] = [
  ...linkTools,
  ...statisticsTools,
  ...importTools,
  ...surroundingsTools,
  ...explanationTools,
];
const instructions =
  'Waymark makes short links. Links, domains, folders, tags and webhooks may be named as people name them. An error ends with the next call. What deletes asks for confirm: true; ask the person first.';

/** Serves MCP requests: 2026-07-28, and 2025 clients without a session. */
export function createMcp(app: FastifyInstance, version: string) {
  return async (request: Request, parsedBody: unknown, caller: McpCaller): Promise<Response> => {
    // The tools never change while the API runs: there is nothing to subscribe to, and no answer stays open.
    const handler = createMcpHandler(() => createServer(app, version, caller), { maxSubscriptions: 0 });
    return handler.fetch(request, { parsedBody });
  };
}

function createServer(app: FastifyInstance, version: string, caller: McpCaller): McpServer {
  const server = new McpServer({ name: 'waymark', title: 'Waymark', version }, { instructions });
  for (const { name, title, description, input, effect, isIdempotent = effect === 'reads', run } of tools) {
    const annotations = {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'destroys',
      idempotentHint: isIdempotent,
      openWorldHint: false,
    };
    server.registerTool(name, { title, description, inputSchema: input, annotations }, async (args) => {
      try {
        const answer = await run(createRest(app, caller), args);
        if (typeof answer === 'string') return { content: [{ type: 'text', text: answer }] };
        const { bytes, type } = answer.picture;
        return {
          content: [
            { type: 'text', text: answer.text },
            { type: 'image', data: bytes.toString('base64'), mimeType: type },
          ],
        };
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        return { content: [{ type: 'text', text: error.message }], isError: true };
      }
    });
  }
  return server;
}
