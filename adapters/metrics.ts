import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import manifest from '../package.json' with { type: 'json' };
import { withTimeout } from '#core/limits/timeout.ts';
import { type Meter, noMeter, type ReadSamples, type Sample } from '#core/lib/meter.ts';

export type Metrics = ReturnType<typeof createMetrics>;
export type MetricsServer = Awaited<ReturnType<typeof serveMetrics>>;

export interface MetricsOptions {
  /** URL of another exporter of this process, whose metrics are appended. */
  include?: string;
  /** Maximum milliseconds to read one metric. */
  readTimeoutMs?: number;
}

/** What a process without another port answers to probes, by path: why not, or undefined where all is well. */
type Probes = Readonly<Record<`/${string}`, () => string | undefined>>;

interface MetricsAddress {
  host: string;
  /** Absent: nothing is measured or served. */
  port?: number | undefined;
}

const contentType = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * The metrics of this process, with Node's own (CPU, memory, event loop). Each is registered where its value is: of the API in
 * `api/plugins/telemetry/requests.ts`, of the edge in `edge/metrics.ts`, of the relay in `relay/metrics.ts`, of activities in their files, of
 * the whole installation in `db/health/` and `db/webhooks/metrics.ts`.
 */
export function createMetrics({ include, readTimeoutMs = 2_000 }: MetricsOptions = {}) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  /** Sets all samples synchronously, so that two scrapes at once do not mix. */
  async function refill(
    metric: Counter | Gauge,
    read: ReadSamples,
    take: (sample: Required<Sample>) => void,
  ): Promise<void> {
    const samples = await withTimeout(
      readTimeoutMs,
      Promise.resolve().then(read),
      'The metric was not read in time.',
    ).catch(() => []);
    metric.reset();
    if (typeof samples === 'number') return take({ labels: {}, value: samples });
    for (const { labels = {}, value } of samples) take({ labels, value });
    // Without labels the library would export an initial zero.
    if (samples.length === 0) metric.remove({});
  }

  const meter: Meter = {
    counter(name, help, read, labels = []) {
      const metric: Counter = new Counter({
        name,
        help,
        labelNames: [...labels],
        registers,
        collect: () => refill(metric, read, (sample) => metric.inc(sample.labels, sample.value)),
      });
    },
    gauge(name, help, read, labels = []) {
      const metric: Gauge = new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers,
        collect: () => refill(metric, read, (sample) => metric.set(sample.labels, sample.value)),
      });
    },
    histogram: (name, help, buckets, labels = []) =>
      new Histogram({ name, help, buckets: [...buckets], labelNames: [...labels], registers }),
  };

  const build = { version: manifest.version, node: process.versions.node };
  meter.gauge('waymark_build_info', 'Version of Waymark and of Node; always 1.', () => [{ labels: build, value: 1 }], [
    'version',
    'node',
  ]);

  return {
    meter,
    /** All metrics in Prometheus text format. */
    async text(): Promise<string> {
      const [own, other] = await Promise.all([
        registry.metrics(),
        include === undefined ? '' : fetchText(include, readTimeoutMs),
      ]);
      return own + other;
    },
  };
}

/**
 * Serves metrics at `/metrics`, and probes: 200, or 503 with the reason. Metrics reveal the volume of traffic, so `host` must be reachable for operators alone.
 * @throws (rejects) Error with code EADDRINUSE and the like.
 */
export async function serveMetrics({ text }: Metrics, host: string, port: number, probes: Probes = {}) {
  const send = async (response: ServerResponse): Promise<void> => {
    try {
      const body = await text();
      response.writeHead(200, { 'content-type': contentType }).end(body);
    } catch {
      response.writeHead(500).end();
    }
  };
  const read = new Map(Object.entries(probes));
  const server = createServer((request, response) => {
    const { url = '', method = '' } = request;
    if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(404).end();
    if (url === '/metrics') return void send(response);
    const probe = read.get(url);
    if (probe === undefined) return void response.writeHead(404).end();
    const problem = probe();
    response
      .writeHead(problem === undefined ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' })
      .end(`${problem ?? 'ok'}\n`);
  });
  await once(server.listen(port, host), 'listening');
  return {
    /** `http://127.0.0.1:9464/metrics` */
    url: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}/metrics`,
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/**
 * Measures this process and serves its metrics; without a port it does neither.
 * @throws (rejects) Error with code EADDRINUSE and the like.
 */
export async function startMetrics(
  { host, port }: MetricsAddress,
  { probes, ...options }: MetricsOptions & { probes?: Probes } = {},
): Promise<{ meter: Meter; close(): Promise<void> }> {
  if (port === undefined) return { meter: noMeter, close: async () => undefined };
  const metrics = createMetrics(options);
  const { close } = await serveMetrics(metrics, host, port, probes);
  return { meter: metrics.meter, close };
}

/** A metric that cannot be read is left out, so that the others are still scraped. */
async function fetchText(url: string, timeoutMs: number): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    return response.ok ? await response.text() : '';
  } catch {
    return '';
  }
}
