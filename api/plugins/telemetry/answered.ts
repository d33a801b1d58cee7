import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Calls `tell` once for each request: after its answer was sent or, where the client has disconnected, as soon as the answer is ready.
 * Fastify runs no `onResponse` for the latter, whose work was done all the same.
 */
export function onAnswered(app: FastifyInstance, tell: (request: FastifyRequest, reply: FastifyReply) => void): void {
  const told = new WeakSet<FastifyRequest>();
  const tellOnce = (request: FastifyRequest, reply: FastifyReply): void => {
    if (told.has(request)) return;
    told.add(request);
    tell(request, reply);
  };
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.raw.destroyed) tellOnce(request, reply);
    else reply.raw.once('close', () => tellOnce(request, reply));
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    tellOnce(request, reply);
    done();
  });
}
