import type { AttemptRow, DeliveryRow } from '#db/webhooks/deliveries.ts';
import type { WebhookRow } from '#db/webhooks/webhooks.ts';
import type { Delivery, DeliveryDetail, Webhook } from './schema.ts';

export function presentWebhook(row: WebhookRow): Webhook {
  const { lastFailureAt, disabledAt, disabledReason, createdAt, updatedAt, ...webhook } = row;
  return {
    ...webhook,
    lastFailureAt: lastFailureAt?.toISOString() ?? null,
    disabledAt: disabledAt?.toISOString() ?? null,
    disabledReason,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function presentDelivery(delivery: DeliveryRow): Delivery {
  const { id, eventId, type, status, responseCode, attempts, createdAt, nextAttemptAt } = delivery;
  return {
    id,
    eventId,
    type,
    status,
    responseCode,
    attempts,
    createdAt: createdAt.toISOString(),
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
  };
}

/** A delivery with the body of its event and its attempts. */
export function presentDeliveryDetail(
  delivery: DeliveryRow & { body: string },
  attempts: readonly AttemptRow[],
): DeliveryDetail {
  return {
    ...presentDelivery(delivery),
    body: delivery.body,
    attempts: attempts.map(({ at, ...attempt }) => ({ at: at.toISOString(), ...attempt })),
  };
}
