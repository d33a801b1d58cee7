import * as z from 'zod';
import { eventData, eventSchema } from '#core/webhooks/event-data.ts';
import { type DeliveredType, deliveredTypes } from '#core/webhooks/events.ts';
import type { OpenApi, Schema } from './types.ts';

/** Name of the schema of an event: `LinkCreatedEvent` for `link.created`. */
export function nameOfEvent(type: DeliveredType): string {
  const words = type.split('.').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${words.join('')}Event`;
}

/**
 * Adds the events that webhooks get: as callbacks of the call that creates a webhook, and as `x-webhooks`, the form in which
 * documents of OpenAPI 3.0 give the `webhooks` of 3.1.
 */
export function addEvents(document: OpenApi): void {
  const { paths, components } = document;
  const requests: Record<string, object> = {};
  for (const type of deliveredTypes) {
    const { description = '' } = eventData[type];
    const schema = z.toJSONSchema(eventSchema(type), { io: 'input', target: 'openapi-3.0' });
    components.schemas[nameOfEvent(type)] = { description, ...(schema as Schema) };
    requests[type] = { post: describeRequest(type, description) };
  }
  Object.assign(paths['/webhook']!.post!, {
    callbacks: Object.fromEntries(
      Object.entries(requests).map(([type, request]) => [type, { '{$request.body#/url}': request }]),
    ),
  });
  Object.assign(document, { 'x-webhooks': requests });
}

function describeRequest(type: DeliveredType, summary: string): object {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  });
  return {
    summary,
    description: `${summary} Signed with the secret of the webhook; any answer of 2xx ends the delivery, others are tried again.`,
    tags: ['Webhooks'],
    security: [],
    parameters: [
      header('webhook-id', 'Id of the event.'),
      header('webhook-timestamp', 'Seconds since 1970 of the attempt.'),
      header('webhook-signature', '`v1,` and the base64 of an HMAC-SHA256 over `<id>.<timestamp>.<body>`.'),
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${nameOfEvent(type)}` } } },
    },
    responses: { '2XX': { description: 'The event has arrived.' } },
  };
}
