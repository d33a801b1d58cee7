import { parse } from 'csv-parse/browser/esm/sync';
import {
  type CsvFile,
  CsvFileError,
  CsvLines,
  csvOptions,
  describeCsvError,
  findSeparator,
  maxImportBytes,
  maxImportRows,
  notText,
} from '#core/csv/csv-file.ts';
import { type FileEncoding, isWindows1252, utf16Of } from '#core/csv/encoding.ts';

/** Parses a file of links as the API does. @throws CsvFileError */
export function readFile(bytes: Uint8Array): CsvFile {
  if (bytes.length > maxImportBytes) throw new CsvFileError(`must have at most ${maxImportBytes} bytes`);
  const { text, encoding } = decode(bytes);
  const { separator, start } = findSeparator(text);
  const lines = new CsvLines(maxImportRows);
  try {
    // One row at a time: a list of all of them would be in memory beside the rows.
    parse(text.slice(start), {
      ...csvOptions(separator),
      on_record: (line: string[]) => {
        lines.add(line);
        return null;
      },
    });
  } catch (error) {
    throw describeCsvError(error);
  }
  return lines.file({ encoding, separator });
}

function decode(bytes: Uint8Array): { text: string; encoding: FileEncoding } {
  const utf16 = utf16Of(bytes);
  const text = decodeAs(bytes, utf16 ?? 'utf-8');
  if (text !== undefined) return { text, encoding: utf16 === undefined ? 'utf-8' : 'utf-16' };
  const old = utf16 === undefined && isWindows1252(bytes) ? decodeAs(bytes, 'windows-1252') : undefined;
  if (old === undefined) throw new CsvFileError(notText);
  return { text: old, encoding: 'windows-1252' };
}

/** Undefined: the bytes are no text of this encoding. */
function decodeAs(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\u0000') ? undefined : text;
  } catch {
    return undefined;
  }
}

const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

/** Writes lines as CSV with commas; reading them gives the same fields. */
export function writeCsv(lines: Iterable<readonly string[]>): string {
  let text = '';
  for (const fields of lines)
    text += `${fields.map((field) => (needsQuotes.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',')}\r\n`;
  return text;
}
