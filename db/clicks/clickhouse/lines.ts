import { type ClickColumn, clickColumns } from '#core/clicks/click.ts';
import { type Clicks, linesInTurns } from '#db/clicks/lines.ts';

const idLength = 36;
const visitorStart = 99;
// In a journal a visitor is two backslashes, an x, and 32 digits.
const visitorPrefix = 3;
const tagsColumn = clickColumns.indexOf('tag_ids' satisfies ClickColumn);
const [tab, newline, comma, quote] = [0x09, 0x0a, 0x2c, 0x27];
const [openSet, closeSet, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];
const wellFormedId = /^[0-9a-f-]{36}$/;

/**
 * Lines of a journal as ClickHouse's TabSeparated has them, which differs from PostgreSQL's text format in two columns: the
 * visitor, and the list of tags, `['…','…']` for `{…,…}`.
 */
export async function toTabSeparated({ bytes, columns }: Pick<Clicks, 'bytes' | 'columns'>): Promise<Buffer> {
  // Each tag of 36 characters gets two quotes.
  const made = Buffer.allocUnsafe(bytes.length + Math.ceil(bytes.length / idLength) * 2);
  let length = 0;
  const copy = (from: number, to: number): void => {
    length += bytes.copy(made, length, from, to);
  };
  for await (const lines of linesInTurns(bytes)) {
    for (const [start, end] of lines) {
      const [tagsStart, tagsEnd] = fieldFromEnd(bytes, end, columns - 1 - tagsColumn);
      copy(start, start + visitorStart);
      copy(start + visitorStart + visitorPrefix, tagsStart);
      for (let at = tagsStart; at < tagsEnd; at += 1) {
        const byte = bytes[at]!;
        if (byte === openSet) {
          made[length++] = openList;
          if (bytes[at + 1] !== closeSet) made[length++] = quote;
        } else if (byte === comma) {
          made[length++] = quote;
          made[length++] = comma;
          made[length++] = quote;
        } else if (byte === closeSet) {
          if (bytes[at - 1] !== openSet) made[length++] = quote;
          made[length++] = closeList;
        } else made[length++] = byte;
      }
      copy(tagsEnd, end);
    }
  }
  return made.subarray(0, length);
}

/** Reads the ids of clicks; ids that are no UUIDs are left out, since no table holds such clicks. */
export async function idsOf({ bytes }: Pick<Clicks, 'bytes'>): Promise<string[]> {
  const ids: string[] = [];
  for await (const lines of linesInTurns(bytes))
    for (const [start] of lines) ids.push(bytes.toString('latin1', start, start + idLength));
  return ids.filter((id) => wellFormedId.test(id));
}

/** Lines of all other clicks. */
export async function withoutIds({ bytes }: Pick<Clicks, 'bytes'>, ids: ReadonlySet<string>): Promise<Buffer> {
  const kept: Buffer[] = [];
  for await (const lines of linesInTurns(bytes))
    for (const [start, end] of lines)
      if (!ids.has(bytes.toString('latin1', start, start + idLength))) kept.push(bytes.subarray(start, end));
  return Buffer.concat(kept);
}

/** Start and end of a line's field, counted from the last one, which is 0. */
function fieldFromEnd(bytes: Buffer, lineEnd: number, place: number): [start: number, end: number] {
  let end = bytes[lineEnd - 1] === newline ? lineEnd - 1 : lineEnd;
  for (let left = place; left > 0; left -= 1) end = bytes.lastIndexOf(tab, end - 1);
  return [bytes.lastIndexOf(tab, end - 1) + 1, end];
}
