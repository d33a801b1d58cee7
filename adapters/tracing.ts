import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry';

export type Tracing = ReturnType<typeof startTracing>;

const exportTimeoutMs = 5_000;

/**
 * Exports the process' spans by OTLP over HTTP, in batches. Other settings are OpenTelemetry's own variables, as
 * OTEL_TRACES_SAMPLER. Spans that the collector does not take in time are dropped. Once a process.
 * @param url base address of the collector; spans go to `/v1/traces` beneath it.
 */
export function startTracing({ url, service, version }: { url: string; service: string; version: string }) {
  const resource = new Resource({ 'service.name': service, 'service.version': version });
  const exporter = new OTLPTraceExporter({
    url: `${url.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: exportTimeoutMs,
  });
  const spanProcessor = new BatchSpanProcessor(exporter);
  const provider = new NodeTracerProvider({ resource, spanProcessors: [spanProcessor] });
  provider.register();
  return {
    /** For clients and workers of Temporal: a workflow and its activities continue the trace that started or signalled it. */
    plugin: new OpenTelemetryPlugin({ resource, spanProcessor }),
    /** Exports what is left, for five seconds at most. */
    async close(): Promise<void> {
      // A collector that is away is no reason to fail.
      await provider.shutdown().catch(() => undefined);
    },
  };
}
