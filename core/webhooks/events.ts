import { v7 as uuidv7 } from 'uuid';

/** The events that webhooks may subscribe to. */
export const eventTypes = ['link.created', 'link.updated', 'link.deleted', 'link.clicked'] as const;
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

/** A new event with its envelope `{id, type, createdAt, data}`. */
export function createEvent(
  type: DeliveredType,
  { organizationId, linkId, data, now }: { organizationId: string; linkId: string | null; data: object; now: Date },
): EventDraft {
  const id = uuidv7();
  const body = JSON.stringify({ id, type, createdAt: now.toISOString(), data });
  return { id, organizationId, type, linkId, body, createdAt: now };
}
