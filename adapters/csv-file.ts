import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CsvError, parse } from 'csv-parse';

/** A file that cannot be read. The message completes "file: …". */
export class CsvFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CsvFileError';
  }
}

/** A parsed file: header and rows. */
export interface CsvFile {
  header: string[];
  rows: string[][];
}

// Other calls get a turn of the event loop in between. A choice: 64 KiB take some 20 ms on a busy machine (bench row V1).
const bytesPerTurn = 8 * 1_024;
// A row is parsed and sent to the database in one go. A choice.
const maxRowBytes = 4 * 1_024 * 1_024;
// Empty fields add no bytes but take memory, so columns have a limit too.
const maxFieldsPerLine = 1_000_000;
const maxHeaderCharacters = 65_536;
const maxColumns = 200;
const delimiters = [',', ';', '\t'];
const quotedText = /"[^"]*"?/g;

/**
 * Parses CSV in UTF-8 or, with a byte order mark, UTF-16. The separator is a comma, semicolon or tab, whichever is most frequent in
 * the first line. Any line ends; empty lines are skipped. Rows may be shorter than the header; fields beyond it are dropped.
 * @throws CsvFileError
 */
export async function readCsvFile(bytes: Buffer, maxRows: number): Promise<CsvFile> {
  const text = toUtf8(bytes);
  const delimiter = delimiterOf(text);
  const parser = pipeline(
    Readable.from(piecesOf(text, delimiter), { objectMode: false }),
    parse({
      delimiter,
      // Files merged from several have mixed line ends.
      record_delimiter: ['\r\n', '\n', '\r'],
      max_record_size: maxRowBytes,
      relax_column_count: true,
      // A quote inside an unquoted field is a literal quote.
      relax_quotes: true,
      skip_empty_lines: true,
    }),
    // The consumer of the stream gets the error.
    () => {},
  );
  let header: string[] | undefined;
  const rows: string[][] = [];
  try {
    for await (const row of parser as AsyncIterable<string[]>) {
      if (header === undefined) {
        header = toHeader(row);
        continue;
      }
      if (rows.length === maxRows) throw new CsvFileError(`must have at most ${maxRows} rows`);
      rows.push(row.length > header.length ? row.slice(0, header.length) : row);
    }
  } catch (error) {
    if (error instanceof CsvFileError) throw error;
    const { code, lines } = error as CsvError & { lines?: number };
    if (code === undefined) throw error;
    throw new CsvFileError(`line ${lines ?? 1}: ${problems[code] ?? 'it cannot be read as CSV'}`, { cause: error });
  }
  if (header === undefined) throw new CsvFileError('must have a header');
  return { header, rows };
}

const problems: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_MAX_RECORD_SIZE: 'it is too long, or a quote before it is not closed',
};

function toHeader(row: readonly string[]): string[] {
  if (row.length > maxColumns) throw new CsvFileError(`must have at most ${maxColumns} columns`);
  const header = row.map((column) => column.trim());
  // Columns without a name count too.
  const characters = header.reduce((sum, column) => sum + column.length + 1, 0);
  if (characters > maxHeaderCharacters) throw new CsvFileError('its header is too long');
  return header;
}

/** Decodes a file; drops the byte order mark. */
function toUtf8(bytes: Buffer): Buffer {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const text = isUtf16 ? fromUtf16(bytes) : bytes;
  if (text === undefined || !isUtf8(text) || text.includes(0))
    throw new CsvFileError('must be a CSV file, text in UTF-8');
  return text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? text.subarray(3) : text;
}

function fromUtf16(bytes: Buffer): Buffer | undefined {
  try {
    return Buffer.from(new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function delimiterOf(text: Buffer): string {
  // Enough of the first line to count separators.
  const [line = ''] = text
    .toString('utf8', 0, maxHeaderCharacters)
    .replace(/^[\r\n]+/, '')
    .split(/[\r\n]/, 1);
  const unquoted = line.replaceAll(quotedText, '');
  const counts = delimiters.map((delimiter) => unquoted.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))]!;
}

/** @throws CsvFileError for a line with too many fields. */
async function* piecesOf(text: Buffer, delimiter: string): AsyncGenerator<Buffer> {
  const [comma] = Buffer.from(delimiter);
  let fields = 0;
  for (let at = 0; at < text.length; at += bytesPerTurn) {
    const piece = text.subarray(at, at + bytesPerTurn);
    for (const byte of piece) {
      if (byte === comma) fields += 1;
      else if (byte === 0x0a || byte === 0x0d) fields = 0;
    }
    if (fields > maxFieldsPerLine) throw new CsvFileError('a line has too many fields');
    yield piece;
    await nextTurn();
  }
}
