/** Paging of a list. */
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

/** Paging as options of `findAndCount`. With `limit` 0 only the count is asked for. */
export function offsetOf({ limit, page }: Paging): { limit: number; offset: number } {
  return { limit, offset: limit * page };
}

/** A LIKE pattern of texts that contain `term` literally. */
export function containing(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
