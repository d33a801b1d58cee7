/** Result of a statement. */
export interface StatementResult {
  /** The command tag, such as `SELECT` or `UPDATE`. */
  command: string;
  columns: string[];
  /** One array a row, in the order of the columns. */
  rows: unknown[][];
  /** Number of returned or changed rows; null for commands without rows. */
  rowCount: number | null;
  /** Whether rows beyond the limit were dropped. */
  isCut: boolean;
}

/** A result as JSON; each row is an object by column. */
export function resultJson({ command, columns, rows, rowCount, isCut }: StatementResult): object {
  const named = rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])));
  return { command, rowCount, rows: named, ...(isCut ? { isCut } : {}) };
}

/** A result as a table, or with `isExpanded` as one line for each value. */
export function resultText(result: StatementResult, { isExpanded = false } = {}): string {
  const { command, columns, rows, rowCount, isCut } = result;
  if (columns.length === 0) return rowCount === null ? command : `${command} ${rowCount}`;
  const cells = rows.map((row) => row.map(cellOf));
  const body = isExpanded ? expandedText(columns, cells) : tableText(columns, cells);
  const count = `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'}${isCut ? '; there are more: see --limit' : ''})`;
  return `${body}\n${count}`;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // Keeps a row on one line, and escapes control sequences of terminals.
  return text.replaceAll(/\p{Cc}/gu, (character) => {
    const escaped = JSON.stringify(character).slice(1, -1);
    return escaped === character ? `\\u00${character.charCodeAt(0).toString(16)}` : escaped;
  });
}

function tableText(columns: readonly string[], rows: readonly string[][]): string {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]!.length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => cell.padEnd(widths[index]!))
      .join(' | ')
      .trimEnd();
  return [line(columns), widths.map((width) => '-'.repeat(width)).join('-+-'), ...rows.map(line)].join('\n');
}

function expandedText(columns: readonly string[], rows: readonly string[][]): string {
  const width = Math.max(...columns.map((column) => column.length));
  return rows
    .flatMap((row, number) => [
      `-- row ${number + 1}`,
      ...columns.map((column, index) => `${column.padEnd(width)} | ${row[index]}`),
    ])
    .join('\n');
}
