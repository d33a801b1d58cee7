import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { tracer } from '#core/trace.ts';
import { onAnswered } from './answered.ts';

/**
 * Makes each call of a route a span, beneath that of the caller's `traceparent`. Names and attributes hold the pattern of the route and
 * never the URL: paths and queries may hold secrets. Registered only where spans are exported.
 */
export const tracing = fp(
  async (app: FastifyInstance) => {
    const spans = new WeakMap<FastifyRequest, Span>();
    app.addHook('onRequest', async (request) => {
      const { method, routeOptions, headers, id } = request;
      if (routeOptions.url === undefined) return;
      const attributes = { 'http.request.method': method, 'http.route': routeOptions.url, 'waymark.request_id': id };
      const parent = propagation.extract(ROOT_CONTEXT, headers);
      const span = tracer.startSpan(`${method} ${routeOptions.url}`, { kind: SpanKind.SERVER, attributes }, parent);
      spans.set(request, span);
    });
    // Not earlier: the events by which a body arrives belong to the connection, and end the context.
    app.addHook('preValidation', (request, _reply, done) => {
      const span = spans.get(request);
      if (span === undefined) done();
      else context.with(trace.setSpan(ROOT_CONTEXT, span), done);
    });
    onAnswered(app, (request, { statusCode }) => {
      const span = spans.get(request);
      span?.setAttribute('http.response.status_code', statusCode);
      if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
      span?.end();
    });
  },
  { name: 'tracing', fastify: '5.x' },
);
