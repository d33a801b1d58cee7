import { v7 as uuidv7 } from 'uuid';

/** What webhooks may subscribe to. */
export const eventTypes = ['link.created', 'link.updated', 'link.deleted', 'link.clicked'] as const;
/** The type of an event that webhooks may subscribe to. */
export type EventType = (typeof eventTypes)[number];
/** The type of what a webhook is sent to try it out (6.10); nobody subscribes to it. */
export const testEventType = 'webhook.test';
/** Every type that a delivery may be of. */
export const deliveredTypes = [...eventTypes, testEventType] as const;
/** The type of a delivery. */
export type DeliveredType = (typeof deliveredTypes)[number];

/** An event, ready to be stored: `body` holds the bytes that every delivery sends. */
export interface EventDraft {
  id: string;
  organizationId: string;
  type: DeliveredType;
  /** Null where it tells of no link. */
  linkId: string | null;
  body: string;
  createdAt: Date;
}

/** Makes an event in the envelope `{id, type, createdAt, data}`. */
export function createEvent(
  type: DeliveredType,
  { organizationId, linkId, data, now }: { organizationId: string; linkId: string | null; data: object; now: Date },
): EventDraft {
  const id = uuidv7();
  const body = JSON.stringify({ id, type, createdAt: now.toISOString(), data });
  return { id, organizationId, type, linkId, body, createdAt: now };
}
