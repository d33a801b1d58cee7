import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { transportSecurity } from '#core/http/transport-security.ts';

/** Default headers of every answer; a route may override them. */
export type CommonHeaders = Readonly<Record<string, string>>;

/** @param baseUrl public address of the API. */
export function createCommonHeaders(baseUrl: string): CommonHeaders {
  return {
    // Answers hold a tenant's data or a secret: caches must not store them.
    'cache-control': 'no-store',
    // An answer that a browser opens runs no script, and no page can frame it.
    'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    // Pages of other origins can neither embed an answer nor script a window that shows one. CORS calls still work.
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...transportSecurity(new URL(baseUrl).protocol === 'https:'),
  };
}

/** Sets the common headers before any other plugin can answer. */
export const headers = fp(
  async (app: FastifyInstance, { commonHeaders }: { commonHeaders: CommonHeaders }) => {
    app.addHook('onRequest', async (_request, reply) => void reply.headers(commonHeaders));
  },
  { name: 'headers', fastify: '5.x' },
);
