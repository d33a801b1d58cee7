import { AsyncLocalStorage } from 'node:async_hooks';

/** What a call of the API inherits from the tool that makes it in the process (`api/mcp/rest.ts`). No header can tell it. */
export interface McpCall {
  /** Name of the client, as `toClientName` bounds it. */
  client: string | undefined;
  /** Of the access token with which the client came; undefined: it came with a key. */
  tokenHash?: string | undefined;
}

/** The call of `/mcp` inside of which a call of the API is made; none in calls over the network. */
export const mcpCall = new AsyncLocalStorage<McpCall>();
