import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { parse } from 'csv-parse';
import {
  type CsvFile,
  CsvFileError,
  CsvLines,
  csvOptions,
  describeCsvError,
  findSeparator,
  notText,
} from '#core/csv/csv-file.ts';
import { type FileEncoding, isWindows1252, utf16Of } from '#core/csv/encoding.ts';

// Other calls run in between: 2 KiB take some 0.5 ms on a busy machine.
const bytesPerPiece = 2 * 1_024;
// Empty fields add no bytes but take memory, so columns have a limit too.
const maxFieldsPerLine = 1_000_000;
// More than the header may have.
const startBytes = 262_144;

/**
 * Parses CSV in UTF-8, in UTF-16 with a byte order mark, or in Windows-1252, which its content tells. The separator is the one that
 * a first line `sep=;` names, else a comma, semicolon or tab, whichever is most frequent in the first line. Any line ends; empty
 * lines, and lines of separators alone, are skipped. Rows may be shorter than the header, and one field longer (`CsvLines`).
 * @throws CsvFileError
 */
export async function readCsvFile(bytes: Buffer, maxRows: number): Promise<CsvFile> {
  const { text, encoding } = toUtf8(bytes);
  const { separator, start } = findSeparator(text.toString('utf8', 0, startBytes));
  const parser = pipeline(
    // The line that names the separator is ASCII.
    Readable.from(piecesOf(text.subarray(start), separator), { objectMode: false }),
    parse(csvOptions(separator)),
    // The consumer of the stream gets the error.
    () => {},
  );
  const lines = new CsvLines(maxRows);
  try {
    for await (const line of parser as AsyncIterable<string[]>) lines.add(line);
  } catch (error) {
    throw describeCsvError(error);
  }
  return lines.file({ encoding, separator });
}

/** Decodes a file; drops the byte order mark. */
function toUtf8(bytes: Buffer): { text: Buffer; encoding: FileEncoding } {
  const utf16 = utf16Of(bytes);
  if (utf16 !== undefined) return { text: decode(bytes, utf16), encoding: 'utf-16' };
  if (bytes.includes(0)) throw new CsvFileError(notText);
  if (isUtf8(bytes)) {
    const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    return { text: isMarked ? bytes.subarray(3) : bytes, encoding: 'utf-8' };
  }
  if (!isWindows1252(bytes)) throw new CsvFileError(notText);
  return { text: decode(bytes, 'windows-1252'), encoding: 'windows-1252' };
}

function decode(bytes: Buffer, encoding: string): Buffer {
  try {
    const text = Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes));
    if (!text.includes(0)) return text;
  } catch {
    // Bytes that are no text of this encoding.
  }
  throw new CsvFileError(notText);
}

/** @throws CsvFileError for a line with too many fields. */
async function* piecesOf(text: Buffer, delimiter: string): AsyncGenerator<Buffer> {
  const [comma] = Buffer.from(delimiter);
  let fields = 0;
  for (let at = 0; at < text.length; at += bytesPerPiece) {
    const piece = text.subarray(at, at + bytesPerPiece);
    for (const byte of piece) {
      if (byte === comma) fields += 1;
      else if (byte === 0x0a || byte === 0x0d) fields = 0;
    }
    if (fields > maxFieldsPerLine) throw new CsvFileError('a line has too many fields');
    yield piece;
    await setImmediate();
  }
}
