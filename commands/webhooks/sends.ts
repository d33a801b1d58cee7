import { v7 as uuidv7 } from 'uuid';
import { AppError, invalid } from '#core/errors/errors.ts';
import { createEvent, testEventType } from '#core/webhooks/events.ts';
import type { Sql, Transaction } from '#db/connection/database.ts';
import { findDeliveryOrganization, insertUrgentDelivery, readDelivery, sendAgain } from '#db/webhooks/deliveries.ts';
import { eventsKeptDays } from '#db/webhooks/events.ts';
import { enqueue, wakeRelays } from '#db/outbox.ts';
import { putRecovery, type RecoveryRange, type WebhookRow } from '#db/webhooks/webhooks.ts';
import { emit } from '#commands/events.ts';
import { lockWebhook, type WebhookAsker } from './webhooks.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Sends a webhook a test event (6.10). @returns the delivery's id.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR where the webhook is off.
 */
export async function sendTest(
  tx: Transaction,
  asker: WebhookAsker,
  webhookId: string,
  { now }: { now: Date },
): Promise<string> {
  const webhook = await lockWebhook(tx, asker, webhookId);
  requireOn(webhook);
  const { organizationId } = webhook;
  const event = createEvent(testEventType, { organizationId, linkId: null, data: { webhook: { id: webhookId } }, now });
  await emit(tx, [event]);
  const id = uuidv7();
  await insertUrgentDelivery(tx, { id, webhookId, eventId: event.id, type: event.type, now });
  await enqueue(tx, 'webhook', [webhookId]);
  return id;
}

/**
 * Reads a delivery, with the event's body, of a webhook that the asker may see.
 * @throws AppError NOT_FOUND; FORBIDDEN where it is another organization's (1.4).
 */
export async function requireDelivery(sql: Sql, asker: WebhookAsker, webhookId: string, id: string) {
  const delivery = await readDelivery(sql, webhookId, id);
  if (delivery !== undefined) return delivery;
  if (asker !== 'staff') {
    const organizationId = await findDeliveryOrganization(sql, id);
    if (organizationId !== undefined && organizationId !== asker.organizationId) throw new AppError('FORBIDDEN');
  }
  throw new AppError('NOT_FOUND', 'This delivery does not exist.');
}

/**
 * Sends a delivery again, in whatever status it is: the same event, id and bytes.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR where the webhook is off.
 */
export async function redeliver(
  tx: Transaction,
  asker: WebhookAsker,
  webhookId: string,
  deliveryId: string,
): Promise<void> {
  const webhook = await lockWebhook(tx, asker, webhookId);
  await requireDelivery(tx, asker, webhookId, deliveryId);
  requireOn(webhook);
  await sendAgain(tx, webhookId, deliveryId);
  await enqueue(tx, 'webhook', [webhookId]);
}

/**
 * Begins to send a webhook the events that it has not answered with a 2xx: failed, held, or missed while it was off (6.5).
 * Events that are older than the webhook are left out.
 * @param since at most 30 days back. @returns the range of the recovery.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR where the webhook is off, and for a moment that is too far back or
 * in the future.
 */
export async function recoverWebhook(
  tx: Transaction,
  asker: WebhookAsker,
  webhookId: string,
  since: Date,
  { now }: { now: Date },
): Promise<RecoveryRange> {
  const backMs = now.getTime() - since.getTime();
  if (backMs < 0) throw invalid('since', 'must not be in the future');
  if (backMs > eventsKeptDays * dayMs) throw invalid('since', `must be at most ${eventsKeptDays} days back`);
  const webhook = await lockWebhook(tx, asker, webhookId);
  requireOn(webhook);
  const first = since < webhook.createdAt ? webhook.createdAt : since;
  const range = await putRecovery(tx, webhookId, { since: first, until: now });
  wakeRelays(tx);
  return range;
}

function requireOn({ isActive }: WebhookRow): void {
  if (!isActive) throw invalid('isActive', 'The webhook is off: turn it on first.');
}
