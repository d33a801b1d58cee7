import { createEvent, type DeliveredType, type EventDraft } from '#core/webhooks/events.ts';

/** An event with any `data`, where a test only passes it on. */
export function anyEvent(
  type: DeliveredType,
  content: { organizationId: string; linkId: string | null; data: object; now: Date },
): EventDraft {
  return createEvent(type, content as never);
}
