import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { type Precondition, readPrecondition, versionOf } from '#core/http/version.ts';
import { invalidHeader } from './validation.ts';

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

type LinkLabels = Pick<Parameters<typeof versionOf>[0], 'folder' | 'tags'>;

/** `ETag` and `If-Match` on the routes that are marked by `versioned` (1.11). */
export const versions = fp(
  async (app: FastifyInstance) => {
    app.decorateRequest('ifMatch', undefined);
    app.addHook('preValidation', async (request) => {
      const header = request.headers['if-match'];
      if (header === undefined || request.routeOptions.config.versioned !== true) return;
      const precondition = readPrecondition(header);
      if (precondition === undefined) throw await invalidHeader(request, 'If-Match', 'must be * or a list of ETags');
      request.ifMatch = precondition;
    });
    app.addHook('preSerialization', async (request, reply, payload) => {
      const { updatedAt, ...labels } = (payload ?? {}) as { updatedAt?: unknown } & LinkLabels;
      if (request.routeOptions.config.versioned === true && typeof updatedAt === 'string') {
        void reply.header('etag', versionOf({ updatedAt, ...labels }));
      }
      return payload;
    });
  },
  { name: 'versions', fastify: '5.x', dependencies: ['access'] },
);
