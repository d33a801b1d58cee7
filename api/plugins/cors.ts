import corsPlugin from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

interface CorsOptions {
  /** Origins whose pages may call the API with a key, such as `https://app.example.com`. Empty: CORS is off. */
  origins: readonly string[];
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
// The longest that Chromium honours.
const preflightSeconds = 7_200;

/**
 * CORS for `CORS_ORIGINS` (2.10). Pages call with a key: no answer allows cookies. Registered before `auth`, because
 * browsers send preflights without a key.
 */
export const cors = fp(
  async (app: FastifyInstance, { origins }: CorsOptions) => {
    if (origins.length === 0) return;
    const allowed = new Set(origins);
    const shared = {
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowedHeaders: requestHeaders,
      exposedHeaders,
      maxAge: preflightSeconds,
      optionsSuccessStatus: 200,
    };
    await app.register(corsPlugin, {
      // Decided by request: an OPTIONS call that is no preflight of an allowed origin goes on to the 404 of unknown paths.
      delegator: async ({ headers }: FastifyRequest) => ({
        ...shared,
        origin: allowed.has(headers.origin ?? ''),
        preflight: headers['access-control-request-method'] !== undefined,
      }),
    });
  },
  { name: 'cors', fastify: '5.x' },
);
