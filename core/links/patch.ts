import * as z from 'zod';
import { destinationSchema } from './destination.ts';
import { nullAsDefault, text, readOnly } from '#core/lib/schemas.ts';
import { createLinkSchema, idSchema, linkFields, maxTags, tagSchema } from './draft.ts';

/** A list of an update, where null means none. */
const cleared = <Schema extends z.ZodType>(list: Schema) =>
  list
    .nullable()
    .transform((items) => (items === null ? [] : items))
    .optional();

/** Fields of a link that only answers set. */
const readOnlyFields = readOnly(
  'id',
  'organizationId',
  'folder',
  'originUrl',
  'destinationId',
  'qrCodeId',
  'currentClicks',
  'lastClickedAt',
  'hasPassword',
  'createdAt',
  'updatedAt',
  'takenDown',
  'warnings',
);

/** The name of a domain, or the object that answers hold in its place, which is ignored: `domainId` says the same. */
const domainOrObject = z
  .union([text({ min: 1, max: 255 }), z.looseObject({}).transform(() => undefined)])
  .optional()
  .meta({
    description: 'Domain name; the object that answers hold is ignored.',
    anyOf: [
      { type: 'string', minLength: 1, maxLength: 255 },
      { type: 'object', additionalProperties: true },
    ],
  });

/** The body of an upsert: that of a create, or a link as answers hold it. */
export const upsertLinkSchema = createLinkSchema.extend({
  ...readOnlyFields,
  ...nullAsDefault({ domain: domainOrObject }),
});

/** The body of an update: present fields change, absent ones stay, null clears. */
export const patchLinkSchema = z.strictObject({
  ...linkFields,
  // null clears them, as it clears rules.
  tags: cleared(linkFields.tags).describe(
    'Tag names, in place of those that the link has; unknown ones are created, null means none.',
  ),
  tagIds: cleared(linkFields.tagIds).describe('Ids of tags, which the link has beside those of tags; null means none.'),
  destination: destinationSchema.optional(),
  addTags: z
    .array(tagSchema)
    .max(maxTags)
    .optional()
    .describe('Names of tags that the link gets beside its own; unknown ones are created.'),
  addTagIds: z.array(idSchema).max(maxTags).optional().describe('Ids of tags that the link gets beside its own.'),
  removeTags: z
    .array(tagSchema)
    .max(maxTags)
    .optional()
    .describe('Names of tags that the link loses; other names are ignored.'),
  removeTagIds: z
    .array(idSchema)
    .max(maxTags)
    .optional()
    .describe('Ids of tags that the link loses; tags that it does not have are ignored.'),
  domain: domainOrObject,
  ...readOnlyFields,
});

export type LinkPatch = z.output<typeof patchLinkSchema>;
