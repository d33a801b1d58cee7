import * as z from 'zod';
import { importFormats } from '#core/imports/formats.ts';
import { destinationTypes } from '#core/links/destination.ts';
import { clickedFields, type DeliveredType } from './events.ts';
import { disabledReasons } from './standing.ts';

const text = z.string();
const textOrNull = z.string().nullable();
const id = z.string().meta({ format: 'uuid' });
const moment = z.string().meta({ format: 'date-time', example: '2026-03-14T15:09:26.535Z' });
const count = z.number().meta({ type: 'integer' });
const threatTypes = z.array(text);

const slug = text;
const shortUrl = text.meta({
  description: 'The address that visitors open.',
  example: 'https://go.example.com/spring-sale',
});
const destination = z.object({
  type: z.enum(destinationTypes),
  value: text,
  threatTypes: threatTypes.optional().describe('Present where a scan has changed the verdict: [] without threats.'),
});
const link = { id, slug, shortUrl, destination };
const domain = z
  .object({ id, domain: text.meta({ example: 'go.example.com' }), isVerified: z.boolean() })
  .describe('The domain.');
const clicked = Object.fromEntries(clickedFields.map((name) => [name, textOrNull])) as Record<
  (typeof clickedFields)[number],
  typeof textOrNull
>;

/** `data` of each type of event, as docs/webhook-events.md shows it; described by what happened. */
export const eventData = {
  'link.created': z.object({ link: z.object({ ...link, createdAt: moment }) }).describe('A short link was created.'),
  'link.updated': z
    .object({
      link: z.object({ ...link, updatedAt: moment }),
      previous: z
        .record(z.string(), z.unknown())
        .meta({ additionalProperties: true, description: 'The changed fields with their earlier values.' }),
    })
    .describe('A short link was changed, or a scan changed the verdict of its destination.'),
  'link.deleted': z
    .object({ link: z.object({ id, slug, deletedAt: moment.describe('When the link was deleted, UTC.') }) })
    .describe('A short link was deleted.'),
  'link.clicked': z
    .object({
      link: z.object({ id, slug, shortUrl }),
      click: z.object({
        ...clicked,
        destination: textOrNull.describe('Where the visitor was sent.'),
        isQrCode: z.boolean(),
        clickedAt: moment,
      }),
    })
    .describe('A visitor opened a short link.'),
  'link.flagged': z
    .object({ link: z.object(link), threatTypes: threatTypes.describe('The new threats.') })
    .describe('A scan found threats at an address of a short link.'),
  'link.expired': z
    .object({ link: z.object({ id, slug, shortUrl, expiresAt: moment.describe('The end, UTC.') }) })
    .describe('The end of a short link has passed.'),
  'link.capped': z
    .object({
      link: z.object({
        id,
        slug,
        shortUrl,
        maxClicks: count.describe('The cap.'),
        clicks: count.describe('Clicks so far; may exceed a cap that a call has lowered.'),
      }),
    })
    .describe('The clicks of a short link have reached its cap.'),
  'domain.verified': z.object({ domain }).describe('A domain was verified: its links work.'),
  'domain.lost': z
    .object({ domain })
    .describe('A verified domain no longer has its DNS records: its links do not work.'),
  'import.completed': z
    .object({
      import: z
        .object({
          id,
          format: z.enum(importFormats).describe('The form of the file.'),
          state: z
            .enum(['completed', 'failed', 'cancelled'])
            .describe('failed and cancelled: it was ended before its last row.'),
          total: count.describe('Rows of the file.'),
          imported: count,
          skipped: count.describe('Rows whose link was there already.'),
          failed: count,
          notMade: count.describe('The last rows, which the import ended before.'),
          createdAt: moment,
          finishedAt: moment.describe('When it ended, UTC.'),
        })
        .describe('The import.'),
    })
    .describe('An import of links ended.'),
  'webhook.disabled': z
    .object({
      webhook: z.object({
        id,
        name: textOrNull,
        host: text.meta({ description: 'The host of its URL.', example: 'hooks.example.com' }),
        disabledReason: z.enum(disabledReasons).describe('As in the answers of the webhook.'),
      }),
    })
    .describe('Another webhook of the organization was turned off.'),
  'webhook.test': z.object({ webhook: z.object({ id }) }).describe('A test, which a call asked for.'),
} satisfies Record<DeliveredType, z.ZodType>;

export type EventData<Type extends DeliveredType> = z.input<(typeof eventData)[Type]>;

/** An event of a type as webhooks get it. */
export const eventSchema = (type: DeliveredType) =>
  z.object({
    id: id.describe('Id of the event: the same in every attempt.'),
    type: z.enum([type]).describe('Type of the event.'),
    createdAt: moment.describe('When the event was written, UTC.'),
    data: eventData[type].describe('What happened.'),
    isTest: z
      .boolean()
      .optional()
      .describe('true: a sample, which a call of testWebhook asked for; nothing happened. Absent otherwise.'),
  });
