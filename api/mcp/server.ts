import { createMcpHandler, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import type { FastifyInstance } from 'fastify';
import { toIssues } from '#core/errors/issues.ts';
import { createSharedLimit } from '#core/limits/shared-limit.ts';
import { correctFields, createRest, type McpCaller, ToolError } from './rest.ts';
import type { Tool, ToolCall } from './tool.ts';
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

// A call that waits for an import keeps a connection, and calls the API each second. An organization has three unfinished imports at most.
const waitsAtOnce = 200;
const waitsOfOne = 10;

/** Serves MCP requests: 2026-07-28, and 2025 clients without a session. @param closing aborted when the API shuts down. */
export function createMcp(app: FastifyInstance, version: string, closing: AbortSignal) {
  const waits = createSharedLimit({
    atOnce: waitsAtOnce,
    ofOne: waitsOfOne,
    waiting: 0,
    refusal: () => new ToolError(`Too many calls wait for imports.\nNext: call get_import without waitSeconds.`),
  });
  const describeCall = ({ mcpReq }: ServerContext): ToolCall => {
    const progressToken = mcpReq._meta?.progressToken;
    return {
      signal: AbortSignal.any([mcpReq.signal, closing]),
      waits,
      async tellProgress(progress) {
        if (progressToken === undefined) return;
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...progress } });
      },
    };
  };
  return async (request: Request, parsedBody: unknown, caller: McpCaller): Promise<Response> => {
    // The tools never change while the API runs: there is nothing to subscribe to.
    const handler = createMcpHandler(() => createServer(app, version, caller, describeCall), { maxSubscriptions: 0 });
    return handler.fetch(request, { parsedBody });
  };
}

function createServer(
  app: FastifyInstance,
  version: string,
  caller: McpCaller,
  describeCall: (context: ServerContext) => ToolCall,
): McpServer {
  const server = new McpServer({ name: 'waymark', title: 'Waymark', version }, { instructions });
  for (const tool of tools) {
    const { name, title, description, input, effect, isIdempotent = effect === 'reads', run } = tool;
    const annotations = {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'destroys',
      idempotentHint: isIdempotent,
      openWorldHint: false,
    };
    // The library would refuse arguments without the next call: the tool does it.
    const inputSchema = { '~standard': { ...input['~standard'], validate: (value: unknown) => ({ value }) } };
    server.registerTool(name, { title, description, inputSchema, annotations }, async (args, context) => {
      try {
        const answer = await run(createRest(app, caller), readArguments(tool, args), describeCall(context));
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

function readArguments({ input }: Pick<Tool, 'input'>, given: unknown) {
  const { data, error } = input.safeParse(given ?? {});
  if (error === undefined) return data;
  const { issues } = toIssues(error.issues);
  const fields = issues.map(({ path, message }) => `\n- ${path || 'arguments'}: ${message}`).join('');
  throw new ToolError(`These arguments are refused:${fields}\nNext: ${correctFields}`);
}
