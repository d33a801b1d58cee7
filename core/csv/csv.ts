// Spreadsheets take these for the beginning of a formula; they read the full-width twins like the ASCII characters.
const start = '[=+\\-@\\t\\r＝＋－＠]';
// A spreadsheet that splits at semicolons or tabs begins a cell here: it ignores the quotes around the field.
const cellBreak = '[;\\t\\r\\n]';
// Spaces in front hide no formula.
const spaces = '[^\\S\\t\\r\\n]*';
// A number with its sign, such as +49 30 1234, runs nothing.
const number = `[+\\-]\\d+(?:[ .,]\\d+)*${spaces}(?=${cellBreak}|$)`;
// The pattern includes apostrophes in front: a guarded field never equals a field that was written with one.
const begins = `(?:'+${spaces}${start}|${spaces}(?!${number})${start})`;
const formula = new RegExp(`(?:^|${cellBreak})${begins}`);
const unguarded = new RegExp(`(?<=${cellBreak})(?=${begins})`, 'g');
// Exports of earlier versions guard numbers too.
const anyBegins = `'*${spaces}${start}`;
const wasFormula = new RegExp(`(?:^|${cellBreak})${anyBegins}`);
const guarded = new RegExp(`(?<=${cellBreak})'(?=${anyBegins})`, 'g');

/** Spreadsheets recognise UTF-8 by it. */
export const byteOrderMark = '\uFEFF';

/**
 * Writes a line of CSV (RFC 4180), its end included. Every field is quoted; null is an empty field. An apostrophe is put in
 * front of a field that a spreadsheet would take for a formula, and of each formula after a semicolon, a tab or a line break in
 * it; spaces before it count for nothing, and a number with its sign is no formula.
 */
export function csvLine(fields: readonly (string | null)[]): string {
  return `${fields.map((field) => `"${guard(field ?? '').replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/** Removes the guards that `csvLine` puts into a field. */
export function readCsvField(field: string): string {
  return isReadAsGuarded(field) ? field.slice(1).replaceAll(guarded, '') : field;
}

function isReadAsGuarded(field: string): boolean {
  return field.startsWith("'") && wasFormula.test(field.slice(1));
}

function guard(field: string): string {
  return formula.test(field) || isReadAsGuarded(field) ? `'${field.replaceAll(unguarded, "'")}` : field;
}
