import { networkInterfaces } from 'node:os';
import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import {
  createMetrics,
  type MetricsOptions,
  type MetricsServer,
  serveMetrics,
  startMetrics,
} from '#adapters/metrics.ts';
import manifest from '../../package.json' with { type: 'json' };
import { metricsOf } from '#test/support/metrics.ts';

let servers: MetricsServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  servers = [];
});

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

const serve = async (options?: MetricsOptions, host = '127.0.0.1') => {
  const metrics = createMetrics(options);
  const server = await serveMetrics(metrics, host, 0);
  servers.push(server);
  const scrape = async (): Promise<string> => (await fetch(server.url)).text();
  return { meter: metrics.meter, url: server.url, scrape };
};

describe('metrics of a process', () => {
  test('probes answer 200, or 503 with the reason', async () => {
    const worker: { problem?: string } = {};
    const server = await serveMetrics(createMetrics(), '127.0.0.1', 0, { '/readyz': () => worker.problem });
    servers.push(server);
    const ask = async (path: string) => {
      const answer = await fetch(new URL(path, server.url));
      return [answer.status, await answer.text()];
    };
    expect(await ask('/readyz')).toEqual([200, 'ok\n']);
    worker.problem = 'no tasks';
    expect(await ask('/readyz')).toEqual([503, 'no tasks\n']);
    expect(await ask('/constructor')).toEqual([404, '']);
  });

  test('waymark_build_info tells the version', async () => {
    const { scrape } = await serve();
    const { version } = manifest;
    expect(await scrape()).toContain(`waymark_build_info{version="${version}",node="${process.versions.node}"} 1`);
  });

  test('each scrape reads the metrics anew', async () => {
    const { meter, scrape, url } = await serve();
    let value = 0;
    meter.counter('waymark_test_total', 'Test.', () => (value += 1));
    meter.gauge(
      'waymark_test_slow',
      'Test.',
      async () => [
        { labels: { kind: 'a' }, value: 2 },
        { labels: { kind: 'b' }, value: 3 },
      ],
      ['kind'],
    );
    const histogram = meter.histogram('waymark_test_seconds', 'Test.', [1, 2], ['kind']);
    histogram.observe({ kind: 'a' }, 1.5);
    const scraped = (await Promise.all([scrape(), scrape(), scrape()])).map((text) => metricsOf(text));
    expect(scraped.map((values) => values.waymark_test_total).toSorted()).toEqual([1, 2, 3]);
    expect(scraped[0]).toMatchObject({
      'waymark_test_slow{kind="a"}': 2,
      'waymark_test_slow{kind="b"}': 3,
      'waymark_test_seconds_bucket{le="1",kind="a"}': 0,
      'waymark_test_seconds_bucket{le="2",kind="a"}': 1,
    });
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect((await fetch(new URL('/', url))).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  });

  test('a scrape leaves out metrics that fail or are late, and answers with the others', async () => {
    const { meter, scrape } = await serve({ readTimeoutMs: 100 });
    meter.gauge('waymark_test_failing', 'Test.', () => Promise.reject(new Error('away')));
    meter.counter('waymark_test_hanging_total', 'Test.', () => new Promise<number>(() => undefined));
    meter.gauge('waymark_test_fine', 'Test.', () => 1);
    const values = metricsOf(await scrape());
    expect(Object.keys(values).filter((name) => name.startsWith('waymark_test'))).toEqual(['waymark_test_fine']);
  });

  test('a scrape includes the metrics of another exporter while that one runs', async () => {
    const other = await serve();
    other.meter.gauge('other', 'Test.', () => 7);
    const { scrape } = await serve({ include: other.url });
    expect(metricsOf(await scrape()).other).toBe(7);
    await servers.shift()!.close();
    expect(metricsOf(await scrape()).process_resident_memory_bytes).toBeGreaterThan(0);
  });

  test('the metrics listen on 127.0.0.1 alone by default', async () => {
    const { url } = await serve();
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    for (const { address } of outside) {
      const socket = connect({ host: address, port: Number(new URL(url).port) });
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
      expect(error.code).toBe('ECONNREFUSED');
    }
    expect(new URL(url).hostname).toBe('127.0.0.1');
  });

  test.skipIf(!hasIpv6)('the metrics listen on the configured address', async () => {
    const { url } = await serve(undefined, '::1');
    expect(new URL(url).hostname).toBe('[::1]');
    expect((await fetch(url)).status).toBe(200);
    await expect(fetch(url.replace('[::1]', '127.0.0.1'))).rejects.toThrow('fetch failed');
  });

  test('metrics are not served without a port, and a port in use is reported', async () => {
    const none = await startMetrics({ host: '127.0.0.1' });
    none.meter.gauge('waymark_test', 'Test.', () => 1);
    await none.close();
    const { url } = await serve();
    await expect(startMetrics({ host: '127.0.0.1', port: Number(new URL(url).port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
