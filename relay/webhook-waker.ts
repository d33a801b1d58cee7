import type { Client } from '@temporalio/client';
import { startOfWebhook, webhookSignals, type WebhookTarget, webhookWorkflowType } from '#core/webhooks/workflow.ts';

/** Wakes a webhook's actor, which begins where there is none. */
export type WakeWebhook = (target: WebhookTarget) => Promise<void>;

/** Settings of `createWakeWebhook`. */
export interface WakeWebhookOptions {
  client: Client;
  taskQueue: string;
  timeoutMs?: number;
}

/** Makes the function that wakes an actor, one workflow for each webhook that operators find by id and organization. */
export function createWakeWebhook({ client, taskQueue, timeoutMs = 5_000 }: WakeWebhookOptions): WakeWebhook {
  return async (target) => {
    await client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.signalWithStart(webhookWorkflowType, {
        ...startOfWebhook(target),
        taskQueue,
        signal: webhookSignals.wake,
      }),
    );
  };
}
