import { z } from 'zod';
import { idSchema } from '#core/links/draft.ts';
import { text } from '#core/lib/text.ts';
import type { StaffListQuery } from '#db/organizations/staff-lists.ts';

const defaultLimit = 50;
const maxLimit = 100;

/** Fields that the input of every list has; where the cursor is not an id, `cursor` replaces it. */
export const listShape = {
  cursor: idSchema.optional().describe('`nextCursor` of the page before.'),
  limit: z.int().min(1).max(maxLimit).default(defaultLimit),
  organizationId: idSchema.optional(),
  search: text({ max: 500 })
    .overwrite((search) => search.trim())
    .transform((search) => (search === '' ? undefined : search))
    .optional(),
};

/** The input of a list; none at all is the first page of everything. */
export const listInput = z.strictObject(listShape).prefault({});

/** The input of what is about one thing alone. */
export const idInput = z.strictObject({ id: idSchema });

/** A page of a list. */
export interface Page<Item> {
  items: Item[];
  /** For the next page; null where this one is the last. */
  nextCursor: string | null;
}

/**
 * Reads one row more than a page has, to tell whether another page follows.
 * @param cursorOf names a row as the cursor after it.
 */
export async function readPage<Row, Item>(
  query: StaffListQuery,
  read: (query: StaffListQuery) => Promise<Row[]>,
  { present, cursorOf }: { present: (row: Row) => Item; cursorOf: (row: Row) => string },
): Promise<Page<Item>> {
  const rows = await read({ ...query, limit: query.limit + 1 });
  const page = rows.slice(0, query.limit);
  const isLast = rows.length <= query.limit;
  return { items: page.map(present), nextCursor: isLast ? null : cursorOf(page.at(-1)!) };
}
