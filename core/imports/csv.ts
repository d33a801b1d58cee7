// Spreadsheets take these for the beginning of a formula; they read the full-width twins like the ASCII characters.
const start = '[=+\\-@\\t\\r＝＋－＠]';
// A spreadsheet that splits at semicolons or tabs begins a cell here: it ignores the quotes around the field.
const cellBreak = '[;\\t\\r\\n]';
// The pattern includes apostrophes in front: a guarded field never equals a field that was written with one.
const formula = new RegExp(`(?:^|${cellBreak})'*${start}`);
const unguarded = new RegExp(`(?<=${cellBreak})(?='*${start})`, 'g');
const guarded = new RegExp(`(?<=${cellBreak})'(?='*${start})`, 'g');

/** Spreadsheets recognise UTF-8 by it. */
export const byteOrderMark = '\uFEFF';

/**
 * Writes a line of CSV (RFC 4180), its end included. Every field is quoted; null is an empty field. An apostrophe is put in
 * front of a field that a spreadsheet would take for a formula, and of each formula after a semicolon, a tab or a line break in
 * it.
 */
export function csvLine(fields: readonly (string | null)[]): string {
  return `${fields.map((field) => `"${guard(field ?? '').replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/** Removes the guards that `csvLine` puts into a field. */
export function readCsvField(field: string): string {
  if (!field.startsWith("'")) return field;
  const rest = field.slice(1);
  return formula.test(rest) ? rest.replaceAll(guarded, '') : field;
}

function guard(field: string): string {
  return formula.test(field) ? `'${field.replaceAll(unguarded, "'")}` : field;
}
