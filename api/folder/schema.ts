import { z } from 'zod';
import { labelColorSchema, labelNameSchema, newLabelShape } from '#core/labels/label.ts';
import type { Folder } from '#db/entities/links/links.ts';
import { present } from '#api/present.ts';
import { cursorPageSchema, linksCountSchema, momentSchema } from '#api/schemas.ts';
import { readOnly } from '#core/lib/schemas.ts';

const id = z.guid();

export const folderSchema = z
  .strictObject({
    id,
    organizationId: id,
    name: z.string(),
    color: z.string().meta({ example: '#2563EB' }),
    isDefault: z.boolean().describe('Whether links without a folder of their own are in this one.'),
    createdAt: momentSchema,
    updatedAt: momentSchema,
  })
  .meta({ id: 'Folder', description: 'A folder of short links.' });

export function presentFolder(folder: Folder) {
  return present(folderSchema, folder, { organizationId: folder.organization.id });
}

export const folderListSchema = cursorPageSchema(
  folderSchema.extend({ links: linksCountSchema }).meta({ id: 'FolderItem', description: 'A folder in a list.' }),
  'FolderPage',
  'A page of folders.',
);

export const createFolderSchema = z.strictObject(newLabelShape).meta({
  id: 'CreateFolder',
  description: 'A folder to create.',
  example: { name: 'Spring campaign', color: '#2563EB' },
});

/** The body of PATCH /folder/{id}: sent fields change. */
export const patchFolderSchema = z
  .strictObject({
    name: labelNameSchema.optional().describe('The default folder keeps its name.'),
    color: labelColorSchema.optional(),
    ...readOnly('id', 'organizationId', 'isDefault', 'links', 'createdAt', 'updatedAt'),
  })
  .meta({
    id: 'UpdateFolder',
    description: 'Changes of a folder: fields that are absent stay.',
    example: { color: '#2563EB' },
  });
