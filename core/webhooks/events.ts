import { v7 as uuidv7 } from 'uuid';
import type { DisabledReason } from './standing.ts';

/** The events that webhooks may subscribe to. */
export const eventTypes = [
  'link.created',
  'link.updated',
  'link.deleted',
  'link.clicked',
  'link.flagged',
  'domain.verified',
  'domain.lost',
  'import.completed',
  'webhook.disabled',
] as const;
export type EventType = (typeof eventTypes)[number];
/** The type of test events (6.10). No webhook can subscribe to it. */
export const testEventType = 'webhook.test';
/** The types of deliveries. */
export const deliveredTypes = [...eventTypes, testEventType] as const;
export type DeliveredType = (typeof deliveredTypes)[number];

/** An event, ready to be stored: `body` holds the bytes that every delivery sends. */
export interface EventDraft {
  id: string;
  organizationId: string;
  type: DeliveredType;
  /** Null: the event is not about a link. */
  linkId: string | null;
  body: string;
  createdAt: Date;
}

/** The event of a webhook that was turned off. The host stands for its URL, whose path and query may hold secrets of the receiver. */
export function createDisabledEvent(
  { id, organizationId, name, url }: { id: string; organizationId: string; name: string | null; url: string },
  disabledReason: DisabledReason,
  now: Date,
): EventDraft {
  const data = { webhook: { id, name, host: new URL(url).host, disabledReason } };
  return createEvent('webhook.disabled', { organizationId, linkId: null, data, now });
}

/** A new event with its envelope `{id, type, createdAt, data}`. */
export function createEvent(
  type: DeliveredType,
  { organizationId, linkId, data, now }: { organizationId: string; linkId: string | null; data: object; now: Date },
): EventDraft {
  const id = uuidv7();
  const body = JSON.stringify({ id, type, createdAt: now.toISOString(), data });
  return { id, organizationId, type, linkId, body, createdAt: now };
}
