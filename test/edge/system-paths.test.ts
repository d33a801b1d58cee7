// @module-tag slow

import { expect, test } from 'vitest';
import { createTestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';

const readyz = '/.well-known/waymark/readyz';
const tlsAllowed = '/.well-known/waymark/tls-allowed?domain=';

test('readiness and certificates cost the database a statement a second, and an address has its share (13.2)', async () => {
  await using edge = await createTestEdge({ trustedProxies: ['127.0.0.1'] });
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const ask = (path: string, address: string) => edge.visit(path, from(address));
  await ask(`${tlsAllowed}other.example`, '203.0.113.1');
  const { misses } = edge.edge.lookupCounts().domains;
  const sinceMs = performance.now();
  await Promise.all(Array.from({ length: 100 }, () => ask(`${tlsAllowed}other.example`, '203.0.113.1')));
  const seconds = Math.ceil((performance.now() - sinceMs) / 1_000);
  expect(edge.edge.lookupCounts().domains.misses - misses).toBeLessThanOrEqual(1 + seconds);
  // Within some second there are too many, however slow the machine is.
  for (const path of [readyz, `${tlsAllowed}${edge.domain.domain}`]) {
    const refused = await eventually(
      async () => {
        const answers = await Promise.all(Array.from({ length: 400 }, () => ask(path, '203.0.113.2')));
        return answers.find(({ status }) => status === 429);
      },
      (answer) => answer !== undefined,
    );
    expect(Number(refused!.headers['retry-after'])).toBe(1);
    expect((await ask(path, '203.0.113.3')).status).toBe(200);
    await eventually(
      () => ask(path, '203.0.113.2'),
      ({ status }) => status === 200,
    );
  }
});

test('with an internal port readiness and certificates are served there alone, without a limit', async () => {
  await using edge = await createTestEdge({ internalPort: 0 });
  const inside = edge.edge.internalAddress()!;
  const statusOf = async (path: string): Promise<number> => (await fetch(inside + path)).status;
  for (const path of [readyz, `${tlsAllowed}${edge.domain.domain}`]) {
    expect((await edge.visit(path)).status).toBe(404);
    expect(await statusOf(path)).toBe(200);
  }
  const { slug } = await edge.link();
  expect((await edge.visit('/.well-known/waymark/healthz')).status).toBe(200);
  expect(await statusOf('/.well-known/waymark/healthz')).toBe(200);
  expect(await statusOf(`${tlsAllowed}other.example`)).toBe(404);
  expect(await statusOf(`/${slug}`)).toBe(404);
  const many = await Promise.all(Array.from({ length: 150 }, () => statusOf(readyz)));
  expect(new Set(many)).toEqual(new Set([200]));
});
