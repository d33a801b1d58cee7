import { columnName, type ImportFormat } from '#core/imports/formats.ts';
import { isLeftOut } from '#core/imports/column-meaning.ts';
import { linkColumns } from '#core/imports/link-columns.ts';
import { readMapping } from '#core/imports/mapping.ts';
import { clickNames } from '#core/imports/protection.ts';
import { emptyMarks } from './row-reader.ts';

/**
 * Finds columns of an import that hold values although no field of a link is read from them. Columns that a person left out in the
 * console are not among them.
 */
export class LostValuesFinder {
  readonly #columns: readonly string[];
  readonly #empty: Set<number>;

  constructor(format: ImportFormat, header: readonly string[]) {
    const uses = readMapping(format, header);
    // A cap is less the clicks that such a column counts.
    const counts = uses.includes('maxClicks') ? clickNames : [];
    // Of our own export, what a new link has anew.
    const known = new Set([...counts, ...(format === 'waymark' ? linkColumns.map(columnName) : [])]);
    this.#columns = header.map((column, index) =>
      uses[index] !== 'ignored' || isLeftOut(column) || known.has(columnName(column)) ? '' : column,
    );
    this.#empty = new Set([...this.#columns.keys()].filter((index) => this.#columns[index] !== ''));
  }

  add(row: readonly string[]): void {
    for (const index of this.#empty) {
      const text = row[index]?.trim() ?? '';
      if (text !== '' && !emptyMarks.test(text)) this.#empty.delete(index);
    }
  }

  /** The names of these columns, as the file has them. */
  columns(): string[] {
    return this.#columns.filter((column, index) => column !== '' && !this.#empty.has(index));
  }
}
