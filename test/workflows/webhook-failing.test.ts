// @module-tag nightly

import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { disabledFrom, failingFrom } from '#core/webhooks/standing.ts';
import { useFixture } from '#test/support/fixture.ts';
import { recordHistory } from '#test/support/histories.ts';
import { refuse, startWebhookStack } from '#test/support/webhook-stack.ts';
import { createWebhookViews } from '#test/support/webhook-views.ts';

// The schedule of the product, twenty times as fast.
const scale = 1 / 20;
const secondMs = 1_000 * scale;
const gapsMs = [12, 148, 1_808, 22_026, 86_400].map((seconds) => seconds * secondMs);
const probeDelaysMs = [12, 60, 300].map((seconds) => seconds * secondMs);
const restartMs = 13 * secondMs;

const stack = useFixture(() => startWebhookStack({ gapsMs, probeDelaysMs, lingerMs: 0 }));
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
