import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Meter } from '#core/lib/meter.ts';
import { onAnswered } from './answered.ts';
import { replayedHeader } from '#api/plugins/idempotency.ts';

// Any client can send the header.
const warnEveryMs = 3_600_000;
const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Sets X-Request-Id, measures and logs each request, by the pattern of its route and never by its URL: paths and queries may
 * hold secrets.
 */
export const requests = fp(
  async (app: FastifyInstance, { meter }: { meter: Meter }) => {
    const seconds = meter.histogram(
      'waymark_api_request_seconds',
      'Time from a request to the end of its answer.',
      bucketsSeconds,
      ['method', 'route', 'status'],
    );
    let warnedAtMs = -Infinity;
    let limited = 0;
    let replayed = 0;
    meter.counter('waymark_api_rate_limited_total', 'Requests refused with 429.', () => limited);
    meter.counter('waymark_api_replayed_total', 'Answers given again to an Idempotency-Key.', () => replayed);

    app.addHook('onRequest', async (request, reply) => {
      void reply.header('x-request-id', request.id);
      // Where a proxy is missing in TRUSTED_PROXIES, all its clients share one address, and its limits.
      const peer = request.socket.remoteAddress;
      if (request.headers['x-forwarded-for'] === undefined || request.ip !== peer) return;
      if (performance.now() - warnedAtMs < warnEveryMs) return;
      warnedAtMs = performance.now();
      request.log.warn({ peer }, 'X-Forwarded-For comes from a peer that TRUSTED_PROXIES does not name: it is ignored');
    });
    onAnswered(app, (request, reply) => {
      const { statusCode: status, elapsedTime } = reply;
      const { method } = request;
      const route = request.routeOptions.url ?? 'none';
      seconds.observe({ method, route, status: String(status) }, elapsedTime / 1_000);
      if (status === 429) limited += 1;
      if (reply.hasHeader(replayedHeader)) replayed += 1;
      request.log[status >= 500 ? 'info' : 'debug']({ method, route, status, ms: Math.round(elapsedTime) }, 'answered');
    });
  },
  { name: 'requests', fastify: '5.x' },
);
