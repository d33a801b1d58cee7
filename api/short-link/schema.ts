import { z } from 'zod';
import { destinationTypes } from '../../core/destination.ts';
import { createLinkSchema, osTypes } from '../../core/link-draft.ts';
import { qrOptionsSchema } from '../../core/qr-options.ts';
import { threatTypes } from '../../core/threats.ts';
import { momentSchema } from '../schemas.ts';

const id = z.guid();

const domainSummarySchema = z
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
    threatTypes: z.array(z.enum(threatTypes)).nullable().describe('[] when clean, null while not known.'),
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

/** A short link in its full shape. */
export const shortLinkSchema = z
  .strictObject({
    id,
    organizationId: id,
    domainId: id,
    domain: domainSummarySchema,
    folderId: id,
    slug: z.string(),
    originUrl: z.string(),
    destination: destinationSchema,
    destinationId: id,
    rules: z.array(ruleSchema).describe('In the order in which they are evaluated.'),
    qrCode: z.strictObject({ options: qrOptionsSchema, imageId: id.nullable() }).nullable(),
    qrCodeId: id.nullable(),
    metaTags: metaTagsSchema,
    tags: z.array(z.strictObject({ id, name: z.string(), color: z.string() })),
    title: z.string().nullable(),
    externalId: z.string().nullable(),
    isActive: z.boolean(),
    expiresAt: momentSchema.nullable(),
    expiredUrl: z.string().nullable(),
    maxClicks: z.int().nullable(),
    currentClicks: z.int(),
    hasPassword: z.boolean(),
    cloaking: z.boolean(),
    forwardQuery: z.boolean(),
    utmSource: z.string().nullable(),
    utmMedium: z.string().nullable(),
    utmCampaign: z.string().nullable(),
    utmTerm: z.string().nullable(),
    utmContent: z.string().nullable(),
    createdAt: momentSchema,
    updatedAt: momentSchema,
  })
  .meta({ id: 'ShortLink' });

/** A short link as clients receive it. */
export type ShortLink = z.output<typeof shortLinkSchema>;

/** The body of POST /short-link, with an example for the documentation. */
export const createBodySchema = createLinkSchema.meta({
  example: {
    destination: { type: 'link', value: 'https://example.com/spring?ref=mail' },
    slug: 'spring-sale',
    tags: ['campaign'],
    utmSource: 'newsletter',
    expiresAt: '2030-12-31T23:59:59.000Z',
  },
});
