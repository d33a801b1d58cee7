import { z } from 'zod';
import { destinationTypes } from '#core/links/destination.ts';
import { createLinkSchema, idSchema, linkFields, osTypes } from '#core/links/draft.ts';
import { answerShape } from '#core/links/fields.ts';
import { isObject } from '#core/lib/is-object.ts';
import { nullAsDefault } from '#core/lib/null-as-default.ts';
import { linkWarningCodes } from '#core/links/warnings/link-warnings.ts';
import { patchLinkSchema, upsertLinkSchema } from '#core/links/patch.ts';
import { qrOptionsSchema } from '#core/links/qr-code.ts';
import { text } from '#core/lib/text.ts';
import { threatTypes } from '#core/threats/types.ts';
import { csvQueryShape } from '#api/csv.ts';
import { linkSorts, linkStates } from '#db/links/list.ts';
import {
  cursorShape,
  idListSchema,
  filterShape,
  flagSchema,
  momentQuerySchema,
  pagingShape,
  searchSchema,
  textListSchema,
} from '#api/query.ts';
import { momentSchema, nextCursorSchema, takenDownSchema } from '#api/schemas.ts';

const id = z.guid();

/** A domain as links and lists hold it. */
export const domainSummarySchema = z
  .strictObject({
    id,
    domain: z.string(),
    isPrimary: z.boolean(),
    isVerified: z.boolean(),
    createdAt: momentSchema.nullable().describe('Null for a platform domain.'),
  })
  .meta({ id: 'DomainSummary' });

const destinationSchema = z
  .strictObject({
    type: z.enum(destinationTypes),
    value: z.string(),
    threatTypes: z.array(z.enum(threatTypes)).nullable().describe('[] without threats, null without a verdict.'),
    enableDeepLinking: z.boolean(),
    iosDeepLink: z.string().nullable(),
    androidDeepLink: z.string().nullable(),
  })
  .meta({ id: 'Destination' });

const ruleSchema = z
  .strictObject({
    id,
    priority: z.number(),
    countries: z.array(z.string()).nullable(),
    languages: z.array(z.string()).nullable(),
    osTypes: z.array(z.enum(osTypes)).nullable(),
    destination: destinationSchema,
  })
  .meta({ id: 'Rule' });

const metaTagsSchema = z
  .strictObject({
    title: z.string().nullable(),
    description: z.string().nullable(),
    imageId: id.nullable(),
    image: z.strictObject({ id, key: z.string() }).nullable(),
  })
  .meta({ id: 'MetaTags' });

const plainAnswers = answerShape({
  text: z.string().nullable(),
  flag: z.boolean(),
  moment: momentSchema.nullable(),
  count: z.int().nullable(),
});

const tagRefSchema = z.strictObject({ id, name: z.string(), color: z.string() }).meta({ id: 'TagRef' });
const folderRefSchema = z.strictObject({ id, name: z.string(), color: z.string() }).meta({ id: 'FolderRef' });

const linkWarningSchema = z
  .strictObject({
    path: z.string().describe('Dotted path of the field, as in the issues of an error.'),
    code: z.enum(linkWarningCodes).describe('Later versions may have more codes.'),
    message: z.string(),
  })
  .meta({ id: 'LinkWarning' });

/** A short link in its full shape. */
export const shortLinkSchema = z
  .strictObject({
    id,
    organizationId: id,
    domainId: id,
    domain: domainSummarySchema,
    folderId: id,
    folder: folderRefSchema,
    slug: z.string(),
    originUrl: z.string(),
    destination: destinationSchema,
    destinationId: id,
    rules: z.array(ruleSchema).describe('In the order in which they are evaluated.'),
    qrCode: z.strictObject({ options: qrOptionsSchema, imageId: id.nullable() }).nullable(),
    qrCodeId: id.nullable(),
    metaTags: metaTagsSchema,
    tags: z.array(tagRefSchema),
    ...plainAnswers,
    currentClicks: z.int(),
    lastClickedAt: momentSchema
      .nullable()
      .describe('The latest click; null without one. A click arrives some seconds after the visit.'),
    hasPassword: z.boolean(),
    takenDown: takenDownSchema
      .nullable()
      .describe('Set: the operator has taken it down, and it cannot be turned on; null: it has not.'),
    createdAt: momentSchema,
    updatedAt: momentSchema,
    warnings: z
      .array(linkWarningSchema)
      .optional()
      .describe('Settings of the link that turned out to have no effect; absent without warnings.'),
  })
  .meta({ id: 'ShortLink' });

/** A short link as clients receive it. */
export type ShortLink = z.output<typeof shortLinkSchema>;

/** A short link in the answer of a call that creates or changes it. */
export const changedLinkSchema = shortLinkSchema
  .extend({
    warnings: z
      .array(linkWarningSchema)
      .optional()
      .describe(
        'Settings of the link that have no effect in this installation, and styles of its QR code that some scanners cannot read; absent without warnings.',
      ),
  })
  .meta({ id: 'ChangedShortLink' });

export type ChangedLink = z.output<typeof changedLinkSchema>;

const alwaysListed = {
  id: true,
  isActive: true,
  isArchived: true,
  slug: true,
  originUrl: true,
  title: true,
  externalId: true,
  expiresAt: true,
  maxClicks: true,
  hasPassword: true,
  takenDown: true,
  currentClicks: true,
  lastClickedAt: true,
  destination: true,
  domain: true,
  folder: true,
  tags: true,
  createdAt: true,
  updatedAt: true,
} as const;

/** A short link in lists; with `view=full` it has every field of a short link. One shape, so that generated clients have one class. */
const linkItemSchema = z
  .strictObject({
    ...shortLinkSchema.pick(alwaysListed).shape,
    ...shortLinkSchema.omit(alwaysListed).partial().shape,
    qrCode: shortLinkSchema.shape.qrCode.optional().describe('Only with withQrCodeTemplate or view=full.'),
  })
  .meta({ id: 'ShortLinkItem' });

/** A short link in lists, as clients receive it. */
export type ShortLinkItem = z.output<typeof linkItemSchema>;

/** A page of links. */
export const linkListSchema = z
  .strictObject({
    count: z.int().describe('How many match, on all pages.'),
    data: z.array(linkItemSchema),
    nextCursor: nextCursorSchema,
  })
  .meta({ id: 'ShortLinkPage' });

/** How many links match. */
export const linkCountSchema = z.strictObject({ count: z.int() });

/** The answer of GET /short-link/counts. */
export const linkCountsSchema = z
  .strictObject({
    data: z
      .array(
        z.strictObject({
          state: z
            .enum(linkStates)
            .describe('The first of these that applies: archived, inactive, expired, capped, active.'),
          count: z.int().describe('How many links have it.'),
        }),
      )
      .describe('Every state, also those without links.'),
  })
  .meta({
    id: 'LinkCounts',
    description: 'Numbers of links by their state.',
    example: { data: linkStates.map((state, index) => ({ state, count: index })) },
  });

const several = 'several with the name repeated.';

const ends = {
  since: (what: string) => momentQuerySchema.describe(`${what} at this moment or later.`),
  until: (what: string) => momentQuerySchema.describe(`${what} before this moment.`),
};
const rangeShape = {
  createdSince: ends.since('Created'),
  createdUntil: ends.until('Created'),
  updatedSince: ends.since('Changed'),
  updatedUntil: ends.until('Changed'),
  expiresSince: ends.since('With expiresAt'),
  expiresUntil: ends.until('With expiresAt'),
  clickedSince: ends.since('With the latest click'),
  clickedUntil: ends.until('With the latest click'),
};

/** The query of GET /short-link/count. */
export const countQuerySchema = z.strictObject({
  ...filterShape,
  ids: idListSchema,
  domainNames: textListSchema(text({ min: 1, max: 255 })).meta({ description: `Names of domains: ${several}` }),
  tagNames: textListSchema(text({ min: 1, max: 255 })).meta({
    description: `Names of tags, without regard to case: ${several} Of a name with a comma, use the id.`,
  }),
  externalIds: textListSchema(text({ min: 1, max: 255 })).meta({
    description: `${several} One with a comma is found by GET /short-link/lookup.`,
  }),
  destinationHosts: textListSchema(text({ min: 1, max: 255 })).meta({
    description: `Host names of destinations, without those of rules: ${several}`,
    example: 'example.com',
  }),
  states: textListSchema(z.enum(linkStates)).meta({
    description: `The first that applies to a link of archived, inactive, expired, capped (maxClicks reached) and active: ${several}`,
    example: 'expired,capped',
  }),
  isArchived: flagSchema
    .optional()
    .describe('true: archived links alone. Without it they are left out, unless states names archived.'),
  ...rangeShape,
  search: searchSchema.describe('Matches slug, short URL, destination, title and notes.'),
});

/** The query of GET /short-link/counts. */
export const countsQuerySchema = countQuerySchema
  .omit({ states: true })
  .extend({ by: z.enum(['state']).default('state').describe('What the links are counted by.') });

/** The query of GET /short-link/list. */
export const listQuerySchema = countQuerySchema.extend({
  withQrCodeTemplate: flagSchema.optional(),
  view: z
    .enum(['short', 'full'])
    .default('short')
    .describe('full: each row has every field of GET /short-link/{id}. short when omitted.'),
  ...pagingShape,
  sortBy: z
    .enum(linkSorts)
    .default('createdAt')
    .describe(
      'createdAt when omitted. Links without clicks count as clicked before all others, links without an end as ending after all others.',
    ),
  sortOrder: z.enum(['asc', 'desc']).default('desc').describe('desc when omitted.'),
  ...cursorShape,
});

/** The query of GET /short-link/lookup. */
export const lookupQuerySchema = z.strictObject({
  domain: text({ min: 1, max: 255 }).optional().describe('Domain name; with slug.'),
  slug: text({ min: 1, max: 255 }).optional().describe('With domain.'),
  externalId: text({ min: 1, max: 255 }).optional(),
  url: text({ min: 1, max: 8_192 }).optional().describe('A short URL, or a destination.'),
});

/** The query of GET /short-link/export. */
export const exportQuerySchema = countQuerySchema.extend(csvQueryShape);

/** The answer of a delete. */
export const deletedSchema = z.strictObject({ rowCount: z.int() });

/** The body of PATCH /short-link/{id}. */
export const patchBodySchema = patchLinkSchema.meta({
  id: 'UpdateShortLink',
  example: { title: 'Spring sale', expiresAt: '2030-12-31T23:59:59.000Z' },
});

/** The body of POST /short-link/{id}/duplicate. */
export const duplicateBodySchema = z
  .strictObject(nullAsDefault({ slug: linkFields.slug }))
  .meta({ id: 'DuplicateShortLink', example: { slug: 'spring-sale-2' } });

/** The body of POST /short-link/{id}/move. */
export const moveBodySchema = z
  .strictObject(
    nullAsDefault({
      domain: text({ min: 1, max: 255 }).describe('Name of a domain of yours, or of the platform.'),
      slug: linkFields.slug.describe('The slug stays when omitted.'),
    }),
  )
  .meta({ id: 'MoveShortLink', example: { domain: 'go.example.com', slug: 'spring-sale' } });

/** The body of PUT /short-link/upsert: known by externalId, else by domain and slug. */
export const upsertBodySchema = upsertLinkSchema
  .refine((link) => (link.externalId ?? null) !== null || link.slug !== undefined, {
    message: 'is required where there is no externalId',
    path: ['slug'],
    when: ({ value }) => isObject(value),
  })
  .meta({
    id: 'UpsertShortLink',
    example: { externalId: 'crm-4711', destination: { type: 'link', value: 'https://example.com/offer' } },
  });

/**
 * The body of POST /short-link. The command compares `expiresAt` with the clock too; checked here, the issue is listed together
 * with all others (1.2).
 */
export function createBodySchema(clock: () => Date) {
  return createLinkSchema
    .extend({
      expiresAt: createLinkSchema.shape.expiresAt.refine(
        (moment) => !moment || moment > clock(),
        'must be in the future',
      ),
    })
    .meta({
      id: 'CreateShortLink',
      example: {
        destination: { type: 'link', value: 'https://example.com/spring?ref=mail' },
        slug: 'spring-sale',
        tags: ['campaign'],
        utmSource: 'newsletter',
        expiresAt: '2030-12-31T23:59:59.000Z',
      },
    });
}

const issueSchema = z.strictObject({
  path: z.string().describe('The field, as in `issues` of an error.'),
  message: z.string().describe('What is wrong with it.'),
});

/** The body of POST /short-link/check. */
export const checkBodySchema = z
  .strictObject({
    ...nullAsDefault({
      id: idSchema.optional().describe('A short link that would be changed; without it one would be made.'),
    }),
    link: z
      .record(z.string(), z.unknown())
      .describe('The body of POST /short-link; with `id`, of PATCH /short-link/{id}.'),
  })
  .meta({
    id: 'CheckShortLink',
    description: 'A short link that is not sent yet.',
    example: { link: { destination: { type: 'link', value: 'https://example.com/spring' }, slug: 'spring' } },
  });

/** The answer of POST /short-link/check. */
export const checkedLinkSchema = z
  .strictObject({
    isAccepted: z.boolean().describe('Whether the call would succeed now.'),
    code: z.string().nullable().describe('Code of the error that it would answer; null without one.'),
    message: z.string().nullable().describe('Message of the error; null without one.'),
    issues: z.array(issueSchema).describe('The fields that are wrong.'),
    isSlugFree: z
      .boolean()
      .nullable()
      .describe('Whether the slug can be had on the domain, whatever else is wrong; null where that cannot be told.'),
  })
  .meta({
    id: 'CheckedShortLink',
    description: 'What would become of a call.',
    example: {
      isAccepted: false,
      code: 'ALREADY_EXIST',
      message: 'A short link with this slug exists already.',
      issues: [],
      isSlugFree: false,
    },
  });
