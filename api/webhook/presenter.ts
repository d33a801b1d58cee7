import type { InferEntity, Loaded } from '@mikro-orm/core';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import {
  type Delivery as DeliveryEntity,
  DeliveryAttempt,
  type Webhook as WebhookEntity,
} from '#db/entities/webhooks.ts';
import { disabledFrom } from '#core/webhooks/standing.ts';
import type { DeliverySummary } from '#db/webhooks/deliveries.ts';
import type { Webhook, WebhookOutlook } from './schema.ts';
import type { Delivery, DeliveryDetail } from './deliveries-schema.ts';

/** A webhook without its secrets. */
export function presentWebhook(webhook: WebhookEntity): Webhook {
  const { id, organization, name = null, url, events, isActive, consecutiveFailures, disabledReason = null } = webhook;
  return {
    id,
    organizationId: organization.id,
    name,
    url,
    events,
    scope: webhook.scope(),
    headerNames: webhook.headerNames,
    maxPerSecond: webhook.maxPerSecond ?? null,
    isActive,
    isPaused: webhook.isPaused,
    consecutiveFailures,
    lastFailureAt: webhook.lastFailureAt?.toISOString() ?? null,
    disabledAt: webhook.disabledAt?.toISOString() ?? null,
    disabledReason,
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  };
}

/** The state of a webhook. @param waiting how many deliveries wait for an attempt. */
export function stateOfWebhook(webhook: WebhookEntity, waiting: number): WebhookOutlook['state'] {
  const { isActive, isPaused, consecutiveFailures, failingSince } = webhook;
  if (!isActive) return 'off';
  if (isPaused) return 'paused';
  if (failingSince) return 'failing';
  return consecutiveFailures > 0 && waiting > 0 ? 'retrying' : 'well';
}

/** How a webhook does, by its row and the numbers of its deliveries. */
export function presentOutlook(webhook: WebhookEntity, deliveries: DeliverySummary, now: Date): WebhookOutlook {
  const { isActive, isPaused, consecutiveFailures, lastFailureAt, failingSince, nextProbeAt, previousSecretUntil } =
    webhook;
  const isFailing = isActive && (failingSince ?? null) !== null;
  const isSending = isActive && !isPaused;
  return {
    state: stateOfWebhook(webhook, deliveries.waiting),
    waiting: deliveries.waiting,
    held: deliveries.held,
    nextAttemptAt: isSending ? (deliveries.nextDueAt?.toISOString() ?? null) : null,
    failingSince: isFailing ? failingSince!.toISOString() : null,
    nextProbeAt: isFailing && isSending ? (nextProbeAt?.toISOString() ?? null) : null,
    failuresUntilOff: isActive ? Math.max(0, disabledFrom - consecutiveFailures) : null,
    lastFailure: lastFailureAt
      ? {
          at: lastFailureAt.toISOString(),
          code: webhook.lastFailureCode ?? null,
          error: webhook.lastFailureError ?? null,
          body: webhook.lastFailureBody ?? null,
        }
      : null,
    oldSecretUntil: previousSecretUntil && previousSecretUntil > now ? previousSecretUntil.toISOString() : null,
    day: { delivered: deliveries.delivered, failed: deliveries.failed },
  };
}

export function presentDelivery(delivery: DeliveryEntity): Delivery {
  const { id, event, type, status, responseCode = null, attempts, createdAt } = delivery;
  return {
    id,
    eventId: event.id,
    type,
    status,
    responseCode,
    attempts,
    createdAt: createdAt.toISOString(),
    nextAttemptAt: delivery.nextAttemptAt()?.toISOString() ?? null,
  };
}

/** Reads the attempts of a delivery, oldest first, and presents them with it and the body of its event. */
export async function presentDeliveryDetail(
  em: EntityManager,
  delivery: Loaded<DeliveryEntity, 'event'>,
): Promise<DeliveryDetail> {
  const attempts = await em.find(DeliveryAttempt, { deliveryId: delivery.id }, { orderBy: { number: 'asc' } });
  return { ...presentDelivery(delivery), body: delivery.event.body, attempts: attempts.map(presentAttempt) };
}

function presentAttempt({
  at,
  code = null,
  durationMs,
  body = null,
  error = null,
}: InferEntity<typeof DeliveryAttempt>): DeliveryDetail['attempts'][number] {
  return { at: at.toISOString(), code, durationMs, body, error };
}
