import type { InferEntity, Loaded } from '@mikro-orm/core';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import {
  type Delivery as DeliveryEntity,
  DeliveryAttempt,
  type Webhook as WebhookEntity,
} from '#db/entities/webhooks.ts';
import type { Delivery, DeliveryDetail, Webhook } from './schema.ts';

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
