import { parse } from 'csv-parse/browser/esm/sync';
import {
  type CsvFile,
  CsvFileError,
  CsvLines,
  csvOptions,
  delimiterOf,
  describeCsvError,
  maxImportBytes,
  maxImportRows,
  notText,
} from '#core/imports/csv-file.ts';

/** Parses a file of links as the API does. @throws CsvFileError */
export function readFile(bytes: Uint8Array): CsvFile {
  if (bytes.length > maxImportBytes) throw new CsvFileError(`must have at most ${maxImportBytes} bytes`);
  const text = decode(bytes);
  const lines = new CsvLines(maxImportRows);
  try {
    // One row at a time: a list of all of them would be in memory beside the rows.
    parse(text, {
      ...csvOptions(delimiterOf(text)),
      on_record: (line: string[]) => {
        lines.add(line);
        return null;
      },
    });
  } catch (error) {
    throw describeCsvError(error);
  }
  return lines.file();
}

function decode(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\u0000')) return text;
  } catch {
    // Bytes of another encoding.
  }
  throw new CsvFileError(notText);
}

const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

/** Writes lines as CSV with commas; reading them gives the same fields. */
export function writeCsv(lines: Iterable<readonly string[]>): string {
  let text = '';
  for (const fields of lines)
    text += `${fields.map((field) => (needsQuotes.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',')}\r\n`;
  return text;
}
