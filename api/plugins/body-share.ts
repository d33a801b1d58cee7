import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { bodyLimits, bodyShareBytes } from '#api/limits/body-limits.ts';
import { createUnderWay } from '#api/limits/under-way.ts';
import { maxFiles } from './multipart.ts';

/**
 * Refuses bodies of an organization beyond its shares, one of large and one of small ones, before they are read: a client may take the
 * whole deadline of a call for its body, which is in memory meanwhile, and an organization may have a hundred keys (13.2).
 */
export const bodyShare = fp(
  async (app: FastifyInstance) => {
    const message = `At most ${bodyShareBytes / 1_048_576} MiB of bodies may be sent at a time.`;
    const [large, small] = [createUnderWay(bodyShareBytes, message), createUnderWay(bodyShareBytes, message)];
    app.addHook('onRequest', async ({ actor, headers, routeOptions: { bodyLimit, config } }, reply) => {
      const length = headers['content-length'];
      // A call without a caller has refused itself, or has a body of 16 KiB at most.
      if (actor === undefined || (length === undefined && headers['transfer-encoding'] === undefined)) return;
      const most = config.multipart === undefined ? bodyLimit : maxFiles * config.multipart.maxFileBytes;
      const bytes = Math.min(most, Number(length ?? most));
      const share = bytes > bodyLimits.single ? large : small;
      share.begin(actor.organizationId, bytes, reply.raw);
    });
  },
  { name: 'body-share', fastify: '5.x', dependencies: ['access'] },
);
