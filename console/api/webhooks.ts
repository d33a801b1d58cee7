import { keepPreviousData } from '@tanstack/react-query';
import type { output } from 'zod';
import type { Webhook, webhookListSchema, WebhookOutlook, webhookWithSecretSchema } from '#api/webhook/schema.ts';
import type { Delivery, DeliveryDetail, deliveryListSchema, recoverySchema } from '#api/webhook/deliveries-schema.ts';
import type { DeliveredType, EventType } from '#core/webhooks/events.ts';
import type { DeliveryStatus } from '#core/webhooks/standing.ts';
import type { WebhookScope } from '#core/webhooks/scope.ts';
import { call } from './client.ts';
import { readQuery } from './query.ts';

export type { Webhook, WebhookOutlook } from '#api/webhook/schema.ts';
export type { Delivery, DeliveryDetail } from '#api/webhook/deliveries-schema.ts';
/** A webhook with its secret, which no later answer shows. */
export type WebhookWithSecret = output<typeof webhookWithSecretSchema>;
type WebhookPage = output<typeof webhookListSchema>;
type DeliveryPage = output<typeof deliveryListSchema>;

export const deliveriesPerPage = 25;
const awaitedEveryMs = 2_000;
const everyMs = 30_000;
// So that the end of a failure shows soon.
const whileFailingMs = 5_000;

function isFailing({ isActive, isPaused, consecutiveFailures }: Webhook): boolean {
  return isActive && !isPaused && consecutiveFailures > 0;
}

/** All webhooks of the organization, newest first: a plan allows no more than the API lists at once. */
export const webhookListQuery = readQuery<WebhookPage>(['webhooks', 'list'], '/webhook/list', {
  refetchInterval: ({ state: { data } }) => (data?.data.some(isFailing) === true ? whileFailingMs : everyMs),
});

export function webhookQuery(id: string) {
  return readQuery<Webhook>(['webhooks', 'one', id], '/webhook/{id}', {
    params: { id },
    refetchInterval: ({ state: { data } }) => (data !== undefined && isFailing(data) ? whileFailingMs : everyMs),
  });
}

/** Whether a moment is within the next 30 s, or has passed. */
function isSoon(moment: string | null): boolean {
  return moment !== null && Date.parse(moment) < Date.now() + everyMs;
}

/** How often to read deliveries of a webhook, by what is ahead of it and of them, which may have been read at different moments. */
export function pollMs(
  outlook: WebhookOutlook | undefined,
  deliveries: readonly Pick<Delivery, 'nextAttemptAt'>[] = [],
): number {
  if (outlook === undefined) return everyMs;
  const { state, nextAttemptAt, nextProbeAt } = outlook;
  const isSending = state === 'well' || state === 'retrying';
  const isDue =
    isSoon(state === 'failing' ? nextProbeAt : nextAttemptAt) ||
    (isSending && deliveries.some((one) => isSoon(one.nextAttemptAt)));
  if (isDue) return awaitedEveryMs;
  return state === 'retrying' || state === 'failing' ? whileFailingMs : everyMs;
}

/** How a webhook does, and what comes next: asked often while an attempt is due. */
export function webhookOutlookQuery(id: string) {
  return readQuery<WebhookOutlook>(['webhooks', 'outlook', id], '/webhook/{id}/outlook', {
    params: { id },
    refetchInterval: ({ state }) => pollMs(state.data),
  });
}

interface DeliveryFilters {
  status?: DeliveryStatus | undefined;
  type?: DeliveredType | undefined;
  eventId?: string | undefined;
  /** ISO 8601 moments between which deliveries were made. */
  since?: string | undefined;
  until?: string | undefined;
}

/** Deliveries of a webhook, newest first. @param page the first is 0. @param limit by default a page of the list. */
export function deliveriesQuery(id: string, filters: DeliveryFilters, page = 0, limit = deliveriesPerPage) {
  const query = { ...filters, page, limit };
  return readQuery<DeliveryPage>(['webhooks', 'deliveries', id, query], '/webhook/{id}/deliveries', {
    params: { id },
    query,
    placeholderData: keepPreviousData,
  });
}

/** A delivery with its body and attempts. */
export function deliveryQuery(id: string, deliveryId: string) {
  const key = ['webhooks', 'delivery', id, deliveryId];
  return readQuery<DeliveryDetail>(key, '/webhook/{id}/deliveries/{deliveryId}', { params: { id, deliveryId } });
}

/** What of a webhook can be written here. Headers are replaced as a whole; null removes them. */
interface WebhookDraft {
  name: string | null;
  url: string;
  events: readonly EventType[];
  headers?: Record<string, string> | null;
  /** Null: events of all links. */
  scope?: WebhookScope | null;
  /** A text that is no number is sent as it was typed: the API says so at its field. */
  maxPerSecond?: number | string | null;
}

/** Makes a webhook. @param intent one key for each time that the person means it. */
export function createWebhook(draft: WebhookDraft, intent: string): Promise<WebhookWithSecret> {
  return call('POST', '/webhook', { body: draft, idempotencyKey: intent });
}

export function updateWebhook(
  id: string,
  patch: Partial<WebhookDraft> & { isActive?: boolean; isPaused?: boolean },
): Promise<Webhook> {
  return call('PATCH', '/webhook/{id}', { params: { id }, body: patch });
}

export function deleteWebhook(id: string): Promise<unknown> {
  return call('DELETE', '/webhook/{id}', { params: { id } });
}

/** Gives a webhook another secret; the earlier one signs too, for 24 hours. */
export function rotateSecret(id: string, intent: string): Promise<WebhookWithSecret> {
  return call('POST', '/webhook/{id}/rotate-secret', { params: { id }, idempotencyKey: intent });
}

export function testWebhook(id: string, intent: string): Promise<Delivery> {
  return call('POST', '/webhook/{id}/test', { params: { id }, body: {}, idempotencyKey: intent });
}

/** Sends the events since a moment that the receiver has not answered with a 2xx. */
export function recoverWebhook(id: string, since: string, intent: string): Promise<output<typeof recoverySchema>> {
  return call('POST', '/webhook/{id}/recover', { params: { id }, body: { since }, idempotencyKey: intent });
}

/** Sends a delivery again, at once. */
export function redeliver(id: string, deliveryId: string, intent: string): Promise<Delivery> {
  return call('POST', '/webhook/{id}/deliveries/{deliveryId}/redeliver', {
    params: { id, deliveryId },
    idempotencyKey: intent,
  });
}
