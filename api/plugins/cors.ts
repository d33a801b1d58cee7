import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

/** Settings of `cors`. */
export interface CorsOptions {
  /** Origins whose pages may call the API with a key; none: no page of another origin may. */
  origins: readonly string[];
}

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const requestHeaders = 'x-api-key, content-type, idempotency-key, if-match';
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
].join(', ');
const preflightSeconds = 7_200;

/**
 * Lets pages of the origins given call the API (2.10), by key alone: browsers are never told that cookies may go along.
 * Comes before authentication: browsers ask what is allowed without a key.
 */
export const cors = fp(
  async (app: FastifyInstance, { origins }: CorsOptions) => {
    if (origins.length === 0) return;
    const allowed = new Set(origins);
    app.addHook('onRequest', async (request, reply) => {
      // Caches must not give one origin's answer to another.
      void reply.header('vary', 'origin');
      const { origin, 'access-control-request-method': asked } = request.headers;
      if (origin === undefined || !allowed.has(origin)) return;
      void reply.headers({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': exposedHeaders,
      });
      if (request.method !== 'OPTIONS' || asked === undefined) return;
      void reply.headers({
        'access-control-allow-methods': methods,
        'access-control-allow-headers': requestHeaders,
        'access-control-max-age': preflightSeconds,
      });
      return reply.code(200).send();
    });
  },
  { name: 'cors', fastify: '5.x' },
);
