import { v7 as uuidv7 } from 'uuid';

/** What webhooks may subscribe to. */
export const eventTypes = ['link.created', 'link.updated', 'link.deleted', 'link.clicked'] as const;
/** An event's type. */
export type EventType = (typeof eventTypes)[number];

/** An event, ready to be stored: `body` holds the bytes that every delivery sends. */
export interface EventDraft {
  id: string;
  organizationId: string;
  type: EventType;
  linkId: string;
  body: string;
  createdAt: Date;
}

/** Makes an event in the envelope `{id, type, createdAt, data}`. */
export function createEvent(
  type: EventType,
  { organizationId, linkId, data, now }: { organizationId: string; linkId: string; data: object; now: Date },
): EventDraft {
  const id = uuidv7();
  const body = JSON.stringify({ id, type, createdAt: now.toISOString(), data });
  return { id, organizationId, type, linkId, body, createdAt: now };
}
