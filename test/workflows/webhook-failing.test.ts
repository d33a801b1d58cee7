// @module-tag nightly

import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { disabledFrom, failingFrom } from '#core/webhooks/standing.ts';
import { eventually } from '#test/support/eventually.ts';
import { useFixture } from '#test/support/fixture.ts';
import { recordHistory } from '#test/support/histories.ts';
import { refuse, startWebhookStack } from '#test/support/webhook-stack.ts';
import { createWebhookViews, readDeliveries } from '#test/support/webhook-views.ts';

// The schedule of the product, twenty times as fast.
const scale = 1 / 20;
const secondMs = 1_000 * scale;
const gapsMs = [12, 148, 1_808, 22_026, 86_400].map((seconds) => seconds * secondMs);
const probeDelaysMs = [12, 60, 300].map((seconds) => seconds * secondMs);
const restartMs = 13 * secondMs;

const stack = useFixture(() => startWebhookStack({ gapsMs, probeDelaysMs, lingerMs: 0 }));
const quick = useFixture(() => startWebhookStack({ gapsMs: [20, 20, 20, 20, 20], probeDelaysMs: [10], lingerMs: 0 }));
const views = createWebhookViews(stack);

test('a receiver that restarts for 13 s does not switch a busy webhook off, and gets everything', async () => {
  const endpoint = await stack.endpoint();
  const { id, organizationId } = await views.lone(endpoint.url);
  const ids = await stack.emit(20, organizationId);
  await views.settled(id, 20);
  let downSinceMs: number | undefined;
  endpoint.answer = (response) => {
    downSinceMs ??= performance.now();
    const isDown =
      endpoint.received.length - endpoint.accepted.size <= failingFrom || performance.now() - downSinceMs < restartMs;
    return isDown ? refuse(503)(response) : void response.writeHead(204).end();
  };
  // Busy: ten deliveries fail before any retry is due, and new events arrive all the time.
  for (let round = 0; round < 20; round += 1) {
    ids.push(...(await stack.emit(10, organizationId)));
    await setTimeout(50);
  }
  const rows = await views.settled(id, ids.length);
  expect(rows.every(({ status }) => status === 'delivered')).toBe(true);
  expect([...endpoint.accepted].toSorted()).toEqual(ids.toSorted());
  expect(await views.hook(id)).toMatchObject({ isActive: true, failures: 0 });
  const failed = endpoint.received.length - ids.length;
  expect(failed).toBeGreaterThanOrEqual(failingFrom);
  expect(failed).toBeLessThan(disabledFrom);
  await recordHistory('webhook-restarted', views.handle(id));
});

test('three events of six attempts each are 18 failures', async () => {
  const endpoint = await quick.endpoint();
  const quickViews = createWebhookViews(quick);
  endpoint.answer = refuse(500);
  const { id, organizationId } = await quickViews.lone(endpoint.url);
  for (let count = 1; count <= 3; count += 1) {
    await quick.emit(1, organizationId);
    await eventually(
      () => endpoint.received.length,
      (length) => length === 6 * count,
    );
  }
  await quickViews.inState(id, 'off');
  expect(endpoint.received).toHaveLength(disabledFrom);
  expect(await readDeliveries(quick.db, id)).toMatchObject(
    Array.from({ length: 3 }, () => ({ status: 'failed', attempts: 6 })),
  );
});
