import { z } from 'zod';
import { type FileKind, fileKinds, imageFormats } from '#core/files/kinds.ts';
import type { File as StoredFile } from '#db/entities/files.ts';
import { present } from '#api/present.ts';
import { flagSchema, inOrder, momentQuerySchema, pagingShape, searchSchema } from '#api/query.ts';
import { uploadedFileSchema } from '#api/plugins/multipart.ts';
import { momentSchema, pageSchema, takenDownSchema } from '#api/schemas.ts';

const id = z.guid();

export const fileSchema = z
  .strictObject({
    id: id.describe('Use it as imageId.'),
    createdAt: momentSchema,
    name: z.string().describe('The name of the uploaded file.').meta({ example: 'logo.png' }),
    organizationId: id,
    key: z.string().describe('The key of the file in the storage.').meta({
      example: 'qr-code/019a2f6e-7c1b-7d3a-9a51-0c6f6d2f8e11.png',
    }),
    mime: z.string().meta({ example: 'image/png' }),
    size: z.int().min(0).describe('Bytes of the stored file.'),
    url: z.url().describe('Public: the address needs no key, and cannot be guessed.'),
    takenDown: takenDownSchema
      .nullable()
      .describe('Set: the operator has taken it down, and its url answers 404; null: it has not.'),
  })
  .meta({ id: 'StoredFile', description: 'An uploaded picture.' });

type File = z.output<typeof fileSchema>;

/** @param fileUrl makes the public address of a file from its `urlKey`. */
export function presentFile(file: StoredFile, fileUrl: (urlKey: string) => string): File {
  const { organization, urlKey, takenDownAt, takenDownReason } = file;
  return present(fileSchema, file, {
    organizationId: organization.id,
    url: fileUrl(urlKey),
    takenDown: takenDownAt ? { at: takenDownAt.toISOString(), reason: takenDownReason ?? '' } : null,
  });
}

export const fileListSchema = pageSchema(
  fileSchema
    .extend({
      uses: z
        .strictObject({
          links: z.int().min(0).describe('Short links, archived ones too.'),
          domains: z.int().min(0).describe('Domains, whose QR codes show it.'),
        })
        .optional()
        .describe('Where it is used; only with `withUses`.'),
    })
    .meta({ id: 'StoredFileItem', description: 'A file of a list.' }),
  'StoredFilePage',
  'A page of files.',
);

export const fileListQuerySchema = inOrder(
  z.strictObject({
    kind: z
      .enum(Object.keys(fileKinds) as [FileKind, ...FileKind[]])
      .optional()
      .describe('Images of previews (meta-tag) or logos of QR codes (qr-code).'),
    search: searchSchema.describe('Matches the name, without regard to case.'),
    createdSince: momentQuerySchema.optional().describe('Uploaded at this moment or later.'),
    createdUntil: momentQuerySchema.optional().describe('Uploaded before this moment.'),
    withUses: flagSchema.optional().describe('true: each row has `uses`.'),
    ...pagingShape,
  }),
  [['createdSince', 'createdUntil']],
);

/** The body of an upload: one part, `file`. */
export function uploadSchema(kind: FileKind) {
  const { maxBytes, formats } = fileKinds[kind];
  const labels = formats.map((format) => imageFormats[format].label).join(', ');
  return z
    .strictObject({ file: uploadedFileSchema(maxBytes, `${labels}; at most ${maxBytes} bytes.`) })
    .meta({ example: { file: kind === 'qr-code' ? 'logo.png' : 'preview.png' } });
}

export const publicFileParamsSchema = z.strictObject({
  urlKey: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'is not part of the address of a file')
    .meta({ example: '3f0d7c52a1b94e6f8c7a5d2e9b604f11' }),
});
