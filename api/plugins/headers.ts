import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { transportSecurity } from '#core/http/transport-security.ts';

/** Headers that every answer bears; a route may replace them by its own. */
export type CommonHeaders = Readonly<Record<string, string>>;

/** @param baseUrl public address of the API. */
export function createCommonHeaders(baseUrl: string): CommonHeaders {
  return {
    // Answers hold a tenant's data, or a secret: no cache may keep one (1.11).
    'cache-control': 'no-store',
    // JSON that a browser opens runs nothing, and no page frames it.
    'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    // A page of another origin neither embeds an answer nor reaches into a window that shows one; calls by CORS still do.
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...transportSecurity(new URL(baseUrl).protocol === 'https:'),
  };
}

interface HeadersOptions {
  commonHeaders: CommonHeaders;
}

/** Gives every answer of a route the headers that browsers and caches are held by, before anything else can answer. */
export const headers = fp(
  async (app: FastifyInstance, { commonHeaders }: HeadersOptions) => {
    app.addHook('onRequest', async (_request, reply) => void reply.headers(commonHeaders));
  },
  { name: 'headers', fastify: '5.x' },
);
