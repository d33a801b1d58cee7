import { fastifyRequestHandler } from '@trpc/server/adapters/fastify';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { bodyLimits } from '#api/limits/body-limits.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { tellRetryAfter, toAppError } from '#api/plugins/errors.ts';
import { refuseUnread } from '#api/plugins/validation.ts';
import type { CallContext } from './context.ts';
import { errorOfCall, shapeError } from './errors.ts';
import { createToolsRouter } from './router.ts';

const maxBatchSize = 20;

/** The internal tools at /trpc, for signed-in staff. Calls refused before they reach a procedure get tRPC's error shape too. */
export const toolRoutes: FastifyPluginAsync<ApiDependencies> = async (app, deps) => {
  const router = createToolsRouter(deps);
  const { db, clock } = deps;
  const json = 'application/json';

  app.removeAllContentTypeParsers();
  // tRPC parses the body.
  app.addContentTypeParser(json, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    refuseUnread(request, body);
    return body.toString();
  });
  app.setErrorHandler((error: Error, request, reply) => {
    const shown = toAppError(error);
    if (shown.status >= 500) request.log.error({ err: error }, 'the request failed');
    tellRetryAfter(shown, reply);
    return reply.code(shown.status).send({ error: shapeError(shown, { requestId: request.id }) });
  });

  app.route<{ Params: { path: string } }>({
    method: ['GET', 'POST'],
    url: '/trpc/:path',
    bodyLimit: bodyLimits.single,
    config: { access: 'staff' },
    schema: { hide: true },
    async handler(request, reply) {
      const createContext = (): CallContext => ({
        db,
        em: request.em,
        clock,
        userId: request.actor.userId,
        session: request.session!,
        requestId: request.id,
      });
      await fastifyRequestHandler({
        req: request,
        res: reply,
        path: request.params.path,
        router,
        createContext,
        maxBatchSize,
        onError({ error, path }) {
          if (errorOfCall(error).status < 500) return;
          request.log.error({ err: error.cause ?? error, procedure: path }, 'the call failed');
        },
      });
      return reply;
    },
  });
};
