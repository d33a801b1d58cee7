export interface Paging {
  limit: number;
  /** From 0. */
  page: number;
}

/** Where a list that is ordered by moment and id continues: after this row. */
export interface Position {
  atMs: number;
  id: string;
}

/** A page by its number, or after the last row of the page before. */
export interface CursorPaging extends Paging {
  /** In place of `page`. */
  after?: Position | undefined;
}

/** The rows after a position of a list that is ordered by `createdAt` and `id`, the most recent first. */
export function olderThan({ atMs, id }: Position) {
  const createdAt = new Date(atMs);
  return { $or: [{ createdAt: { $lt: createdAt } }, { createdAt, id: { $lt: id } }] };
}

/** Paging as options of `findAndCount`. With `limit` 0 only the count is asked for. */
export function offsetOf({ limit, page }: Paging): { limit: number; offset: number } {
  return { limit, offset: limit * page };
}

/** A LIKE pattern of texts that contain `term` literally. */
export function containing(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
