import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { type Precondition, readPrecondition, versionOf } from '#core/http/version.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads or changes one versioned resource: answers have `ETag`, and changes honour `If-Match`. */
    versioned?: true;
  }
  interface FastifyRequest {
    /** The parsed If-Match header. The command checks it in its transaction. */
    ifMatch: Precondition | undefined;
  }
}

/** `ETag` and `If-Match` on the routes that are marked by `versioned` (1.11). */
export const versions = fp(
  async (app: FastifyInstance) => {
    app.decorateRequest('ifMatch', undefined);
    app.addHook('preValidation', async (request) => {
      const header = request.headers['if-match'];
      if (header === undefined || request.routeOptions.config.versioned !== true) return;
      request.ifMatch = readPrecondition(header);
    });
    app.addHook('preSerialization', async (request, reply, payload) => {
      const { updatedAt } = (payload ?? {}) as { updatedAt?: unknown };
      if (request.routeOptions.config.versioned === true && typeof updatedAt === 'string') {
        void reply.header('etag', versionOf(updatedAt));
      }
      return payload;
    });
  },
  { name: 'versions', fastify: '5.x', dependencies: ['auth'] },
);
