import type { SearchAttributePair } from '@temporalio/common';
import { nameKey, organizationIdKey, processName, stateKey, webhookIdKey } from '#core/lib/search-attributes.ts';

/** A webhook whose actor is to be started or woken. */
export interface WebhookTarget {
  id: string;
  organizationId: string;
  /** Host of its address, for operators. */
  host: string;
}

/** What a webhook's actor is given at its start. */
export interface WebhookInput {
  webhookId: string;
  organizationId: string;
  /** Of its address when the workflow began, for operators. */
  host: string;
}

/**
 * `idle`: nothing is due; `sending`; `waiting`: for the time of a retry; `failing`: for the time of a probe; `off`;
 * `paused`: its organization is suspended or no longer premium; `stopped`: by an operator.
 */
export type WebhookState = 'idle' | 'sending' | 'waiting' | 'failing' | 'off' | 'paused' | 'stopped';

/** Name of the actor's workflow. */
export const webhookWorkflowType = 'webhook';
/** Names of the signals that it takes: look at the rows; stop sending, and go on. */
export const webhookSignals = { wake: 'wake', pause: 'pause', resume: 'resume' } as const;

const state: WebhookState = 'idle';

/** How a webhook's actor is started: one for each webhook, found by webhook, host and organization. */
export function startOfWebhook({ id: webhookId, organizationId, host }: WebhookTarget) {
  const input: WebhookInput = { webhookId, organizationId, host };
  return {
    workflowId: `webhook/${webhookId}`,
    args: [input] as [WebhookInput],
    staticSummary: `Webhook to ${host}`,
    typedSearchAttributes: [
      { key: organizationIdKey, value: [organizationId] },
      { key: webhookIdKey, value: webhookId },
      { key: nameKey, value: processName([host]) },
      { key: stateKey, value: state },
    ] satisfies SearchAttributePair[],
  };
}
