import { type PlainName, plainNames } from '#core/links/fields.ts';
import { columnName, type Columns, columnsOf, formats, type ImportFormat } from './formats.ts';
import { plainColumns } from './rows/plain-fields.ts';
import { findIgnoredColumns } from './rows/row-reader.ts';

const ownFields = [
  'destination',
  'shortUrl',
  'slug',
  'domain',
  'title',
  'notes',
  'tags',
  'folder',
  'createdAt',
] as const satisfies readonly (keyof Columns)[];

/** A field of a link that a column may hold. */
export type MappedField = (typeof ownFields)[number] | Exclude<(typeof plainNames)[number], 'title' | 'notes'>;

/** What becomes of a column: a field of a link, nothing, or something that has no name of its own here, such as rules. */
export type ColumnUse = MappedField | 'ignored' | 'other';

/** The fields that files of a format can hold, the destination first. */
export function listFields(format: ImportFormat): MappedField[] {
  const columns = formats[format];
  const own = ownFields.filter((field) => columns[field] !== undefined);
  return [...new Set<MappedField>([...own, ...(plainNames as readonly MappedField[])])];
}

/** The names of columns that are read as a field, the one that counts first. */
function namesOf(columns: Columns, field: MappedField): readonly string[] {
  const own = (ownFields as readonly string[]).includes(field)
    ? columns[field as (typeof ownFields)[number]]
    : undefined;
  return own ?? plainColumns(field as PlainName);
}

/** Tells what each column of a file is read as. */
export function readMapping(format: ImportFormat, header: readonly string[]): ColumnUse[] {
  const fields = listFields(format);
  const columns = columnsOf(format, header);
  // Of several columns of a name the first one is read.
  const names = header.map(columnName);
  const first = header.filter((_column, index) => names.indexOf(names[index]!) === index);
  const ignored = new Set(findIgnoredColumns(format, first).map(columnName));
  return names.map((name, index): ColumnUse => {
    if (name === '' || ignored.has(name) || names.indexOf(name) !== index) return 'ignored';
    return fields.find((field) => namesOf(columns, field).includes(name)) ?? 'other';
  });
}

/**
 * Writes a header by which the file is read with other uses of its columns. A column that keeps its use keeps its name.
 * @param uses of all columns; no two the same field, but for those that have it already.
 */
export function writeHeader(format: ImportFormat, header: readonly string[], uses: readonly ColumnUse[]): string[] {
  const before = readMapping(format, header);
  return header.map((column, index) => {
    const use = uses[index] ?? 'ignored';
    // Read as the short URL only as long as no other column is.
    const isSpare = use === 'shortUrl' && formats[format].shortOrDestination?.includes(columnName(column)) === true;
    if ((use === before[index] && !isSpare) || use === 'other') return column;
    // No format reads a column of such a name.
    return use === 'ignored' ? `ignored ${index + 1} (${column})` : namesOf(formats[format], use)[0]!;
  });
}
