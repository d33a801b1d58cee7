import { z } from 'zod';
import { orDefault } from '#core/lib/null-as-default.ts';
import { deliveredTypes, eventTypes, testEventType } from '#core/webhooks/events.ts';
import { idSchema } from '#core/links/draft.ts';
import { name } from '#core/lib/text.ts';
import { webhookUrlSchema } from '#core/webhooks/url.ts';
import { webhookHeadersSchema } from '#core/webhooks/headers.ts';
import { fastestPace } from '#core/webhooks/pace.ts';
import { mostScopeIds, scopeKinds } from '#core/webhooks/scope.ts';
import { deliveryStatuses, disabledReasons } from '#core/webhooks/standing.ts';
import { cursorShape, integerSchema, optionalInteger, pagingShape } from '#api/query.ts';
import { cursorPageSchema, momentSchema } from '#api/schemas.ts';

const id = z.guid();
const longestName = 255;
const largestPage = 50;

const scopeIds = (description: string) =>
  z
    .array(idSchema)
    .max(mostScopeIds)
    // Removes repetitions.
    .overwrite((ids) => [...new Set(ids)])
    .nullable()
    .transform((ids) => ids ?? [])
    .default([])
    .meta({ 'x-default': [], description });

const scopeSchema = z
  .strictObject({
    folderIds: scopeIds('Links in one of these folders.'),
    tagIds: scopeIds('Links with one of these tags.'),
    domainIds: scopeIds('Links on one of these domains, and events of these domains.'),
    linkIds: scopeIds('These links.'),
  })
  .refine((scope) => scopeKinds.some((kind) => scope[kind].length > 0), 'must name something: null means no scope')
  .meta({ example: { folderIds: ['0195a1ef-9c0b-7a41-8f8e-0d6a5b1b7e02'] } });

const describeScope =
  'The events that the webhook gets: those of links in one of the folders, with one of the tags, on one of the domains, and of these links. null: all.';

export const webhookSchema = z
  .strictObject({
    id,
    organizationId: id,
    name: z.string().nullable().meta({ example: 'CRM' }),
    url: z.string().meta({ example: 'https://hooks.example.com/waymark' }),
    events: z.array(z.enum(eventTypes)).meta({ example: ['link.created', 'link.clicked'] }),
    scope: z
      .strictObject({
        folderIds: z.array(id).describe('Links in one of these folders.'),
        tagIds: z.array(id).describe('Links with one of these tags.'),
        domainIds: z.array(id).describe('Links on one of these domains, and events of these domains.'),
        linkIds: z.array(id).describe('These links.'),
      })
      .nullable()
      .describe(`${describeScope} Ids of things that were deleted stay, and match nothing more.`),
    headerNames: z
      .array(z.string())
      .describe('The names of the headers that every request has. No answer shows their values.')
      .meta({ example: ['Authorization'] }),
    maxPerSecond: z
      .int()
      .nullable()
      .describe('The most requests that begin in any second; null: no limit but ten at a time.')
      .meta({ example: 20 }),
    isActive: z.boolean().describe('Whether it gets events.'),
    isPaused: z.boolean().describe('Whether its deliveries wait until it is resumed.'),
    consecutiveFailures: z.int().describe('Failed attempts since the last 2xx. At 18 the webhook is turned off.'),
    lastFailureAt: momentSchema.nullable(),
    disabledAt: momentSchema.nullable(),
    disabledReason: z
      .enum(disabledReasons)
      .nullable()
      .describe(
        'Why the webhook is off; null while it is on. consecutive_failures: 18 attempts in a row failed. gone: the endpoint answered 410. turned_off: a user turned it off.',
      ),
    createdAt: momentSchema,
    updatedAt: momentSchema,
  })
  .meta({ id: 'Webhook' });

/** A webhook as clients receive it. */
export type Webhook = z.output<typeof webhookSchema>;

/** A webhook with its secret. */
export const webhookWithSecretSchema = webhookSchema
  .extend({
    secret: z.string().meta({
      description: 'Signs the deliveries. No later answer shows it.',
      example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    }),
  })
  .meta({ id: 'WebhookWithSecret' });

/** A page of webhooks. */
export const webhookListSchema = cursorPageSchema(webhookSchema, 'WebhookPage');

/** The query of GET /webhook/list; by default a page holds as many webhooks as a plan allows. */
export const webhookListQuerySchema = z.strictObject({
  ...pagingShape,
  ...cursorShape,
  limit: optionalInteger(0, largestPage, largestPage),
});

/** The answer of GET /webhook/{id}/outlook. */
export const webhookOutlookSchema = z
  .strictObject({
    state: z
      .enum(['well', 'retrying', 'failing', 'paused', 'off'])
      .describe(
        '`retrying`: its last attempt failed, and deliveries wait for their next one; `failing`: ten attempts in a row failed, and single probes are sent until one succeeds.',
      ),
    waiting: z.int().describe('Deliveries that wait for an attempt.'),
    held: z.int().describe('Deliveries that were pending when it was turned off: recover and redeliver send them.'),
    nextAttemptAt: momentSchema
      .nullable()
      .describe('When the next delivery is due; null: none waits, or it is off or paused.'),
    failingSince: momentSchema.nullable().describe('Since when it is failing; null: it is not.'),
    nextProbeAt: momentSchema.nullable().describe('When a failing webhook is tried next; null: it is not failing.'),
    failuresUntilOff: z
      .int()
      .nullable()
      .describe('After how many more failures in a row it is turned off; null: it is off.'),
    lastFailure: z
      .strictObject({
        at: momentSchema.describe('When the attempt began.'),
        code: z.int().nullable().describe('The status of the answer; null without an answer.'),
        error: z.string().nullable().describe('Why there was no answer; null if there was one.'),
        body: z.string().nullable().describe('The beginning of the answer.'),
      })
      .nullable()
      .describe('The last attempt that failed; null: none has.'),
    oldSecretUntil: momentSchema
      .nullable()
      .describe('Until when the secret before the last rotation signs too; null: it does not.'),
    day: z
      .strictObject({
        delivered: z.int().describe('Delivered.'),
        failed: z.int().describe('Failed in all attempts.'),
      })
      .describe('Deliveries that were made in the last 24 hours.'),
  })
  .meta({
    id: 'WebhookOutlook',
    description: 'How a webhook does, and what comes next. Of its deliveries the latest 100,000 are counted.',
    example: {
      state: 'retrying',
      waiting: 3,
      held: 0,
      nextAttemptAt: '2026-03-14T15:11:26.535Z',
      failingSince: null,
      nextProbeAt: null,
      failuresUntilOff: 15,
      lastFailure: { at: '2026-03-14T15:09:26.535Z', code: 503, error: null, body: 'Service Unavailable' },
      oldSecretUntil: null,
      day: { delivered: 211, failed: 0 },
    },
  });

export type WebhookOutlook = z.output<typeof webhookOutlookSchema>;

const eventsSchema = z
  .array(z.enum(eventTypes))
  .min(1)
  .max(100)
  // Removes repetitions.
  .overwrite((events) => [...new Set(events)]);

/** The body of POST /webhook. */
export const createWebhookSchema = z
  .strictObject({
    url: webhookUrlSchema.describe('An https URL that leads to a public address.'),
    events: eventsSchema,
    name: name(longestName).nullable().optional(),
    scope: scopeSchema.nullable().optional().describe(describeScope),
    headers: webhookHeadersSchema
      .nullable()
      .optional()
      .describe(
        'Headers that every request has, up to 10, such as Authorization. Stored encrypted: answers show their names alone. null: none. Names that the requests use themselves are refused.',
      )
      .meta({ example: { Authorization: 'Bearer 5f0c7b' } }),
    maxPerSecond: z
      .int()
      .min(1)
      .max(fastestPace)
      .nullable()
      .optional()
      .describe('The most requests that begin in any second; null: no limit but ten at a time.'),
  })
  .meta({
    id: 'CreateWebhook',
    example: { url: 'https://hooks.example.com/waymark', events: ['link.created', 'link.clicked'], name: 'CRM' },
  });

// Clients may send back an answer of GET: the fields that they cannot change are ignored.
const readOnly = z.unknown().optional().describe('Read-only: ignored when sent.');

/** The body of PATCH /webhook/{id}: sent fields change; null clears the name. */
export const patchWebhookSchema = z
  .strictObject({
    url: createWebhookSchema.shape.url.optional(),
    events: orDefault(eventsSchema).describe('Types of events that the webhook gets; null: they stay.'),
    name: createWebhookSchema.shape.name,
    scope: createWebhookSchema.shape.scope,
    headers: createWebhookSchema.shape.headers.describe(
      'Replaces all headers; null removes them. A call that changes the host of the URL must send them again.',
    ),
    maxPerSecond: createWebhookSchema.shape.maxPerSecond,
    isPaused: z
      .boolean()
      .optional()
      .describe('true: its deliveries are made and wait, for the 30 days that they are kept. false: they are sent.'),
    isActive: z.boolean().optional().describe('Turning it on resets its failures, and sends no missed event.'),
    id: readOnly,
    organizationId: readOnly,
    headerNames: readOnly,
    consecutiveFailures: readOnly,
    lastFailureAt: readOnly,
    disabledAt: readOnly,
    disabledReason: readOnly,
    createdAt: readOnly,
    updatedAt: readOnly,
  })
  .meta({ id: 'UpdateWebhook', example: { events: ['link.clicked'], isActive: true } });

/** `{id}` and `{deliveryId}` in a path. */
export const deliveryParamsSchema = z.strictObject({ id: idSchema, deliveryId: idSchema });

/** A delivery of an event to a webhook. */
export const deliverySchema = z
  .strictObject({
    id,
    eventId: id.describe('The id of the event: the same in every attempt.'),
    type: z.enum(deliveredTypes),
    status: z
      .enum(deliveryStatuses)
      .describe('held: the webhook was turned off before it was delivered; recover and redeliver send it.'),
    responseCode: z
      .int()
      .nullable()
      .describe('The status of the last answer; null without an answer.')
      .meta({ example: 503 }),
    attempts: z.int().describe('Number of attempts.').meta({ example: 2 }),
    createdAt: momentSchema,
    nextAttemptAt: momentSchema.nullable().describe('When the next attempt is due; null unless pending.'),
  })
  .meta({ id: 'WebhookDelivery' });

/** A delivery as clients receive it. */
export type Delivery = z.output<typeof deliverySchema>;

/** A delivery with the body of its event and every attempt. */
export const deliveryDetailSchema = deliverySchema
  .extend({
    body: z.string().meta({
      description: 'The body that is sent: the same bytes in every attempt.',
      example:
        '{"id":"0195a1f0-6c1e-7c39-9a55-3f0d0f6f7c11","type":"link.deleted","createdAt":"2026-03-14T15:09:26.535Z","data":{"link":{"id":"0195a1ef-9c0b-7a41-8f8e-0d6a5b1b7e02","slug":"spring-sale","deletedAt":"2026-03-14T15:09:26.535Z"}}}',
    }),
    attempts: z
      .array(
        z.strictObject({
          at: momentSchema.describe('When the attempt began.'),
          code: z.int().nullable().describe('The status of the answer; null without an answer.').meta({ example: 503 }),
          durationMs: z.int().meta({ example: 184 }),
          body: z.string().nullable().describe('The first 4 KiB of the answer.'),
          error: z.string().nullable().describe('Why there was no answer; null if there was one.'),
        }),
      )
      .describe('The earliest attempt first.'),
  })
  .meta({ id: 'WebhookDeliveryDetail' });

/** A delivery with its attempts, as clients receive it. */
export type DeliveryDetail = z.output<typeof deliveryDetailSchema>;

/** A page of deliveries. */
export const deliveryListSchema = cursorPageSchema(deliverySchema, 'DeliveryPage');

/** A moment as clients send it, with any offset from UTC. */
const momentQuerySchema = z.iso.datetime({ offset: true }).transform((moment) => new Date(moment));

/** The query of GET /webhook/{id}/deliveries. */
export const deliveryListQuerySchema = z.strictObject({
  status: z.enum(deliveryStatuses).optional(),
  type: z.enum(deliveredTypes).optional(),
  eventId: idSchema.optional().describe('The delivery of this event.'),
  linkId: idSchema.optional().describe('Deliveries of events about this link, a deleted one too.'),
  code: integerSchema(100, 599).optional().describe('The status of the last answer.'),
  since: momentQuerySchema.optional().describe('Deliveries made at this moment or later.'),
  until: momentQuerySchema.optional().describe('Deliveries made before this moment.'),
  ...pagingShape,
  ...cursorShape,
});

const mostEvents = 100;

/** The query of GET /events. */
export const eventListQuerySchema = z.strictObject({
  cursor: z.string().max(200).optional().describe('The nextCursor of the earlier answer.'),
  since: momentQuerySchema
    .optional()
    .describe('Without a cursor: events that happened at this moment or later. When omitted: all that are kept.'),
  type: z.enum(eventTypes).optional().describe('All types when omitted.'),
  limit: optionalInteger(1, mostEvents, mostEvents),
});

/** The answer of GET /events. */
export const eventListSchema = z
  .strictObject({
    data: z.array(
      z.strictObject({
        id: z.string().describe('The same as in webhooks.'),
        type: z.enum(eventTypes),
        createdAt: momentSchema,
        data: z.looseObject({}).describe('As in webhooks; its fields depend on the type.'),
      }),
    ),
    nextCursor: z.string().describe('For the next call, also when there are no more events yet.'),
    hasMore: z.boolean().describe('Whether further events are there already.'),
  })
  .meta({
    id: 'EventPage',
    example: {
      data: [
        {
          id: '0195a1f0-6c1e-7c39-9a55-3f0d0f6f7c11',
          type: 'link.deleted',
          createdAt: '2026-03-14T15:09:26.535Z',
          data: {
            link: {
              id: '0195a1ef-9c0b-7a41-8f8e-0d6a5b1b7e02',
              slug: 'spring-sale',
              deletedAt: '2026-03-14T15:09:26.535Z',
            },
          },
        },
      ],
      nextCursor: 'MTc3MzUwMDk2NjUzNSAwMDAwMDAwMC0wMDAwLTAwMDAtMDAwMC0wMDAwMDAwMDAwMDA',
      hasMore: false,
    },
  });

/** A page of events. */
export type EventsPage = z.output<typeof eventListSchema>;

/** The body of POST /webhook/{id}/test; none: `webhook.test`. */
export const testBodySchema = z
  .strictObject({
    type: z
      .enum(deliveredTypes)
      .nullable()
      .transform((type) => type ?? testEventType)
      .default(testEventType)
      .describe(
        'The type of the sample to send: any type, whatever the webhook subscribes to. webhook.test when omitted.',
      )
      .meta({ 'x-default': testEventType }),
  })
  .prefault({})
  .meta({ example: { type: 'link.created' } });

/** The body of POST /webhook/{id}/recover. */
export const recoverBodySchema = z
  .strictObject({ since: momentQuerySchema.describe('At most 30 days back.') })
  .meta({ example: { since: '2026-03-14T15:09:26.535Z' } });

/** The answer to POST /webhook/{id}/recover: the range of the recovery. */
export const recoverySchema = z
  .strictObject({
    since: momentSchema.describe('Start of the range; not earlier than the creation of the webhook.'),
    until: momentSchema,
  })
  .meta({ id: 'WebhookRecovery' });
