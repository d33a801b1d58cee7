import { type Loaded, LockMode } from '@mikro-orm/postgresql';
import { AppError, invalid } from '#core/errors/errors.ts';
import type { Site } from '#core/links/site.ts';
import { createEvent, type DeliveredType, testEventType } from '#core/webhooks/events.ts';
import { uuidv7 } from '#core/lib/uuid.ts';
import { sampleData } from '#core/webhooks/samples.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Delivery, noId, Webhook, WebhookRecovery } from '#db/entities/webhooks.ts';
import { eventsKeptDays } from '#db/webhooks/deliveries/retention.ts';
import { enqueue } from '#db/outbox.ts';
import { insertEvents } from '#db/webhooks/insert-events.ts';
import { lockWebhook, recordOfWebhook, type WebhookAsker } from './webhooks.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Sends a webhook a test event: `webhook.test`, or a sample of another type; while the webhook fails, as a probe. The stored
 * event is of type `webhook.test` in any case, so that no other webhook and no poll gets it.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR where the webhook is off.
 */
export async function sendTest(
  em: EntityManager,
  asker: WebhookAsker,
  webhookId: string,
  { type, site, now }: { type: DeliveredType; site: Site; now: Date },
): Promise<Delivery> {
  const webhook = await lockWebhook(em, asker, webhookId);
  requireOn(webhook);
  const { organization, name = null, url } = webhook;
  const data = sampleData(type, { webhook: { id: webhookId, name, url }, site, now });
  const sample = { organizationId: organization.id, linkId: null, data, now, isTest: type !== testEventType };
  const event = createEvent(type, sample);
  await insertEvents(em, [{ ...event, type: testEventType }]);
  const delivery = em.create(Delivery, { id: uuidv7(), webhookId, event: event.id, type, createdAt: now });
  delivery.sendNow();
  await sendFirst(em, delivery);
  return delivery;
}

/**
 * Reads a delivery, with its event, of a webhook that the asker may see.
 * @throws AppError NOT_FOUND; FORBIDDEN where it is another organization's.
 */
export async function requireDelivery(
  em: EntityManager,
  asker: WebhookAsker,
  webhookId: string,
  id: string,
): Promise<Loaded<Delivery, 'event'>> {
  const delivery = await em.findOne(Delivery, { id }, { populate: ['event'], strategy: 'joined' });
  if (delivery?.webhookId === webhookId) return delivery;
  if (asker !== 'staff' && delivery !== null) {
    const webhook = await em.findOne(Webhook, { id: delivery.webhookId });
    if (webhook !== null && webhook.organization.id !== asker.organizationId) throw new AppError('FORBIDDEN');
  }
  throw new AppError('NOT_FOUND', 'This delivery does not exist.');
}

/**
 * Sends a delivery again, in whatever status it is: the same event, id and bytes; while the webhook fails, as a probe.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR where the webhook is off.
 */
export async function redeliver(
  em: EntityManager,
  asker: WebhookAsker,
  webhookId: string,
  deliveryId: string,
): Promise<Delivery> {
  // Its lock also keeps pumps from claiming and recording the delivery meanwhile.
  const webhook = await lockWebhook(em, asker, webhookId);
  const delivery = await requireDelivery(em, asker, webhookId, deliveryId);
  requireOn(webhook);
  delivery.sendNow();
  await sendFirst(em, delivery);
  return delivery;
}

async function sendFirst(em: EntityManager, { webhookId }: Delivery): Promise<void> {
  await em.flush();
  await em.getRepository(Webhook).probeNow(webhookId);
  await enqueue(em, 'webhook', [webhookId]);
}

/**
 * Begins to send a webhook the events that it has not answered with a 2xx: failed, held, or missed while it was off.
 * Events that are older than the webhook are left out. The range is joined with that of an unfinished recovery, which begins again.
 * @param since at most 30 days back.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR where the webhook is off, and for a moment that is too far back or
 * in the future.
 */
export async function recoverWebhook(
  em: EntityManager,
  asker: WebhookAsker,
  webhookId: string,
  since: Date,
  now: Date,
): Promise<WebhookRecovery> {
  const problem = sinceProblem(since, now);
  if (problem !== undefined) throw invalid('since', problem);
  const webhook = await lockWebhook(em, asker, webhookId);
  requireOn(webhook);
  const range = { since: since < webhook.createdAt ? webhook.createdAt : since, until: now };
  let recovery = await em.findOne(WebhookRecovery, { webhookId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (recovery === null)
    recovery = em.create(WebhookRecovery, { webhookId, ...range, afterAt: range.since, afterId: noId });
  else recovery.join(range);
  await em.flush();
  await recordOfWebhook(em, asker, webhook, 'webhook.recovered', { now, details: { since: since.toISOString() } });
  em.wakeRelaysAfterCommit();
  return recovery;
}

/** Why events cannot be sent again from a moment on. */
export function sinceProblem(since: Date, now: Date): string | undefined {
  const backMs = now.getTime() - since.getTime();
  if (backMs < 0) return 'must not be in the future';
  return backMs > eventsKeptDays * dayMs ? `must be at most ${eventsKeptDays} days back` : undefined;
}

function requireOn({ isActive }: Webhook): void {
  if (!isActive) throw invalid('isActive', 'The webhook is off: turn it on first.');
}
