import * as z from 'zod';
import { destinationSchema } from './destination.ts';
import { idSchema, linkFields, maxTags, tagSchema } from './draft.ts';
import { text } from '#core/lib/text.ts';

// Fields that only answers set are accepted and ignored: clients can send back the answer of GET (3.2).
const readOnly = z.unknown().optional().describe('Read-only: ignored when sent.');

/** The body of an update: present fields change, absent ones stay, null clears. */
export const patchLinkSchema = z.strictObject({
  ...linkFields,
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
  domain: z
    .union([text({ min: 1, max: 255 }), z.looseObject({}).transform(() => undefined)])
    .optional()
    .meta({
      description: 'Domain name; the object that answers hold is ignored.',
      anyOf: [
        { type: 'string', minLength: 1, maxLength: 255 },
        { type: 'object', additionalProperties: true },
      ],
    }),
  id: readOnly,
  organizationId: readOnly,
  originUrl: readOnly,
  destinationId: readOnly,
  qrCodeId: readOnly,
  currentClicks: readOnly,
  lastClickedAt: readOnly,
  hasPassword: readOnly,
  createdAt: readOnly,
  updatedAt: readOnly,
  takenDown: readOnly,
  warnings: readOnly,
});

export type LinkPatch = z.output<typeof patchLinkSchema>;
