import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { errorSchema } from '../schemas.ts';

/** What readiness is told by. */
export interface HealthDependencies {
  /** Resolves when the database answers. */
  pingDatabase(): Promise<void>;
  /** Names what works less well than it should, at this moment. */
  degraded(): Promise<string[]>;
}

const pingTimeoutMs = 2_000;

/** Liveness and readiness, for probes: no key needed. */
export const healthRoutes: FastifyPluginAsyncZod<HealthDependencies> = async (app, { pingDatabase, degraded }) => {
  app.get(
    '/healthz',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Health'],
        summary: 'Whether the process lives',
        security: [],
        response: { 200: z.strictObject({ status: z.literal('ok') }), 400: errorSchema, 500: errorSchema },
      },
    },
    () => ({ status: 'ok' as const }),
  );

  app.get(
    '/readyz',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Health'],
        summary: 'Whether the process can serve, and what is degraded',
        security: [],
        response: {
          200: z.strictObject({ status: z.enum(['ready', 'degraded']), degraded: z.array(z.string()) }),
          503: z.strictObject({ status: z.literal('unavailable'), degraded: z.array(z.string()) }),
          400: errorSchema,
          500: errorSchema,
        },
      },
    },
    async (_request, reply) => {
      const timeout = AbortSignal.timeout(pingTimeoutMs);
      const timedOut = new Promise<never>((_resolve, reject) => {
        timeout.addEventListener('abort', () => reject(new Error('The database does not answer.')), { once: true });
      });
      try {
        await Promise.race([pingDatabase(), timedOut]);
      } catch {
        return reply.code(503).send({ status: 'unavailable', degraded: ['database'] });
      }
      const names = await degraded();
      return reply.send({ status: names.length === 0 ? 'ready' : 'degraded', degraded: names });
    },
  );
};
