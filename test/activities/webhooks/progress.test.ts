import { expect, test } from 'vitest';
import { startReports } from '#activities/webhooks/webhooks.ts';
import type { WebhookProgress } from '#core/webhooks/progress.ts';
import { createDelivery, createTestWebhook } from '#test/support/deliveries.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

test(
  'a pump that is at work for two seconds reports its pace, what waits and the age of the oldest delivery',
  { tags: ['slow', 'nightly'] },
  async () => {
    const webhookId = await createTestWebhook(db);
    const due = new Date(Date.now() - 60_000);
    await createDelivery(db, webhookId, { due_at: due });
    await createDelivery(db, webhookId);
    const sent = Promise.withResolvers<WebhookProgress>();
    const end = startReports({
      em: emOf(db),
      webhookId,
      progress: { delivered: 30, failed: 2 },
      send: async (report) => sent.resolve(report),
    });
    const report = await sent.promise;
    end();
    expect(report).toMatchObject({ delivered: 30, failed: 2, waiting: 2, oldestDueAt: due.toISOString() });
    expect(report.perSecond).toBeGreaterThan(0);
  },
);
