import { z } from 'zod';
import { besideOthers } from '#core/lib/schemas.ts';
import { deliveredTypes, eventTypes, testEventType } from '#core/webhooks/events.ts';
import { idSchema } from '#core/links/draft.ts';
import { sinceProblem } from '#commands/webhooks/sends.ts';
import { attemptErrorCodes, deliveryStatuses } from '#core/webhooks/standing.ts';
import {
  cursorShape,
  eitherPageOrCursor,
  inOrder,
  integerSchema,
  momentQuerySchema,
  optionalInteger,
  pagingShape,
} from '#api/query.ts';
import { cursorPageSchema, momentSchema } from '#api/schemas.ts';

const id = z.guid();

export const deliveryParamsSchema = z.strictObject({ id: idSchema, deliveryId: idSchema });

const errorCode = z
  .enum(attemptErrorCodes)
  .nullable()
  .describe(
    'The kind of `error`: `refused-address` (not public), `dns` (the name has no address), `connect` (refused, unreachable, reset or closed), `tls`, `timeout`, `protocol` (no valid HTTP), `other`; null where `error` is.',
  )
  .meta({ example: 'connect' });

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
    error: z
      .string()
      .nullable()
      .describe('Why the last attempt got no answer; null if it got one, and before the first attempt.')
      .meta({ example: 'The connection was refused (ECONNREFUSED).' }),
    errorCode,
    attempts: z.int().describe('Number of attempts.').meta({ example: 2 }),
    createdAt: momentSchema,
    nextAttemptAt: momentSchema.nullable().describe('When the next attempt is due; null unless pending.'),
  })
  .meta({ id: 'WebhookDelivery', description: 'An event on its way to a webhook.' });

export type Delivery = z.output<typeof deliverySchema>;

export const attemptSchema = z.strictObject({
  at: momentSchema.describe('When the attempt began.'),
  code: z.int().nullable().describe('The status of the answer; null without an answer.').meta({ example: 503 }),
  durationMs: z.int().meta({ example: 184 }),
  body: z.string().nullable().describe('The first 4 KiB of the answer.'),
  error: z.string().nullable().describe('Why there was no answer; null if there was one.'),
  errorCode,
});

export const deliveryDetailSchema = deliverySchema
  .extend({
    body: z.string().meta({
      description: 'The body that is sent: the same bytes in every attempt.',
      example:
        '{"id":"0195a1f0-6c1e-7c39-9a55-3f0d0f6f7c11","type":"link.deleted","createdAt":"2026-03-14T15:09:26.535Z","data":{"link":{"id":"0195a1ef-9c0b-7a41-8f8e-0d6a5b1b7e02","slug":"spring-sale","deletedAt":"2026-03-14T15:09:26.535Z"}}}',
    }),
    attempts: z.array(attemptSchema).describe('The earliest attempt first.'),
    attemptsAhead: z
      .array(momentSchema)
      .describe(
        'When further attempts follow, where each of them fails: the first is nextAttemptAt, the others are about then. Empty unless pending.',
      ),
  })
  .meta({ id: 'WebhookDeliveryDetail', description: 'A delivery with the body of its event and every attempt.' });

export type DeliveryDetail = z.output<typeof deliveryDetailSchema>;

export const deliveryListSchema = cursorPageSchema(deliverySchema, 'DeliveryPage', 'A page of deliveries.');

export const deliveryListQuerySchema = eitherPageOrCursor(
  inOrder(
    z.strictObject({
      status: z.enum(deliveryStatuses).optional(),
      type: z.enum(deliveredTypes).optional(),
      eventId: idSchema.optional().describe('The delivery of this event.'),
      linkId: idSchema.optional().describe('Deliveries of events about this link, a deleted one too.'),
      code: integerSchema(100, 599).optional().describe('The status of the last answer.'),
      since: momentQuerySchema.optional().describe('Deliveries made at this moment or later.'),
      until: momentQuerySchema.optional().describe('Deliveries made before this moment.'),
      ...pagingShape,
      ...cursorShape,
    }),
    [['since', 'until']],
  ),
);

const mostEvents = 100;

export const eventListQuerySchema = (clock: () => Date) =>
  z
    .strictObject({
      cursor: cursorShape.cursor.describe('The nextCursor of the earlier answer.'),
      since: momentQuerySchema
        .refine((since) => since <= clock(), 'must not be in the future')
        .optional()
        .describe(
          'Events that happened at this moment or later; all stored ones where it is omitted. Only without a cursor.',
        ),
      type: z.enum(eventTypes).optional().describe('All types when omitted.'),
      limit: optionalInteger(1, mostEvents, mostEvents),
    })
    .refine(({ cursor, since }) => cursor === undefined || since === undefined, {
      path: ['since'],
      message: 'cannot be given with cursor',
      ...besideOthers,
    });

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
    description: 'A page of events, the earliest first.',
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

export const recoverBodySchema = (clock: () => Date) =>
  z
    .strictObject({
      since: momentQuerySchema.describe('At most 30 days back.').superRefine((since, context) => {
        const message = sinceProblem(since, clock());
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      }),
    })
    .meta({ example: { since: '2026-03-14T15:09:26.535Z' } });

export const recoverySchema = z
  .strictObject({
    since: momentSchema.describe('Start of the range; not earlier than the creation of the webhook.'),
    until: momentSchema,
  })
  .meta({ id: 'WebhookRecovery', description: 'The time of which events were sent again.' });
