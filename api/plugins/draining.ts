import { finished, Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

export interface DrainingOptions {
  /** Most milliseconds to wait for requests whose clients have disconnected. */
  deadlineMs?: number;
}

const closeIdleEveryMs = 50;

/**
 * Waits for running requests before the app closes. Node's server waits for open connections only: a request whose client has
 * disconnected still runs, and needs the database, which is closed after the app. Registered first.
 */
export const draining = fp(
  async (app: FastifyInstance, { deadlineMs = 5_000 }: DrainingOptions) => {
    const running = new Set<FastifyRequest>();
    const empty = Promise.withResolvers<void>();
    let isClosing = false;

    const end = (request: FastifyRequest): void => {
      running.delete(request);
      if (isClosing && running.size === 0) empty.resolve();
    };

    app.addHook('onRequest', async (request) => void running.add(request));
    app.addHook('preParsing', async (request) => {
      // The rest of the body never arrives on a closed connection: the request does not get to `onSend`.
      const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
      if (request.raw.destroyed && (length !== '0' || encoding !== undefined)) end(request);
    });
    app.addHook('onSend', async (request, reply, payload) => {
      // Clients then send no further request on the connection.
      if (isClosing) void reply.header('connection', 'close');
      if (payload instanceof Readable) finished(payload, () => end(request));
      else end(request);
      return payload;
    });
    // What a library answers by itself, as that of OAuth, has no `onSend`.
    app.addHook('onResponse', async (request, reply) => {
      if (reply.raw.writableEnded) end(request);
    });
    app.addHook('preClose', async () => {
      isClosing = true;
      // A closing server closes idle connections only once; later ones become idle as their answers end.
      const timer = setInterval(() => app.server.closeIdleConnections(), closeIdleEveryMs).unref();
      app.server.once('close', () => clearInterval(timer));
    });
    app.addHook('onClose', async () => {
      if (running.size > 0) await Promise.race([empty.promise, setTimeout(deadlineMs, undefined, { ref: false })]);
    });
  },
  { name: 'draining', fastify: '5.x' },
);
