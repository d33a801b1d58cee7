import type { readMoment } from './moments.ts';

/** The date in a cell that is not empty. */
export interface DateCell {
  at: ReturnType<typeof readMoment>;
}

/** Reads a row by the names of its columns: the first of them that holds a value counts. */
export interface Row {
  text: (...names: readonly string[]) => string | undefined;
  /** @param empty cells that hold no date. */
  date: (names: readonly string[], empty?: RegExp) => DateCell | undefined;
  hasColumn: (name: string) => boolean;
  /** The name of a column as the file has it. */
  columnOf: (name: string) => string;
}
