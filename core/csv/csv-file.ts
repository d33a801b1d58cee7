import type { FileEncoding } from './encoding.ts';

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
  encoding: FileEncoding;
  separator: Separator;
}

/** The characters that may separate the fields of a file; `|` where its first line `sep=|` says so. */
export type Separator = ',' | ';' | '\t' | '|';

/** The most bytes of a file of links. */
export const maxImportBytes = 20_971_520;
/** The most rows of a file of links, its header not counted. */
export const maxImportRows = 100_000;

// A row is parsed and sent to the database in one go.
const maxRowBytes = 4 * 1_024 * 1_024;
const maxHeaderCharacters = 65_536;
const maxColumns = 200;
const guessed = [',', ';', '\t'] as const;
// Spreadsheets read it, and some programs write it, with further separators up to the number of columns.
const separatorLine = /^"?sep=([,;\t|])"?[ ,;\t|]*(?:\r\n|\r|\n|$)/i;
const quotedText = /"[^"]*"?/g;

/** The message for bytes that are no text. */
export const notText =
  'must be a CSV file, text in UTF-8, UTF-16 or Windows-1252; save it as UTF-8 if it is in another encoding';

/**
 * Finds the separator of a file: the one that its first line names (`sep=;`), else a comma, semicolon or tab, whichever is most
 * frequent in the first line.
 * @param text of the file, or its beginning.
 * @returns it, and where the lines begin, in characters.
 */
export function findSeparator(text: string): { separator: Separator; start: number } {
  const named = separatorLine.exec(text);
  if (named !== null) return { separator: named[1] as Separator, start: named[0].length };
  // Enough of the first line to count separators.
  const [line = ''] = text
    .slice(0, maxHeaderCharacters)
    .replace(/^[\r\n]+/, '')
    .split(/[\r\n]/, 1);
  const unquoted = line.replaceAll(quotedText, '');
  const counts = guessed.map((separator) => unquoted.split(separator).length);
  return { separator: guessed[counts.indexOf(Math.max(...counts))]!, start: 0 };
}

/** Options of csv-parse: any line ends, empty lines are skipped, and rows may be shorter or longer than the header. */
export function csvOptions(delimiter: string) {
  return {
    delimiter,
    // Files merged from several have mixed line ends.
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: maxRowBytes,
    relax_column_count: true,
    // A quote inside an unquoted field is a literal quote.
    relax_quotes: true,
    skip_empty_lines: true,
  };
}

/**
 * Gathers parsed lines: the first is the header, and lines of separators alone are ignored. Of the fields beyond the header the first
 * that is not empty stays, as a sign that the fields of this row may stand under the wrong columns.
 */
export class CsvLines {
  #header: string[] | undefined;
  readonly #rows: string[][] = [];
  readonly #maxRows: number;

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** @throws CsvFileError for a header or a number of rows that no file may have. */
  add(line: string[]): void {
    if (line.every((field) => field.trim() === '')) return;
    if (this.#header === undefined) {
      this.#header = toHeader(line);
      return;
    }
    if (this.#rows.length === this.#maxRows) throw new CsvFileError(`must have at most ${this.#maxRows} rows`);
    const { length } = this.#header;
    const surplus = line.slice(length).find((field) => field.trim() !== '');
    if (surplus !== undefined) this.#rows.push([...line.slice(0, length), surplus]);
    else this.#rows.push(line.length > length ? line.slice(0, length) : line);
  }

  /** @throws CsvFileError without a header. */
  file(read: Pick<CsvFile, 'encoding' | 'separator'>): CsvFile {
    if (this.#header === undefined) throw new CsvFileError('must have a header');
    return { header: this.#header, rows: this.#rows, ...read };
  }
}

const problems: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_MAX_RECORD_SIZE: 'it is too long, or a quote before it is not closed',
};

/** What an error of csv-parse says of the file; other errors stay as they are. */
export function describeCsvError(error: unknown): unknown {
  const { code, lines } = error as { code?: string; lines?: number };
  if (error instanceof CsvFileError || code === undefined) return error;
  return new CsvFileError(`line ${lines ?? 1}: ${problems[code] ?? 'it cannot be read as CSV'}`, { cause: error });
}

function toHeader(row: readonly string[]): string[] {
  if (row.length > maxColumns) throw new CsvFileError(`must have at most ${maxColumns} columns`);
  const header = row.map((column) => column.trim());
  // Columns without a name count too.
  const characters = header.reduce((sum, column) => sum + column.length + 1, 0);
  if (characters > maxHeaderCharacters) throw new CsvFileError('its header is too long');
  return header;
}
