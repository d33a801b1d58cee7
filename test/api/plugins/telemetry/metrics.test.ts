import { beforeAll, describe, expect, it } from 'vitest';
import { createMetrics, type Metrics } from '#adapters/metrics.ts';
import { measureDatabase } from '#db/health/metrics.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { metricsOf } from '#test/support/metrics.ts';

const metrics: Metrics = createMetrics();

const api = useOwnTestApi({ meter: metrics.meter, limits: { perSecond: 4, perMinute: 1_000 } });
beforeAll(async () => {
  measureDatabase(metrics.meter, { api: api.db });
});

describe('metrics of the API', () => {
  it('requests are measured by method, route pattern and status, and refused and replayed ones are counted', async () => {
    const link = { destination: { type: 'link', value: 'https://example.com/' }, slug: 'measured' };
    const headers = { 'idempotency-key': 'once' };
    const { body } = await api.call('POST', '/short-link', link, { headers });
    expect((await api.call('POST', '/short-link', link, { headers })).headers['idempotency-replayed']).toBe('true');
    await api.call('GET', `/short-link/${body.id}?unknown=1`);
    await api.call('GET', '/no/such/path');
    const refused = (
      await Promise.all(Array.from({ length: 10 }, () => api.call('GET', `/short-link/${body.id}`)))
    ).filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    const text = await metrics.text();
    const values = metricsOf(text);
    const count = (method: string, route: string, status: number): number | undefined =>
      values[`waymark_api_request_seconds_count{method="${method}",route="${route}",status="${status}"}`];
    expect(count('POST', '/short-link', 201)).toBe(2);
    expect(count('GET', '/short-link/:id', 400)).toBe(1);
    expect(count('GET', 'none', 404)).toBe(1);
    expect(values.waymark_api_rate_limited_total).toBe(refused.length);
    expect(values.waymark_api_replayed_total).toBe(1);
    expect(values['waymark_database_connections{pool="api"}']).toBeGreaterThan(0);
    expect(values.process_resident_memory_bytes).toBeGreaterThan(0);
    for (const word of [body.id, 'measured', 'once', 'such']) expect(text).not.toContain(word);
  });
});
