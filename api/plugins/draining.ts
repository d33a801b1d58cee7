import { finished, Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

/** Settings of `draining`. */
export interface DrainingOptions {
  /** How long requests may go on whose clients have left. */
  deadlineMs?: number;
}

const closeIdleEveryMs = 50;

/**
 * Lets every request end before the app has closed. The server itself waits for open connections alone: a request whose
 * client has left is still at work, and needs what is closed after the app. Comes before all that reads or writes.
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
      // A body that was dropped with its connection is waited for in vain: such a request never gets further.
      const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
      if (request.raw.destroyed && (length !== '0' || encoding !== undefined)) end(request);
    });
    app.addHook('onSend', async (request, reply, payload) => {
      // Clients then send no more on the connection.
      if (isClosing) void reply.header('connection', 'close');
      if (payload instanceof Readable) finished(payload, () => end(request));
      else end(request);
      return payload;
    });
    app.addHook('preClose', async () => {
      isClosing = true;
      // Connections are closed as their answers end; a server that closes looks only once for those that are kept open.
      const timer = setInterval(() => app.server.closeIdleConnections(), closeIdleEveryMs).unref();
      app.server.once('close', () => clearInterval(timer));
    });
    app.addHook('onClose', async () => {
      if (running.size > 0) await Promise.race([empty.promise, setTimeout(deadlineMs, undefined, { ref: false })]);
    });
  },
  { name: 'draining', fastify: '5.x' },
);
