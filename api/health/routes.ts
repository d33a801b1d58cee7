import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { recent } from '#core/limits/recent.ts';
import { createPublicLimit } from '#api/limits/public-limit.ts';
import { errorSchema } from '#api/schemas.ts';
import type { Readiness } from './readiness.ts';

export interface HealthDependencies extends Pick<Readiness, 'degraded'> {
  /** Features that the configuration leaves out, with the consequence; they do not degrade. */
  notes?: readonly string[];
}

// Each check costs statements, and no key is needed.
const rememberedForMs = 1_000;
const perSecond = 200;

/** Liveness and readiness for probes, without a key. */
export const healthRoutes: FastifyPluginAsyncZod<HealthDependencies> = async (app, { degraded, notes = [] }) => {
  const recentlyDegraded = recent(degraded, rememberedForMs);
  const takeCall = createPublicLimit(perSecond);

  app.get('/healthz', {
    config: { access: 'public' },
    schema: {
      operationId: 'checkLiveness',
      summary: 'Whether the process lives',
      response: { 200: z.strictObject({ status: z.literal('ok') }), 400: errorSchema, 500: errorSchema },
    },
    handler: () => ({ status: 'ok' as const }),
  });

  app.get('/readyz', {
    config: { access: 'public' },
    schema: {
      operationId: 'checkReadiness',
      summary: 'Whether the process can serve, and what is degraded',
      response: {
        200: z.strictObject({
          status: z.enum(['ready', 'degraded']),
          degraded: z.array(z.string()),
          notes: z
            .array(z.string())
            .optional()
            .describe('Features that the configuration leaves out; absent without such features.'),
        }),
        503: z.strictObject({ status: z.literal('unavailable'), degraded: z.array(z.string()) }),
        400: errorSchema,
        429: errorSchema,
        500: errorSchema,
      },
    },
    handler: async (request, reply) => {
      takeCall(request);
      const { isUp, names } = await recentlyDegraded();
      if (!isUp) return reply.code(503).send({ status: 'unavailable', degraded: names });
      return reply.send({
        status: names.length === 0 ? 'ready' : 'degraded',
        degraded: names,
        ...(notes.length === 0 ? {} : { notes: [...notes] }),
      });
    },
  });
};
