import { destinationTypes } from '#core/links/destination.ts';
import { importFormats } from '#core/imports/formats.ts';
import { disabledReasons } from '#core/webhooks/standing.ts';
import { clickedFields, type DeliveredType, deliveredTypes } from '#core/webhooks/events.ts';
import type { OpenApi, Schema } from './types.ts';

const text: Schema = { type: 'string' };
const textOrNull: Schema = { type: 'string', nullable: true };
const id: Schema = { type: 'string', format: 'uuid' };
const moment: Schema = { type: 'string', format: 'date-time', example: '2026-03-14T15:09:26.535Z' };
const deletedAt: Schema = { ...moment, description: 'When the link was deleted, UTC.' };

const shortUrl: Schema = {
  type: 'string',
  description: 'The address that visitors open.',
  example: 'https://go.example.com/spring-sale',
};
const destination: Schema = object(
  { type: { type: 'string', enum: [...destinationTypes] }, value: text },
  {
    threatTypes: {
      type: 'array',
      items: text,
      description: 'Present where a scan has changed the verdict: [] without threats.',
    },
  },
);
const domain: Schema = {
  description: 'The domain.',
  ...object({ id, domain: { ...text, example: 'go.example.com' }, isVerified: { type: 'boolean' } }),
};
const types: Schema = { type: 'array', items: text };
const count: Schema = { type: 'integer' };
const link = { id, slug: text, shortUrl, destination };

/** `data` of each type of event, as docs/webhook-events.md shows it. */
const dataOfEvents: Record<DeliveredType, { description: string; data: Schema }> = {
  'link.created': {
    description: 'A short link was created.',
    data: object({ link: object({ ...link, createdAt: moment }) }),
  },
  'link.updated': {
    description: 'A short link was changed, or a scan changed the verdict of its destination.',
    data: object({
      link: object({ ...link, updatedAt: moment }),
      previous: {
        type: 'object',
        additionalProperties: true,
        description: 'The changed fields with their earlier values.',
      },
    }),
  },
  'link.deleted': {
    description: 'A short link was deleted.',
    data: object({ link: object({ id, slug: text, deletedAt }) }),
  },
  'link.clicked': {
    description: 'A visitor opened a short link.',
    data: object({
      link: object({ id, slug: text, shortUrl }),
      click: object({
        ...Object.fromEntries(clickedFields.map((name) => [name, textOrNull])),
        destination: { ...textOrNull, description: 'Where the visitor was sent.' },
        isQrCode: { type: 'boolean' },
        clickedAt: moment,
      }),
    }),
  },
  'link.flagged': {
    description: 'A scan found threats at an address of a short link.',
    data: object({ link: object(link), threatTypes: { ...types, description: 'The new threats.' } }),
  },
  'link.expired': {
    description: 'The end of a short link has passed.',
    data: object({
      link: object({ id, slug: text, shortUrl, expiresAt: { ...moment, description: 'The end, UTC.' } }),
    }),
  },
  'link.capped': {
    description: 'The clicks of a short link have reached its cap.',
    data: object({
      link: object({
        id,
        slug: text,
        shortUrl,
        maxClicks: { ...count, description: 'The cap.' },
        clicks: { ...count, description: 'Clicks so far; may exceed a cap that a call has lowered.' },
      }),
    }),
  },
  'domain.verified': {
    description: 'A domain was verified: its links work.',
    data: object({ domain }),
  },
  'domain.lost': {
    description: 'A verified domain no longer has its DNS records: its links do not work.',
    data: object({ domain }),
  },
  'import.completed': {
    description: 'An import of links ended.',
    data: object({
      import: {
        description: 'The import.',
        ...object({
          id,
          format: { type: 'string', enum: [...importFormats], description: 'The form of the file.' },
          state: {
            type: 'string',
            enum: ['completed', 'failed', 'cancelled'],
            description: 'failed and cancelled: it was ended before its last row.',
          },
          total: { ...count, description: 'Rows of the file.' },
          imported: count,
          skipped: { ...count, description: 'Rows whose link was there already.' },
          failed: count,
          notMade: { ...count, description: 'The last rows, which the import ended before.' },
          createdAt: moment,
          finishedAt: { ...moment, description: 'When it ended, UTC.' },
        }),
      },
    }),
  },
  'webhook.disabled': {
    description: 'Another webhook of the organization was turned off.',
    data: object({
      webhook: object({
        id,
        name: textOrNull,
        host: { ...text, description: 'The host of its URL.', example: 'hooks.example.com' },
        disabledReason: {
          type: 'string',
          enum: [...disabledReasons],
          description: 'As in the answers of the webhook.',
        },
      }),
    }),
  },
  'webhook.test': {
    description: 'A test, which a call asked for.',
    data: object({ webhook: object({ id }) }),
  },
};

/** An object; fields of `optional` may be absent. Each field is a copy: it gets the description of its name (`describeFields`). */
function object(fields: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema {
  const copies = Object.entries({ ...fields, ...optional }).map(([name, schema]) => [name, { ...schema }]);
  return { type: 'object', properties: Object.fromEntries(copies), required: Object.keys(fields) };
}

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
    const { description, data } = dataOfEvents[type];
    components.schemas[nameOfEvent(type)] = {
      description,
      ...object(
        {
          id: { ...id, description: 'Id of the event: the same in every attempt.' },
          type: { type: 'string', enum: [type], description: 'Type of the event.' },
          createdAt: { ...moment, description: 'When the event was written, UTC.' },
          data: { ...data, description: 'What happened.' },
        },
        {
          isTest: {
            type: 'boolean',
            description: 'true: a sample, which a call of testWebhook asked for; nothing happened. Absent otherwise.',
          },
        },
      ),
    };
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
    schema: text,
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
