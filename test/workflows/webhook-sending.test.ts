// @module-tag slow

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMetrics } from '#adapters/metrics.ts';
import { measureWebhooks } from '#db/webhooks/metrics.ts';
import { eventually } from '#test/support/eventually.ts';
import { recordHistory } from '#test/support/histories.ts';
import { metricsOf } from '#test/support/metrics.ts';
import { startWebhookStack, type WebhookStack } from '#test/support/webhook-stack.ts';
import { createWebhookViews, type WebhookViews } from '#test/support/webhook-views.ts';
import { readMetadata } from '#test/support/workflow-metadata.ts';

let stack: WebhookStack;
let views: WebhookViews;
beforeAll(async () => {
  stack = await startWebhookStack({ lingerMs: 0 });
  views = createWebhookViews(stack);
});
afterAll(() => stack[Symbol.asyncDispose]());

test(
  'while a backlog is sent, Temporal shows that it is, what waits, the pace and the age of the oldest',
  { timeout: 60_000 },
  async () => {
    const metrics = createMetrics();
    measureWebhooks(metrics.meter, stack.db);
    const endpoint = await stack.endpoint();
    const answered = Promise.withResolvers<void>();
    let begun = 0;
    // Thirty are answered at once; then the receiver is slow.
    endpoint.answer = async (response) => {
      if ((begun += 1) > 30) await answered.promise;
      response.writeHead(204).end();
    };
    const { id, organizationId } = await views.lone(endpoint.url);
    await stack.emit(300, organizationId);
    const handle = views.handle(id);
    const readDetails = async () => (await readMetadata(handle)).currentDetails!;
    const attributeOf = async () => (await handle.describe()).searchAttributes.state;
    await views.inState(id, 'sending');
    await eventually(attributeOf, (state) => state?.[0] === 'sending');
    const details = await eventually(readDetails, (text) => text.includes('- waiting: 270'));
    expect(details).toContain('Sending what is due.');
    expect(details).toMatch(/- the pump under way, up to \S+: 30 delivered, 0 failed; \d+ a second now/);
    expect(details).toMatch(/- the oldest has been due since 20\S+Z/);

    // The backlog is old, and the receiver's: attempts are made.
    await stack.db.query(
      `update deliveries set due_at = now() - interval '10 minutes' where webhook_id = $1 and status = 'pending'`,
      [id],
    );
    expect(metricsOf(await metrics.text()).waymark_webhook_delay_seconds).toBeLessThan(60);
    await stack.db.query(`update webhooks set attempted_at = now() - interval '5 minutes' where id = $1`, [id]);
    expect(metricsOf(await metrics.text()).waymark_webhook_delay_seconds).toBeGreaterThanOrEqual(300);

    answered.resolve();
    await views.settled(id, 300);
    expect(await views.inState(id, 'idle')).toMatchObject({ delivered: 300, waiting: 0 });
    await eventually(attributeOf, (state) => state?.[0] === 'idle');
    expect(await readDetails()).toContain('Nothing is due.');
    await recordHistory('webhook-sending', handle);
  },
);
