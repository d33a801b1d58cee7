/** What a statement came to. */
export interface StatementResult {
  /** Such as `SELECT` or `UPDATE`. */
  command: string;
  columns: string[];
  /** One array a row, in the order of the columns. */
  rows: unknown[][];
  /** How many rows it returned or changed; null where it speaks of none. */
  rowCount: number | null;
  /** Whether there were more rows than are here. */
  isCut: boolean;
}

/** A result as JSON: rows by the names of their columns. */
export function resultJson({ command, columns, rows, rowCount, isCut }: StatementResult): object {
  const named = rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])));
  return { command, rowCount, rows: named, ...(isCut ? { isCut } : {}) };
}

/** A result as people read it: a table, or one line a value where `isExpanded`. */
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
  // One line a row; and nothing that a terminal would obey.
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
