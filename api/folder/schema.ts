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
  .meta({ id: 'Folder' });

export function presentFolder(folder: Folder) {
  return present(folderSchema, folder, { organizationId: folder.organization.id });
}

export const folderListSchema = cursorPageSchema(
  folderSchema.extend({ links: linksCountSchema }).meta({ id: 'FolderItem' }),
  'FolderPage',
);

export const createFolderSchema = z
  .strictObject(newLabelShape)
  .meta({ id: 'CreateFolder', example: { name: 'Spring campaign', color: '#2563EB' } });

/** The body of PATCH /folder/{id}: sent fields change. */
export const patchFolderSchema = z
  .strictObject({
    name: labelNameSchema.optional().describe('The default folder keeps its name.'),
    color: labelColorSchema.optional(),
    ...readOnly('id', 'organizationId', 'isDefault', 'links', 'createdAt', 'updatedAt'),
  })
  .meta({ id: 'UpdateFolder', example: { color: '#2563EB' } });
