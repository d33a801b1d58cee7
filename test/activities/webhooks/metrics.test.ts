// @module-tag slow

import { beforeAll, expect, test } from 'vitest';
import { createMetrics } from '#adapters/metrics.ts';
import { measureWebhooks } from '#db/webhooks/metrics.ts';
import { captureLog } from '#test/support/captured-log.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { metricsOf } from '#test/support/metrics.ts';
import { refuse, useWebhookStack } from '#test/support/webhook-stack.ts';

const captured = captureLog('worker');
const metrics = createMetrics();
const { log } = captured;
// The last gap is longer than the test, so the webhook is not turned off while it runs.
const stack = useWebhookStack({ gapsMs: [600_000], probeDelaysMs: [50, 600_000], log, meter: metrics.meter });
beforeAll(() => measureWebhooks(metrics.meter, emOf(stack.db)));

const scrape = async () => metricsOf(await metrics.text());
const changesOf = (webhookId: string) =>
  captured.entries().filter((entry) => entry.webhookId === webhookId && entry.change !== undefined);

test(
  'a webhook that begins to fail, recovers, fails again and goes off is in the log and the metrics',
  { tags: 'slow' },
  async () => {
    const endpoint = await stack.endpoint();
    const { id, organizationId } = await stack.webhook(endpoint.url);
    endpoint.answer = (response) =>
      endpoint.received.length > 10 ? void response.writeHead(204).end() : refuse(503)(response);
    await stack.emit(20, organizationId);
    await eventually(
      () => endpoint.accepted.size,
      (size) => size === 10,
    );
    await eventually(
      () => changesOf(id),
      ({ length }) => length === 2,
    );
    endpoint.answer = refuse(410);
    await stack.emit(1, organizationId);
    await eventually(() => changesOf(id).length === 3);
    expect(changesOf(id)).toMatchObject([
      { change: 'failing', level: 40, organizationId, failures: 10, code: 503 },
      { change: 'recovered', level: 30, organizationId, failures: 0 },
      { change: 'off', level: 40, organizationId, code: 410 },
    ]);
    expect(await scrape()).toMatchObject({
      'waymark_webhook_changes_total{change="failing"}': 1,
      'waymark_webhook_changes_total{change="recovered"}': 1,
      'waymark_webhook_changes_total{change="off"}': 1,
      'waymark_webhook_attempts_total{result="delivered",outcome="2xx"}': 10,
      'waymark_webhook_attempts_total{result="failed",outcome="5xx"}': 10,
      'waymark_webhook_attempts_total{result="failed",outcome="4xx"}': 1,
      'waymark_webhooks{state="off"}': 1,
    });
  },
);

test(
  'metrics separate the pending deliveries of well webhooks from those of failing ones, and report the delay of the well',
  { tags: 'nightly' },
  async () => {
    const { 'waymark_webhook_pending_deliveries{state="failing"}': before } = await scrape();
    const endpoint = await stack.endpoint();
    endpoint.answer = refuse(500);
    const { id: failing, organizationId } = await stack.webhook(endpoint.url);
    await stack.emit(15, organizationId);
    await eventually(
      () => stack.hook(failing),
      ({ failures }) => failures === 11,
    );
    const well = await stack.webhook('https://127.0.0.1:1/');
    await stack.db.query(
      `insert into deliveries (id, webhook_id, event_id, type, due_at)
     values (new_id(), $1, new_id(), 'link.created', now() - interval '90 seconds'),
       (new_id(), $1, new_id(), 'link.created', now() + interval '90 seconds')`,
      [well.id],
    );
    // No event wakes the webhook, so its deliveries stay pending until the scrape.
    const values = await scrape();
    expect(values).toMatchObject({
      'waymark_webhook_pending_deliveries{state="failing"}': before! + 15,
      'waymark_webhook_pending_deliveries{state="well"}': 2,
      'waymark_webhooks{state="failing"}': 1,
      'waymark_webhooks{state="well"}': 1,
    });
    expect(values.waymark_webhook_delay_seconds).toBeGreaterThanOrEqual(90);
    // The backlog is the receiver's while attempts are made.
    const attempted = async (ago: string): Promise<number> => {
      await stack.db.query('update webhooks set attempted_at = now() - $2::interval where id = $1', [well.id, ago]);
      return (await scrape()).waymark_webhook_delay_seconds!;
    };
    expect(await attempted('0 s')).toBeLessThan(60);
    expect(await attempted('70 s')).toBeGreaterThanOrEqual(70);
    await stack.db.query('delete from deliveries where webhook_id = $1', [well.id]);
  },
);
