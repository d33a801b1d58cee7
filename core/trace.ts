import {
  type Attributes,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

// Without an exporter (adapters/tracing.ts) nothing below has an effect.

export const tracer = trace.getTracer('waymark');
const written = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The span under way as a `traceparent` of W3C Trace Context: what is written for later work. Undefined outside of one. */
export function currentTrace(): string | undefined {
  const span = trace.getActiveSpan()?.spanContext();
  if (span === undefined || !isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/**
 * Does work in a span beneath the one that `currentTrace` has written, and without a span where there is none.
 * @param work gets the span, for what its end tells. An error that it throws is the span's too.
 */
export async function continueTrace<T>(
  parent: string | null | undefined,
  name: string,
  { attributes, kind = SpanKind.INTERNAL }: { attributes: Attributes; kind?: SpanKind },
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const [, traceId, spanId, flags] = written.exec(parent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return work(undefined);
  const remote = { traceId, spanId, traceFlags: Number.parseInt(flags!, 16), isRemote: true };
  const span = tracer.startSpan(name, { kind, attributes }, trace.setSpanContext(ROOT_CONTEXT, remote));
  try {
    return await context.with(trace.setSpan(ROOT_CONTEXT, span), () => work(span));
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
    throw error;
  } finally {
    span.end();
  }
}
