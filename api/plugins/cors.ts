import corsPlugin from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

interface CorsOptions {
  /** Origins whose pages may call the API with a key, such as `https://app.example.com`. Empty: none may. */
  origins: readonly string[];
  /** Paths that pages of any origin may call: MCP and the sign-in of its clients. */
  openPaths: readonly string[];
}

const requestHeaders = ['x-api-key', 'content-type', 'idempotency-key', 'if-match'];
const exposedHeaders = [
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'idempotency-replayed',
  'idempotency-original-request-id',
  'content-disposition',
  'etag',
];
// Of pages that are MCP clients.
const openRequestHeaders = [
  'authorization',
  'content-type',
  'x-api-key',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
];
const openExposedHeaders = [
  'www-authenticate',
  'mcp-session-id',
  'mcp-protocol-version',
  'x-request-id',
  'retry-after',
];
// The longest that Chromium honours.
const preflightSeconds = 7_200;

/**
 * CORS for `CORS_ORIGINS`, and for MCP (2.10). Pages call with a key or token: no answer allows cookies. Registered before `auth`, because
 * browsers send preflights without a key.
 */
export const cors = fp(
  async (app: FastifyInstance, { origins, openPaths }: CorsOptions) => {
    const allowed = new Set(origins);
    const isOpen = new Set(openPaths);
    const byOrigin = {
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowedHeaders: requestHeaders,
      exposedHeaders,
    };
    const open = {
      origin: '*',
      methods: ['GET', 'POST'],
      allowedHeaders: openRequestHeaders,
      exposedHeaders: openExposedHeaders,
    };
    const shared = {
      maxAge: preflightSeconds,
      optionsSuccessStatus: 200,
    };
    await app.register(corsPlugin, {
      // Decided by request: an OPTIONS call that is no preflight of an allowed origin goes on to the 404 of unknown paths.
      delegator: async ({ headers, url }: FastifyRequest) => ({
        ...shared,
        ...(isOpen.has(url.split('?', 1)[0]!) ? open : { ...byOrigin, origin: allowed.has(headers.origin ?? '') }),
        preflight: headers['access-control-request-method'] !== undefined,
      }),
    });
  },
  { name: 'cors', fastify: '5.x' },
);
