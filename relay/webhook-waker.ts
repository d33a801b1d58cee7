import type { Client } from '@temporalio/client';
import { organizationIdKey, stateKey, webhookIdKey } from '../core/search-attributes.ts';
import type { WakeTarget } from '../db/webhook-wakes.ts';
import type { webhook, WebhookInput, WebhookState } from '../workflows/webhook.ts';

/** Wakes a webhook's actor, which begins where there is none. */
export type WakeWebhook = (target: WakeTarget) => Promise<void>;

/** Settings of `createWakeWebhook`. */
export interface WakeWebhookOptions {
  client: Client;
  taskQueue: string;
  timeoutMs?: number;
}

const workflowType: (typeof webhook)['name'] = 'webhook';
const signal = 'wake';
const state: WebhookState = 'idle';

/** Makes the function that wakes an actor, one workflow for each webhook that operators find by id and organization. */
export function createWakeWebhook({ client, taskQueue, timeoutMs = 5_000 }: WakeWebhookOptions): WakeWebhook {
  return async ({ id: webhookId, organizationId, host }) => {
    const input: WebhookInput = { webhookId, organizationId, host };
    await client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.signalWithStart<typeof webhook>(workflowType, {
        workflowId: `webhook/${webhookId}`,
        taskQueue,
        args: [input],
        signal,
        staticSummary: `Webhook to ${host}`,
        typedSearchAttributes: [
          { key: organizationIdKey, value: [organizationId] },
          { key: webhookIdKey, value: webhookId },
          { key: stateKey, value: state },
        ],
      }),
    );
  };
}
