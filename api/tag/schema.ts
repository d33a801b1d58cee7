import { z } from 'zod';
import { labelColorSchema, labelNameSchema, newLabelShape } from '#core/labels/label.ts';
import type { Tag } from '#db/entities/links/links.ts';
import { present } from '#api/present.ts';
import { cursorPageSchema, linksCountSchema, momentSchema } from '#api/schemas.ts';
import { readOnly } from '#core/lib/schemas.ts';

const id = z.guid();

export const tagSchema = z
  .strictObject({
    id,
    organizationId: id,
    name: z.string(),
    color: z.string().meta({ example: '#16A34A' }),
    createdAt: momentSchema,
    updatedAt: momentSchema,
  })
  .meta({ id: 'Tag', description: 'A tag of short links.' });

export function presentTag(tag: Tag) {
  return present(tagSchema, tag, { organizationId: tag.organization.id });
}

export const tagListSchema = cursorPageSchema(
  tagSchema.extend({ links: linksCountSchema }).meta({ id: 'TagItem', description: 'A tag in a list.' }),
  'TagPage',
  'A page of tags.',
);

export const createTagSchema = z
  .strictObject(newLabelShape)
  .meta({ id: 'CreateTag', description: 'A tag to create.', example: { name: 'Newsletter', color: '#16A34A' } });

/** The body of PATCH /tag/{id}: sent fields change. */
export const patchTagSchema = z
  .strictObject({
    name: labelNameSchema.optional(),
    color: labelColorSchema.optional(),
    ...readOnly('id', 'organizationId', 'links', 'createdAt', 'updatedAt'),
  })
  .meta({
    id: 'UpdateTag',
    description: 'Changes of a tag: fields that are absent stay.',
    example: { color: '#16A34A' },
  });
