import { isObject } from '#core/lib/is-object.ts';
import { noWords, readStatus, yesWords } from '#core/imports/protection.ts';

/** A text that is no flag stays as it is: the schema refuses it by its field's name. */
export function toFlag(text: string | undefined): boolean | string | undefined {
  if (text === undefined) return undefined;
  if (yesWords.test(text)) return true;
  return noWords.test(text) ? false : text;
}

/** Whether a link is active; words for states mean the same as yes and no. */
export function toActive(text: string | undefined): boolean | string | undefined {
  const flag = toFlag(text);
  if (typeof flag !== 'string') return flag;
  const status = readStatus(flag);
  return status === 'alive' || status === 'off' ? status === 'alive' : flag;
}

/** A text that is no count stays as it is: the schema refuses it by its field's name. */
export function toCount(text: string | undefined): number | string | undefined {
  if (text === undefined) return undefined;
  const digits = /^\d{1,3}(?:[,. ]\d{3})+$/.test(text) ? text.replaceAll(/[,. ]/g, '') : text.replace(/\.0{1,2}$/, '');
  return /^\d{1,15}$/.test(digits) ? Number(digits) : text;
}

/** A text that is no JSON stays as it is: the schema refuses it by its field's name. */
export function toJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) || Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}

const maxTitle = 255;
export const maxNotes = 2_000;

/** Other services store the titles of pages, of any content and length. */
export function toTitle(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return cut(line, maxTitle);
}

/** The first `max` characters of a text, without NUL, and with U+FFFD for lone surrogates: fields of links refuse both. */
export function cut(text: string, max: number): string {
  // A character has at most two UTF-16 units.
  const start = text
    .toWellFormed()
    .replaceAll('\u0000', '')
    .slice(0, 2 * max);
  return Array.from(start).slice(0, max).join('');
}

const tooLong =
  'this row has more cells than the header, so that they may stand under wrong columns: put texts with separators into quotes';

const swallowed =
  'a text of this row holds other rows: a quote before them is not closed; write a quote inside a text twice, or without quotes around it';

/** Whether a line inside of a cell looks like a row: with as many separators, and a URL. */
function holdsRows(cell: string, columns: number): boolean {
  if (columns < 2 || !/[\r\n]/.test(cell)) return false;
  const lines = cell.split(/[\r\n]+/).slice(1);
  return lines.some(
    (line) => line.includes('://') && [',', ';', '\t', '|'].some((one) => line.split(one).length === columns),
  );
}

/** Why the cells of a row may not stand under their columns; undefined: they do. */
export function findShapeProblem(fields: readonly string[], columns: number): string | undefined {
  if (fields.length > columns) return tooLong;
  return fields.some((field) => holdsRows(field, columns)) ? swallowed : undefined;
}
