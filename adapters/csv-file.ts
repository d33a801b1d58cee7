import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CsvError, parse } from 'csv-parse';

/** Why a file cannot be read; the message completes "file: …". */
export class CsvFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CsvFileError';
  }
}

/** The rows of a file, the first of them apart. */
export interface CsvFile {
  header: string[];
  rows: string[][];
}

// Others have their turn in between.
const charactersPerTurn = 64 * 1_024;
const delimiters = [',', ';', '\t'];
const quotedText = /"(?:[^"]|"")*"/g;

/**
 * Reads a file of CSV: UTF-8 or, with a byte order mark, UTF-16; fields separated by commas, semicolons or tabs, whichever its
 * first line has most of. Empty lines are passed over; rows may be shorter or longer than the header.
 * @throws CsvFileError
 */
export async function readCsvFile(bytes: Buffer, maxRows: number): Promise<CsvFile> {
  const text = decode(bytes);
  const parser = Readable.from(piecesOf(text)).pipe(
    parse({
      delimiter: delimiterOf(text),
      relax_column_count: true,
      // A quote in the middle of a field is one.
      relax_quotes: true,
      skip_empty_lines: true,
    }),
  );
  const rows: string[][] = [];
  try {
    for await (const row of parser as AsyncIterable<string[]>) {
      rows.push(row);
      if (rows.length > maxRows + 1) throw new CsvFileError(`must have at most ${maxRows} rows`);
    }
  } catch (error) {
    if (error instanceof CsvFileError) throw error;
    const { code, lines } = error as CsvError & { lines?: number };
    if (code === undefined) throw error;
    const problem = code === 'CSV_QUOTE_NOT_CLOSED' ? 'a quote is not closed' : 'it cannot be read as CSV';
    throw new CsvFileError(`line ${lines ?? 1}: ${problem}`, { cause: error });
  }
  const [header, ...rest] = rows;
  if (header === undefined) throw new CsvFileError('must have a header');
  return { header: header.map((column) => column.trim()), rows: rest };
}

function decode(bytes: Buffer): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const encoding = isUtf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8';
  try {
    // A byte order mark is not part of the text.
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\u0000')) return text;
  } catch {
    // Not text, or of an encoding that nothing tells.
  }
  throw new CsvFileError('must be a CSV file, text in UTF-8');
}

function delimiterOf(text: string): string {
  const line = text.slice(0, text.search(/[\r\n]|$/)).replaceAll(quotedText, '');
  const counts = delimiters.map((delimiter) => line.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))]!;
}

async function* piecesOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += charactersPerTurn) {
    yield text.slice(at, at + charactersPerTurn);
    await nextTurn();
  }
}
