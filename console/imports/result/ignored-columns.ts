import type { Import } from '#console/api/links/imports.ts';

const namesInRemark = /^Columns with values that no field is read from: (.+?)(?:, and \d+ more)?\.$/;

/** The ignored columns that no remark of the import names: those without values, and further ones. */
export function unnamedColumns({ ignoredColumns, remarks }: Pick<Import, 'ignoredColumns' | 'remarks'>): string[] {
  const named = new Set(remarks.flatMap((remark) => namesInRemark.exec(remark)?.[1]?.split(', ') ?? []));
  return ignoredColumns.filter((column) => !named.has(column));
}
