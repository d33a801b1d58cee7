import { type DateOrder, orderOf } from './moments.ts';

/** Of each column the order of day and month that its rows settle; null: none does, or some contradict others. */
export type DateOrders = readonly (DateOrder | null)[];

/** Finds how each column of a file writes day and month: one date with a day above 12 settles it for all of its column. */
export class DateOrderFinder {
  readonly #found: (DateOrder | 'both' | null)[];

  constructor(columns: number) {
    this.#found = Array.from({ length: columns }, () => null);
  }

  add(row: readonly string[]): void {
    for (const [index, field] of row.entries()) {
      const before = this.#found[index];
      // Nearly all fields are no dates, and most dates come after another that settles.
      if (before === undefined || before === 'both' || field.length < 8 || field.length > 64) continue;
      const order = orderOf(field.trim());
      if (order !== undefined) this.#found[index] = before === null || before === order ? order : 'both';
    }
  }

  orders(): DateOrders {
    return this.#found.map((order) => (order === 'both' ? null : order));
  }
}
