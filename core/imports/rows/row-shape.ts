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
