import type { Loaded } from '@mikro-orm/core';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import {
  type Delivery as DeliveryEntity,
  DeliveryAttempt,
  type Webhook as WebhookEntity,
} from '#db/entities/webhooks.ts';
import { attemptsAhead } from '#core/webhooks/retries.ts';
import { disabledFrom } from '#core/webhooks/standing.ts';
import type { DeliverySummary } from '#db/webhooks/deliveries/deliveries.ts';
import { present } from '#api/present.ts';
import { type Webhook, type WebhookOutlook, webhookSchema } from './schema.ts';
import { attemptSchema, type Delivery, type DeliveryDetail, deliverySchema } from './deliveries-schema.ts';

/** A webhook without its secrets. */
export function presentWebhook(webhook: WebhookEntity): Webhook {
  return present(webhookSchema, webhook, { organizationId: webhook.organization.id, scope: webhook.scope() });
}

/** The state of a webhook. @param waiting how many deliveries wait for an attempt. */
export function stateOfWebhook(webhook: WebhookEntity, waiting: number): WebhookOutlook['state'] {
  const { isActive, isPaused, consecutiveFailures, failingSince } = webhook;
  if (!isActive) return 'off';
  if (isPaused) return 'paused';
  if (failingSince) return 'failing';
  return consecutiveFailures > 0 && waiting > 0 ? 'retrying' : 'well';
}

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
  return present(deliverySchema, delivery, {
    eventId: delivery.event.id,
    errorCode: errorCodeOf(delivery),
    nextAttemptAt: delivery.nextAttemptAt(),
  });
}

/** The code beside an error; attempts that an earlier version recorded have none. */
function errorCodeOf({ error, errorCode }: Pick<DeliveryEntity, 'error' | 'errorCode'>): Delivery['errorCode'] {
  return (error ?? null) === null ? null : (errorCode ?? 'other');
}

/**
 * Reads the attempts of a delivery, oldest first, and presents them with it, the body of its event and the attempts ahead.
 * @param gapsMs gaps after failed tries.
 */
export async function presentDeliveryDetail(
  em: EntityManager,
  delivery: Loaded<DeliveryEntity, 'event'>,
  gapsMs: readonly number[],
): Promise<DeliveryDetail> {
  const attempts = await em.find(DeliveryAttempt, { deliveryId: delivery.id }, { orderBy: { number: 'asc' } });
  const shown = attempts.map((attempt) => present(attemptSchema, attempt, { errorCode: errorCodeOf(attempt) }));
  const nextAt = delivery.nextAttemptAt();
  const ahead = nextAt === null ? [] : attemptsAhead(gapsMs, { nextAt, tries: Math.max(0, delivery.tries) });
  return {
    ...presentDelivery(delivery),
    body: delivery.event.body,
    attempts: shown,
    attemptsAhead: ahead.map((at) => at.toISOString()),
  };
}
