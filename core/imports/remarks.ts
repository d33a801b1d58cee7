import type { DateOrders } from './rows/moments.ts';
import type { FileEncoding } from '#core/csv/encoding.ts';
import { columnName, formats, type ImportFormat, type LinkLimit } from './formats.ts';
import { readMapping } from './mapping.ts';
import { archivedNames, clickNames, passwordNames } from './protection.ts';
import { plainColumns } from './rows/plain-fields.ts';
import { archivedTag } from './rows/protect.ts';

/** How a file was read. */
interface Reading {
  format: ImportFormat;
  header: readonly string[];
  encoding: FileEncoding | null;
  dateOrders: DateOrders | null;
  /** Ignored columns that hold values. */
  lostColumns: readonly string[];
}

const namesOfLimit = {
  passwords: passwordNames,
  ends: plainColumns('expiresAt'),
  caps: plainColumns('maxClicks'),
} satisfies Record<LinkLimit, readonly string[]>;

// Further ones stand in `ignoredColumns`.
const mostLostColumns = 10;
export const maxColumnName = 100;

/** The name of a column as answers have it, which a file may make very long. */
export const shortColumnName = (column: string): string => column.slice(0, maxColumnName).toWellFormed();

/** Names of limits as remarks have them. */
const limitWords = { passwords: 'passwords', ends: 'end dates', caps: 'click limits' } satisfies Record<
  LinkLimit,
  string
>;

/** Tells what a reader of the result would not expect of a file, one sentence each. */
export function listRemarks({ format, header, encoding, dateOrders, lostColumns }: Reading): string[] {
  const names = new Set(header.map(columnName));
  const columns = formats[format];
  const uses = readMapping(format, header);
  const has = (wanted: readonly string[]): boolean => wanted.some((name) => names.has(name));
  const remarks: string[] = [];
  if (encoding === 'windows-1252')
    remarks.push(
      'The file is not UTF-8: it was read as Windows-1252. Where letters with accents are wrong, save the file as UTF-8 and import that one instead.',
    );
  if (!uses.includes('slug') && !uses.includes('shortUrl'))
    remarks.push('No column is read as slug or short URL: each link gets a random slug.');
  if (columns.isAsCreate) {
    const slugs = header.filter((_column, index) => uses[index] === 'slug');
    const [first, ...others] = [...new Set(columns.slug)].flatMap((name) =>
      slugs.filter((one) => columnName(one) === name),
    );
    if (others.length > 0)
      remarks.push(
        `slug: read from "${first}"; other columns of slugs (${others.join(', ')}) count where it is empty.`,
      );
  }
  const missing = columns.limits?.filter((limit) => !has(namesOfLimit[limit])) ?? [];
  if (missing.length > 0)
    remarks.push(
      `The file has no column for ${missing.map((limit) => limitWords[limit]).join(' or ')}: links are imported without them.`,
    );
  if (columns.archivedRedirects && has([...archivedNames, 'status']))
    remarks.push(`Archived links redirect at this service: they are imported active, with the tag "${archivedTag}".`);
  if (uses.includes('maxClicks') && has(clickNames))
    remarks.push(
      'maxClicks: the clicks that a link has had are taken off; a link that has had them all becomes inactive.',
    );
  for (const [index, use] of uses.entries()) {
    const order = dateOrders?.[index];
    if ((use === 'createdAt' || use === 'expiresAt') && order)
      remarks.push(
        `${use}: dates are read with the ${order === 'day-first' ? 'day' : 'month'} first where both come before the year.`,
      );
  }
  if (lostColumns.length > 0) {
    const first = lostColumns.slice(0, mostLostColumns).map(shortColumnName).join(', ');
    const more = lostColumns.length - mostLostColumns;
    remarks.push(`Columns with values that no field is read from: ${first}${more > 0 ? `, and ${more} more` : ''}.`);
  }
  return remarks;
}
