import * as z from 'zod';
import { lengths } from '#core/lengths.ts';
import { destinationSchema } from './destination.ts';
import { plainShape } from './fields.ts';
import { besideOthers, nullAsDefault, onOneLine, refusing, text } from '#core/lib/schemas.ts';
import { qrOptionsInputSchema } from './qr-code.ts';
import { labelNameSchema } from '#core/labels/label.ts';
import { isCountry, normalizeLanguage } from '#core/routing/iso-codes.ts';
import { slugProblem } from './slugs/slug.ts';

/**
 * The only schema that checks and normalises the fields of a link: API, bulk calls, imports and internal tools use it. Bounds stand with
 * the fields: rules, tags and passwords here, titles and other plain fields in `fields.ts`, addresses in `destination.ts`, slugs in
 * `slug.ts`, names of tags in `label.ts`, QR codes in `qr-code.ts`, the bytes of a whole link in `size.ts`. Commands
 * check what depends on the database (domain, folder, names in use) or on the clock.
 */

/** Operating systems that rules tell apart. */
export const osTypes = ['windows', 'macos', 'linux', 'ios', 'android', 'other'] as const;
export type OsType = (typeof osTypes)[number];

const maxRules = 100;
/** The most tags of a link. */
export const maxTags = 100;

/** An id: any well-formed UUID. */
export const idSchema = z.guid().overwrite((id) => id.toLowerCase());

const slugSchema = z
  .string()
  .overwrite((slug) => slug.normalize('NFC'))
  .superRefine(refusing(slugProblem))
  .meta({ minLength: 1, maxLength: 255, description: 'Generated when omitted.', example: 'spring-sale' });

const countrySchema = z
  .string()
  .max(3)
  .overwrite((code) => code.toUpperCase())
  .refine(isCountry, 'must be an ISO 3166-1 alpha-2 country')
  .meta({ example: 'DE' });

const languageSchema = z
  .string()
  .max(5)
  .overwrite((tag) => normalizeLanguage(tag) ?? tag)
  .refine((tag) => normalizeLanguage(tag) !== undefined, 'must be an ISO 639-1 language, like de or de-AT')
  .meta({ example: 'de-AT' });

const unique = <T>(items: T[]): T[] => [...new Set(items)];

const ruleSchema = z
  .strictObject({
    id: idSchema
      .nullable()
      .transform((id) => id ?? undefined)
      .optional(),
    priority: z.number().min(0).describe('0 is evaluated first.'),
    countries: z.array(countrySchema).min(1).max(150).overwrite(unique).nullable().optional(),
    languages: z.array(languageSchema).min(1).max(50).overwrite(unique).nullable().optional(),
    osTypes: z.array(z.enum(osTypes)).min(1).max(100).overwrite(unique).nullable().optional(),
    destination: destinationSchema,
  })
  .refine((rule) => (rule.countries ?? rule.languages ?? rule.osTypes ?? null) !== null, {
    message: 'must have at least one of countries, languages, osTypes',
    ...besideOthers,
  })
  .meta({ id: 'RuleDraft', description: 'A rule that leads some visitors to another destination.' });

/** A routing rule, checked and normalised. */
export type RuleDraft = z.output<typeof ruleSchema>;

/** A tag by its name, or as answers hold it: with the id of a tag, which may have another name by now. */
export const tagSchema = z.union([
  labelNameSchema,
  z
    .strictObject({ id: z.unknown().optional(), name: labelNameSchema, color: z.unknown().optional() })
    .transform(({ id, name }) => (idSchema.safeParse(id).success ? { id: String(id).toLowerCase(), name } : name)),
]);

/** A tag as a link names it. */
export type SentTag = z.output<typeof tagSchema>;

const metaTagsSchema = z.strictObject({
  title: text({ max: lengths.cardTitle }).nullable().optional(),
  description: text({ max: lengths.cardDescription }).nullable().optional(),
  imageId: idSchema.nullable().optional(),
  // Not marked as read-only: generators leave out whole unnamed objects with such a field.
  image: z.unknown().optional().describe('Ignored when sent.'),
});

const qrCodeSchema = z.strictObject({ options: qrOptionsInputSchema, imageId: idSchema.nullable().optional() });

/** The fields of a link that clients may set, each optional: the base of create and update. */
export const linkFields = {
  slug: slugSchema.optional(),
  domain: text({ min: 1, max: 255 })
    .optional()
    .describe('Domain name; without domain and domainId, the primary domain.'),
  domainId: idSchema.optional(),
  folderId: idSchema.optional(),
  tags: z.array(tagSchema).max(maxTags).optional().describe('Tag names; unknown ones are created.'),
  tagIds: z.array(idSchema).max(maxTags).optional().describe('Ids of tags, which the link has beside those of tags.'),
  ...plainShape,
  // Visitors type it into one line.
  password: onOneLine(text({ min: 1, max: lengths.linkPassword }))
    // Keyboards write the same letters in different ways; visitors' passwords are compared in NFC too.
    .overwrite((password) => password.normalize('NFC'))
    .nullable()
    .optional()
    .describe('No answer shows it.')
    .meta({ 'x-secret': true }),
  // In the order given, since errors name rules by their index; rows are sorted later.
  rules: z.array(ruleSchema).max(maxRules).nullable().optional(),
  qrCode: qrCodeSchema.nullable().optional(),
  metaTags: metaTagsSchema.nullable().optional(),
};

/** The body of a create: null means the default, but for `qrCode`, where it means none. */
export const createLinkSchema = z.strictObject({ destination: destinationSchema, ...nullAsDefault(linkFields) });

/** A checked and normalised link to create; undefined fields take their defaults. */
export type LinkDraft = z.output<typeof createLinkSchema>;
