import { z } from 'zod';
import { idSchema } from '#core/links/draft.ts';
import { maxImportBytes, maxImportRows } from '#core/csv/csv-file.ts';
import { fileEncodings } from '#core/csv/encoding.ts';
import { importFormats } from '#core/imports/formats.ts';
import { findIgnoredColumns } from '#core/imports/rows/row-reader.ts';
import { listRemarks, maxColumnName, shortColumnName } from '#core/imports/remarks.ts';
import { importStates } from '#core/imports/states.ts';
import type { Import, ImportRow } from '#db/entities/imports.ts';
import { present } from '#api/present.ts';
import { uploadedFileSchema } from '#api/plugins/multipart.ts';
import { cursorShape, eitherPageOrCursor, pagingShape, textListSchema } from '#api/query.ts';
import { momentSchema, nextCursorSchema } from '#api/schemas.ts';

const id = z.guid();
const count = z.int().min(0);

export const importBodySchema = z
  .strictObject({
    file: uploadedFileSchema(
      maxImportBytes,
      `CSV with a header; at most 200 columns, ${maxImportRows} rows and ${maxImportBytes} bytes.`,
    ),
    format: z.enum(importFormats).optional().describe('Recognized by the header when omitted.'),
    domainId: idSchema.optional().describe('The place of all links, in spite of the file.'),
    folderId: idSchema.optional().describe('The place of all links, in spite of the file.'),
  })
  .meta({ example: { file: 'links.csv', format: 'csv' } });

export const importSchema = z
  .strictObject({
    id,
    state: z
      .enum(importStates)
      .describe(
        'failed: the import ended early, because the organization was suspended. cancelled: it ended early by a call. undoing and undone: after its end, the links that it made are being removed, or were. Rows that fail do not end an import.',
      ),
    format: z.enum(importFormats).describe('The format that the file was read as.'),
    total: count.describe('Rows of the file.'),
    imported: count,
    skipped: count.describe('Rows whose links exist already.'),
    failed: count,
    notMade: count.describe('Rows that never became links, because the import ended before them: the last ones.'),
    ignoredColumns: z
      .array(z.string())
      .describe(
        `Columns that no field of a link was read from, as the file names them, cut to ${maxColumnName} characters.`,
      ),
    encoding: z
      .enum(fileEncodings)
      .nullable()
      .describe('The encoding that the file was read in; null: the import was sent to an earlier version.'),
    separator: z
      .string()
      .nullable()
      .describe(
        'The character between fields: a comma, a semicolon, a tab or `|`; null: the import was sent to an earlier version.',
      ),
    remarks: z
      .array(z.string())
      .describe('What the import did with the file that you may not expect, one sentence each.'),
    createdAt: momentSchema,
    finishedAt: momentSchema.nullable(),
    undo: z
      .strictObject({
        includeChanged: z.boolean().describe('Whether links that were clicked or edited are removed too.'),
        removed: count.describe('Links that the undo has removed.'),
        kept: count.describe('Links that the undo keeps, because they were clicked or edited after the import.'),
        left: count.describe('Links that the undo has still to look at.'),
        finishedAt: momentSchema.nullable(),
      })
      .nullable()
      .describe(
        'The undo of the import; null: there was none. Links that were deleted before the undo are neither removed nor kept.',
      ),
  })
  .meta({ id: 'Import', description: 'An import of short links and its progress.' });

export const undoBodySchema = z
  .strictObject({
    includeChanged: z
      .boolean()
      .nullable()
      .default(false)
      .describe('Whether links that were clicked or edited after the import are removed too.'),
  })
  .default({ includeChanged: false })
  .meta({ example: { includeChanged: false } });

export function presentImport(row: Import) {
  const { format, header, encoding = null, dateOrders = null, lostColumns } = row;
  return present(importSchema, row, {
    notMade: row.countNotMade(),
    ignoredColumns: findIgnoredColumns(format, header).map(shortColumnName),
    remarks: listRemarks({ format, header, encoding, dateOrders, lostColumns: lostColumns ?? [] }),
    undo: presentUndo(row),
  });
}

function presentUndo(row: Import): z.output<typeof importSchema>['undo'] {
  const { undoLeft: left = null, undoIncludesChanged: includeChanged, removed, kept, undoneAt } = row;
  if (left === null) return null;
  return { includeChanged, removed, kept, left, finishedAt: undoneAt?.toISOString() ?? null };
}

export const importListQuerySchema = eitherPageOrCursor(
  z.strictObject({
    states: textListSchema(z.enum(importStates)).meta({
      description: 'Several states: the name repeated. All states when omitted.',
      example: 'pending,running',
    }),
    ...pagingShape,
    ...cursorShape,
  }),
);

export const importListSchema = z
  .strictObject({ count, data: z.array(importSchema), nextCursor: nextCursorSchema })
  .meta({ id: 'ImportPage', description: 'A page of imports, the most recent first.' });

const rowStates = ['imported', 'skipped', 'failed'] as const;

export const importRowsQuerySchema = z.strictObject({
  state: z.enum(rowStates).optional().describe('All states when omitted.'),
  ...pagingShape,
});

export const importRowsSchema = z.strictObject({
  count,
  data: z.array(
    z
      .strictObject({
        row: z.int().min(1).describe('From 1; the header is not counted.'),
        state: z.enum(rowStates),
        shortLinkId: id.nullable().describe('The link that was created, or that existed already.'),
        error: z.string().nullable().describe('Why the row was skipped or failed.'),
      })
      .meta({ id: 'ImportRow', description: 'What became of one row of an import.' }),
  ),
});

export function presentImportRow({ row, state, shortLinkId, error }: ImportRow) {
  return { row, state: state!, shortLinkId: shortLinkId ?? null, error: error ?? null };
}
