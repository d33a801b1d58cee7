import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { parse } from 'csv-parse';
import {
  type CsvFile,
  CsvFileError,
  CsvLines,
  csvOptions,
  delimiterOf,
  describeCsvError,
  notText,
} from '#core/imports/csv-file.ts';
import { createTurn } from '#core/lib/turn.ts';

// Other calls may get a turn of the event loop in between. A choice: 2 KiB take some 0.5 ms on a busy machine (bench row V1).
const bytesPerPiece = 2 * 1_024;
// Empty fields add no bytes but take memory, so columns have a limit too.
const maxFieldsPerLine = 1_000_000;
// More than the header may have.
const startBytes = 262_144;

/**
 * Parses CSV in UTF-8 or, with a byte order mark, UTF-16. The separator is a comma, semicolon or tab, whichever is most frequent in
 * the first line. Any line ends; empty lines are skipped. Rows may be shorter than the header; fields beyond it are dropped.
 * @throws CsvFileError
 */
export async function readCsvFile(bytes: Buffer, maxRows: number): Promise<CsvFile> {
  const text = toUtf8(bytes);
  const delimiter = delimiterOf(text.toString('utf8', 0, startBytes));
  const parser = pipeline(
    Readable.from(piecesOf(text, delimiter), { objectMode: false }),
    parse(csvOptions(delimiter)),
    // The consumer of the stream gets the error.
    () => {},
  );
  const lines = new CsvLines(maxRows);
  try {
    for await (const line of parser as AsyncIterable<string[]>) lines.add(line);
  } catch (error) {
    throw describeCsvError(error);
  }
  return lines.file();
}

/** Decodes a file; drops the byte order mark. */
function toUtf8(bytes: Buffer): Buffer {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const text = isUtf16 ? fromUtf16(bytes) : bytes;
  if (text === undefined || !isUtf8(text) || text.includes(0)) throw new CsvFileError(notText);
  return text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? text.subarray(3) : text;
}

function fromUtf16(bytes: Buffer): Buffer | undefined {
  try {
    return Buffer.from(new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** @throws CsvFileError for a line with too many fields. */
async function* piecesOf(text: Buffer, delimiter: string): AsyncGenerator<Buffer> {
  const [comma] = Buffer.from(delimiter);
  let fields = 0;
  const turn = createTurn();
  for (let at = 0; at < text.length; at += bytesPerPiece) {
    const piece = text.subarray(at, at + bytesPerPiece);
    for (const byte of piece) {
      if (byte === comma) fields += 1;
      else if (byte === 0x0a || byte === 0x0d) fields = 0;
    }
    if (fields > maxFieldsPerLine) throw new CsvFileError('a line has too many fields');
    yield piece;
    await turn();
  }
}
