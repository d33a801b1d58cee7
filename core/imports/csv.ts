// What a spreadsheet takes for the beginning of a formula; it reads the full-width twins like the ASCII characters.
const start = '[=+\\-@\\t\\r＝＋－＠]';
// Where a cell begins: a spreadsheet that splits at semicolons or tabs pays no attention to the quotes around the field.
const cellBreak = '[;\\t\\r\\n]';
// Apostrophes in front belong to the pattern: so a guarded field never equals one that was written that way.
const formula = new RegExp(`(?:^|${cellBreak})'*${start}`);
const unguarded = new RegExp(`(?<=${cellBreak})(?='*${start})`, 'g');
const guarded = new RegExp(`(?<=${cellBreak})'(?='*${start})`, 'g');

/** What a spreadsheet needs to see that a file is UTF-8. */
export const byteOrderMark = '\uFEFF';

/**
 * A line of CSV as RFC 4180 has it, its end included. Every field is quoted; null is an empty one. A field in which a
 * spreadsheet would find a formula begins with an apostrophe more, and has another in front of each formula behind a
 * semicolon, a tab or a line break.
 */
export function csvLine(fields: readonly (string | null)[]): string {
  return `${fields.map((field) => `"${guard(field ?? '').replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/** A field of such a line, unquoted, as it was before it was guarded. */
export function readCsvField(field: string): string {
  if (!field.startsWith("'")) return field;
  const rest = field.slice(1);
  return formula.test(rest) ? rest.replaceAll(guarded, '') : field;
}

function guard(field: string): string {
  return formula.test(field) ? `'${field.replaceAll(unguarded, "'")}` : field;
}
