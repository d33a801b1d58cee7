import { z } from 'zod';
import { destinationTypes } from '#core/links/destination.ts';
import { createLinkSchema, linkFields, osTypes } from '#core/links/draft.ts';
import { answerShape } from '#core/links/fields.ts';
import { besideOthers, namingPassedEnd, nullAsDefault, text, trimmed } from '#core/lib/schemas.ts';
import { linkWarningCodes } from '#core/links/warnings/link-warnings.ts';
import { patchLinkSchema, upsertLinkSchema } from '#core/links/patch.ts';
import { qrOptionsSchema } from '#core/links/qr-code.ts';
import { threatTypes } from '#core/threats/types.ts';
import { csvQueryShape } from '#api/csv.ts';
import { readCursor } from '#api/cursor.ts';
import { linkSorts, linkStates } from '#db/links/list.ts';
import {
  eitherPageOrCursor,
  idListSchema,
  filterShape,
  flagSchema,
  inOrder,
  momentQuerySchema,
  pagingShape,
  searchSchema,
  textListSchema,
  wholeTextListSchema,
} from '#api/query.ts';
import { cursorPageSchema, momentSchema, takenDownSchema } from '#api/schemas.ts';

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
  .meta({ id: 'DomainSummary', description: 'The domain that a short link is on.' });

const destinationSchema = z
  .strictObject({
    type: z.enum(destinationTypes),
    value: z.string(),
    threatTypes: z.array(z.enum(threatTypes)).nullable().describe('[] without threats, null without a verdict.'),
    enableDeepLinking: z.boolean(),
    iosDeepLink: z.string().nullable(),
    androidDeepLink: z.string().nullable(),
  })
  .meta({ id: 'Destination', description: 'Where a link leads.' });

const ruleSchema = z
  .strictObject({
    id,
    priority: z.number(),
    countries: z.array(z.string()).nullable(),
    languages: z.array(z.string()).nullable(),
    osTypes: z.array(z.enum(osTypes)).nullable(),
    destination: destinationSchema,
  })
  .meta({ id: 'Rule', description: 'Leads some visitors to another destination.' });

export const metaTagsSchema = z
  .strictObject({
    title: z.string().nullable(),
    description: z.string().nullable(),
    imageId: id.nullable(),
    image: z.strictObject({ id, key: z.string() }).nullable(),
  })
  .meta({ id: 'MetaTags', description: 'Preview of a link in social networks and messengers.' });

const plainAnswers = answerShape({
  text: z.string().nullable(),
  flag: z.boolean(),
  moment: momentSchema.nullable(),
  count: z.int().nullable(),
});

const tagRefSchema = z
  .strictObject({ id, name: z.string(), color: z.string() })
  .meta({ id: 'TagRef', description: 'A tag of a short link.' });
const folderRefSchema = z
  .strictObject({ id, name: z.string(), color: z.string() })
  .meta({ id: 'FolderRef', description: 'The folder of a short link.' });

const linkWarningSchema = z
  .strictObject({
    path: z.string().describe('Dotted path of the field in the link of this answer, which has its rules in order.'),
    code: z.enum(linkWarningCodes).describe('Later versions may have more codes.'),
    message: z.string(),
  })
  .meta({
    id: 'LinkWarning',
    description: 'A setting that has no effect in this installation, or a style that some scanners cannot read.',
  });

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
  .meta({ id: 'ShortLink', description: 'A short link.' });

export type ShortLink = z.output<typeof shortLinkSchema>;

export const changedLinkSchema = shortLinkSchema
  .extend({
    warnings: z
      .array(linkWarningSchema)
      .optional()
      .describe(
        'Settings of the link that have no effect in this installation, and styles of its QR code that some scanners cannot read; absent without warnings.',
      ),
  })
  .meta({ id: 'ChangedShortLink', description: 'A short link after a change, with warnings.' });

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

export const listedLinkSchema = shortLinkSchema.pick(alwaysListed);

/** A short link in lists; with `view=full` it has every field of a short link. One shape, so that generated clients have one class. */
const linkItemSchema = z
  .strictObject({
    ...listedLinkSchema.shape,
    ...shortLinkSchema.omit(alwaysListed).partial().shape,
    qrCode: shortLinkSchema.shape.qrCode.optional().describe('Only with withQrCodeTemplate or view=full.'),
  })
  .meta({ id: 'ShortLinkItem', description: 'A short link in lists.' });

export type ShortLinkItem = z.output<typeof linkItemSchema>;

export const linkListSchema = cursorPageSchema(linkItemSchema, 'ShortLinkPage', 'A page of short links.');

export const linkCountSchema = z.strictObject({ count: z.int() });

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
  since: (what: string) => momentQuerySchema.optional().describe(`${what} at this moment or later.`),
  until: (what: string) => momentQuerySchema.optional().describe(`${what} before this moment.`),
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

const filtersSchema = z.strictObject({
  ...filterShape,
  ids: idListSchema,
  domainNames: textListSchema(text({ min: 1, max: 255 })).meta({ description: `Names of domains: ${several}` }),
  tagNames: wholeTextListSchema(trimmed(255)).meta({
    description: `Names of tags, without regard to case: ${several}`,
  }),
  externalIds: wholeTextListSchema(text({ min: 1, max: 255 })).meta({ description: several }),
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

const withRanges = <Schema extends z.ZodObject>(query: Schema): Schema =>
  inOrder(
    query,
    ['created', 'updated', 'expires', 'clicked'].map((moment) => [`${moment}Since`, `${moment}Until`] as const),
  );

export const countQuerySchema = withRanges(filtersSchema);

export const countsQuerySchema = withRanges(
  filtersSchema
    .omit({ states: true })
    .extend({ by: z.enum(['state']).default('state').describe('What the links are counted by.') }),
);

const sortBySchema = z.enum(linkSorts).default('createdAt');
const sortOrderSchema = z.enum(['asc', 'desc']).default('desc');

interface Sort {
  sortBy: z.output<typeof sortBySchema>;
  sortOrder: z.output<typeof sortOrderSchema>;
}

/** The order that a cursor of the list names; undefined: the newest first. */
export function orderOf({ sortBy, sortOrder }: Sort): string | undefined {
  return sortBy === 'createdAt' && sortOrder === 'desc' ? undefined : `${sortBy}.${sortOrder}`;
}

/** Refuses a cursor that is not of a page in the same order, where the order is known. */
function isOfOrder({ cursor, ...query }: { cursor?: unknown } & Sort): boolean {
  const isOrdered = sortBySchema.safeParse(query.sortBy).success && sortOrderSchema.safeParse(query.sortOrder).success;
  return typeof cursor !== 'string' || !isOrdered || readCursor(cursor, orderOf(query)) !== undefined;
}

export const listQuerySchema = eitherPageOrCursor(
  withRanges(
    filtersSchema.extend({
      withQrCodeTemplate: flagSchema.optional(),
      view: z
        .enum(['short', 'full'])
        .default('short')
        .describe('full: each row has every field of GET /short-link/{id}. short when omitted.'),
      ...pagingShape,
      sortBy: sortBySchema.describe(
        'createdAt when omitted. Links without clicks count as clicked before all others, links without an end as ending after all others.',
      ),
      sortOrder: sortOrderSchema.describe('desc when omitted.'),
      cursor: z.string().max(200).optional().describe('The nextCursor of the earlier page, in place of page.'),
    }),
  ),
).refine(isOfOrder, {
  path: ['cursor'],
  message: 'must be the nextCursor of a page in the same order',
  ...besideOthers,
});

export const lookupQuerySchema = z
  .strictObject({
    domain: text({ min: 1, max: 255 }).optional().describe('Domain name; with slug.'),
    slug: text({ min: 1, max: 255 }).optional().describe('With domain.'),
    externalId: text({ min: 1, max: 255 }).optional(),
    url: text({ min: 1, max: 8_192 }).optional().describe('A short URL, or a destination.'),
  })
  .superRefine(({ domain, slug, externalId, url }, context) => {
    const refuse = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', path, message });
    const named = Object.entries({ slug: domain ?? slug, externalId, url }).filter(([, value]) => value !== undefined);
    const [first, second] = named.map(([name]) => name);
    if (first === undefined) refuse('One of domain with slug, externalId and url is required.');
    if (second !== undefined) refuse(`cannot be given with ${first === 'slug' ? 'domain and slug' : first}`, second);
    if (domain === undefined && slug !== undefined) refuse('is required with slug', 'domain');
    if (domain !== undefined && slug === undefined) refuse('is required with domain', 'slug');
  }, besideOthers);

export const exportQuerySchema = withRanges(filtersSchema.extend(csvQueryShape));

export const patchBodySchema = namingPassedEnd(patchLinkSchema).meta({
  id: 'UpdateShortLink',
  description: 'Changes of a short link: fields that are absent stay, null clears.',
  example: { title: 'Spring sale', expiresAt: '2030-12-31T23:59:59.000Z' },
});

export const duplicateBodySchema = z
  .strictObject(nullAsDefault({ slug: linkFields.slug }))
  .meta({
    id: 'DuplicateShortLink',
    description: 'What a copy of a short link has of its own.',
    example: { slug: 'spring-sale-2' },
  })
  .prefault({});

export const moveBodySchema = z
  .strictObject(
    nullAsDefault({
      domain: text({ min: 1, max: 255 }).describe('Name of a domain of yours, or of the platform.'),
      slug: linkFields.slug.describe('The slug stays when omitted.'),
    }),
  )
  .meta({
    id: 'MoveShortLink',
    description: 'The new address of a short link.',
    example: { domain: 'links.example.com', slug: 'spring-sale' },
  });

/** The body of PUT /short-link/upsert: known by externalId, else by domain and slug. */
export const upsertBodySchema = namingPassedEnd(upsertLinkSchema)
  .refine((link) => (link.externalId ?? null) !== null || link.slug !== undefined, {
    message: 'is required where there is no externalId',
    path: ['slug'],
    ...besideOthers,
  })
  .meta({
    id: 'UpsertShortLink',
    description: 'A short link to create, or to update where it exists.',
    example: { externalId: 'crm-4711', destination: { type: 'link', value: 'https://example.com/offer' } },
  });

/**
 * The body of POST /short-link. The command compares `expiresAt` with the clock too; checked here, the issue is listed together
 * with all others.
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
      description: 'A short link to create.',
      example: {
        destination: { type: 'link', value: 'https://example.com/spring?ref=mail' },
        slug: 'spring-sale',
        tags: ['campaign'],
        utmSource: 'newsletter',
        expiresAt: '2030-12-31T23:59:59.000Z',
      },
    });
}
