import { z } from 'zod';
import { besideOthers, onlyBesideOthers, orDefault, name, readOnly } from '#core/lib/schemas.ts';
import { isObject } from '#core/lib/is-object.ts';
import { eventTypes } from '#core/webhooks/events.ts';
import { idSchema } from '#core/links/draft.ts';
import { webhookUrlSchema } from '#core/webhooks/url.ts';
import { reservedHeaderIssues, type WebhookHeaders, webhookHeadersSchema } from '#core/webhooks/headers.ts';
import { fastestPace } from '#core/webhooks/pace.ts';
import { mostScopeIds, scopeKinds } from '#core/webhooks/scope.ts';
import { disabledReasons } from '#core/webhooks/standing.ts';
import { cursorShape, eitherPageOrCursor, optionalInteger, pagingShape } from '#api/query.ts';
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
  .refine((scope) => scopeKinds.some((kind) => (scope[kind]?.length ?? 1) > 0), {
    message: 'must name something: null means no scope',
    ...besideOthers,
  })
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
  .meta({ id: 'Webhook', description: 'An endpoint of yours that gets events.' });

export type Webhook = z.output<typeof webhookSchema>;

export const webhookWithSecretSchema = webhookSchema
  .extend({
    secret: z.string().meta({
      description: 'Signs the deliveries. No later answer shows it.',
      example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
      'x-secret': true,
    }),
  })
  .meta({ id: 'WebhookWithSecret', description: 'A webhook with its secret, which no later answer shows.' });

export const webhookListSchema = cursorPageSchema(webhookSchema, 'WebhookPage', 'A page of webhooks.');

/** The query of GET /webhook/list; by default a page holds as many webhooks as a plan allows. */
export const webhookListQuerySchema = eitherPageOrCursor(
  z.strictObject({
    ...pagingShape,
    ...cursorShape,
    limit: optionalInteger(0, largestPage, largestPage),
  }),
);

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

const createShape = {
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
    .meta({ example: { Authorization: 'Bearer 5f0c7b' }, 'x-secret': true }),
  maxPerSecond: z
    .int()
    .min(1)
    .max(fastestPace)
    .nullable()
    .optional()
    .describe('The most requests that begin in any second; null: no limit but ten at a time.'),
};

/** Names reserved headers beside other wrong fields; alone they are named beside a URL that may not be called. */
function namingReserved<Schema extends z.ZodObject>(schema: Schema, signatureHeader: string): Schema {
  return schema.superRefine(({ headers }, context) => {
    if (headers !== null && !isObject(headers)) return;
    for (const { path, message } of reservedHeaderIssues(headers as WebhookHeaders | null, signatureHeader))
      context.addIssue({ code: 'custom', path, message });
  }, onlyBesideOthers);
}

export const createWebhookSchema = (signatureHeader: string) =>
  namingReserved(z.strictObject(createShape), signatureHeader).meta({
    id: 'CreateWebhook',
    description: 'A webhook to create.',
    example: { url: 'https://hooks.example.com/waymark', events: ['link.created', 'link.clicked'], name: 'CRM' },
  });

/** The body of PATCH /webhook/{id}: sent fields change; null clears the name. */
export const patchWebhookSchema = (signatureHeader: string) =>
  namingReserved(
    z.strictObject({
      url: createShape.url.optional(),
      events: orDefault(eventsSchema).describe('Types of events that the webhook gets; null: they stay.'),
      name: createShape.name,
      scope: createShape.scope,
      headers: createShape.headers.describe(
        'Replaces all headers; null removes them. A call that changes the host of the URL must send them again.',
      ),
      maxPerSecond: createShape.maxPerSecond,
      isPaused: z
        .boolean()
        .optional()
        .describe('true: its deliveries are made and wait, for the 30 days that they are kept. false: they are sent.'),
      isActive: z.boolean().optional().describe('Turning it on resets its failures, and sends no missed event.'),
      ...readOnly(
        'id',
        'organizationId',
        'headerNames',
        'consecutiveFailures',
        'lastFailureAt',
        'disabledAt',
        'disabledReason',
        'createdAt',
        'updatedAt',
      ),
    }),
    signatureHeader,
  ).meta({
    id: 'UpdateWebhook',
    description: 'Changes of a webhook: fields that are absent stay, null clears the name.',
    example: { events: ['link.clicked'], isActive: true },
  });
