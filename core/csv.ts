// What a spreadsheet may take for a formula, and what was one before it got its apostrophe.
const formula = /^'*[=+\-@\t\r]/;
const quoted = /[",\r\n]/;

/**
 * A line of CSV as RFC 4180 has it, its end included; null is an empty field. A field that a spreadsheet would run as a
 * formula begins with an apostrophe more.
 */
export function csvLine(fields: readonly (string | null)[]): string {
  return `${fields.map((field) => (field === null ? '' : csvField(field))).join(',')}\r\n`;
}

/** A field of such a line as it was before. */
export function readCsvField(field: string): string {
  return field.startsWith("'") && formula.test(field) ? field.slice(1) : field;
}

function csvField(field: string): string {
  const harmless = formula.test(field) ? `'${field}` : field;
  return quoted.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
