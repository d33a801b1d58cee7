import type { DateOrders } from './date-orders.ts';
import type { FileEncoding } from './encoding.ts';
import { columnName, formats, type ImportFormat } from './formats.ts';
import { readMapping } from './mapping.ts';
import { archivedNames, clickNames } from './protection.ts';
import { archivedTag } from './row-reader.ts';

/** How a file was read. */
interface Reading {
  format: ImportFormat;
  header: readonly string[];
  encoding: FileEncoding | null;
  dateOrders: DateOrders | null;
}

/** Tells what a reader of the result would not expect of a file, one sentence each. */
export function listRemarks({ format, header, encoding, dateOrders }: Reading): string[] {
  const names = new Set(header.map(columnName));
  const uses = readMapping(format, header);
  const has = (wanted: readonly string[]): boolean => wanted.some((name) => names.has(name));
  const remarks: string[] = [];
  if (encoding === 'windows-1252') remarks.push('The file is not UTF-8: it was read as Windows-1252.');
  if (!uses.includes('slug') && !uses.includes('shortUrl'))
    remarks.push('No column is read as slug or short URL: each link gets a random slug.');
  if (formats[format].archivedRedirects && has([...archivedNames, 'status']))
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
  return remarks;
}
