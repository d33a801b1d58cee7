import { defineEntity, p } from '@mikro-orm/core';
import { Organization } from './people.ts';

/**
 * A webhook of an organization. Secrets are sealed; the previous one signs too until its end. A live webhook may recover missed
 * events later, so events are kept for it even while it is off. `urlKey` is the URL in the spelling that is compared. While it
 * fails, since `failingSince`, `nextProbeAt` is when one delivery goes out as a probe; `lastFailureCode`, `lastFailureError`
 * and `lastFailureBody` describe the last failed attempt. `pump` is the pump that sends to it, `pumpProcess` the number of that
 * pump's process, `nextPump` the pump that waits for its end; `lookedAt` is when deliveries were last looked at, and
 * `isPumping` whether more looks follow. `warnedAt` is when its owner got a mail that it fails, `toldAt` that it is off.
 */
export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  properties: {
    id: p.uuid().primary(),
    organization: () => p.manyToOne(Organization).index('webhooks_organization_id_idx'),
    name: p.text().nullable(),
    url: p.text(),
    urlKey: p.text(),
    events: p.array(),
    isActive: p.boolean().default(true),
    secretSealed: p.blob(),
    previousSecretSealed: p.blob().nullable(),
    previousSecretUntil: p.datetime(3).nullable(),
    consecutiveFailures: p.integer().default(0),
    lastFailureAt: p.datetime(3).nullable(),
    disabledAt: p.datetime(3).nullable(),
    disabledReason: p.text().nullable(),
    lastFailureCode: p.integer().nullable(),
    lastFailureError: p.text().nullable(),
    lastFailureBody: p.text().nullable(),
    failingSince: p.datetime(3).nullable(),
    nextProbeAt: p.datetime(3).nullable(),
    lookedAt: p.datetime(3).nullable(),
    isPumping: p.boolean().default(false),
    pump: p.text().nullable(),
    pumpProcess: p.integer().nullable(),
    nextPump: p.text().nullable(),
    warnedAt: p.datetime(3).nullable(),
    toldAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    deletedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'webhooks_url_key', properties: ['organization', 'urlKey'], where: 'deleted_at is null' }],
});

/** An event that has not been fanned out yet; a trigger on `events` inserts it. */
export const QueuedEvent = defineEntity({
  name: 'QueuedEvent',
  tableName: 'event_queue',
  properties: { eventId: p.uuid().primary() },
});

/**
 * An event on its way to a webhook. `attempts` counts all attempts, `tries` those of the present series, which a redelivery
 * restarts from its first attempt. `isUrgent`: a caller asked for the delivery, so it goes out before others. `claim` names the
 * pump that is sending it.
 */
export const Delivery = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  properties: {
    id: p.uuid().primary(),
    webhookId: p.uuid(),
    eventId: p.uuid(),
    type: p.text(),
    status: p.text().default('pending'),
    attempts: p.integer().default(0),
    tries: p.integer().default(0),
    isUrgent: p.boolean().default(false),
    responseCode: p.integer().nullable(),
    dueAt: p.datetime(3).nullable(),
    claim: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [{ name: 'deliveries_event_key', properties: ['eventId', 'webhookId'] }],
  indexes: [
    { name: 'deliveries_webhook_id_idx', properties: ['webhookId', 'id'] },
    {
      name: 'deliveries_due_idx',
      properties: ['webhookId', 'dueAt'],
      where: `status = 'pending' and not is_urgent`,
    },
    {
      name: 'deliveries_urgent_idx',
      properties: ['webhookId', 'dueAt'],
      where: `status = 'pending' and is_urgent`,
    },
    { name: 'deliveries_claim_idx', properties: ['webhookId'], where: 'claim is not null' },
  ],
  checks: [{ name: 'deliveries_status_check', expression: `status in ('pending', 'delivered', 'failed', 'held')` }],
});

/** One attempt of a delivery. `body` is the beginning of the answer, `error` the reason where there was none. */
export const DeliveryAttempt = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'delivery_attempts',
  properties: {
    deliveryId: p.uuid().primary(),
    number: p.integer().primary(),
    at: p.datetime(3),
    code: p.integer().nullable(),
    durationMs: p.integer(),
    body: p.text().nullable(),
    error: p.text().nullable(),
  },
});

/** A recovery of missed events by a webhook, from `since` on; events up to (`afterAt`, `afterId`) are done. */
export const WebhookRecovery = defineEntity({
  name: 'WebhookRecovery',
  tableName: 'webhook_recoveries',
  properties: {
    webhookId: p.uuid().primary(),
    since: p.datetime(3),
    until: p.datetime(3),
    afterAt: p.datetime(3),
    afterId: p.uuid(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});
