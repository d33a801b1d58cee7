import { z } from 'zod';
import { lengths } from '#core/lengths.ts';
import { idSchema } from '#core/links/draft.ts';
import { text, trimmed } from '#core/lib/schemas.ts';
import type { StaffListQuery } from '#db/organizations/staff-lists.ts';

const defaultLimit = 50;
const maxLimit = 100;
const shortestPassword = 8;
const longestPassword = 128;

/** Fields of every list's input. A list whose cursor is not an id overrides `cursor`. */
export const listShape = {
  cursor: idSchema.optional().describe('`nextCursor` of the page before.'),
  limit: z.int().min(1).max(maxLimit).default(defaultLimit),
  organizationId: idSchema.optional(),
  search: text({ max: 500 })
    .overwrite((search) => search.trim())
    .transform((search) => (search === '' ? undefined : search))
    .optional(),
};

/** Input of a list. Without input: the first page over all organizations. */
export const listInput = z.strictObject(listShape).prefault({});

export const momentSchema = z.iso
  .datetime({ offset: true, error: 'must be a moment like 2026-03-14T15:00:00Z' })
  .transform((moment) => new Date(moment));

export const idInput = z.strictObject({ id: idSchema });

/** What staff tell an organization about a suspension or a take-down. */
export const reasonSchema = trimmed(lengths.staffReason);

export const passwordSchema = text({ min: shortestPassword, max: longestPassword });

export interface Page<Item> {
  items: Item[];
  /** Cursor of the next page; null on the last one. */
  nextCursor: string | null;
}

/**
 * Reads one row more than a page holds, to learn whether another page follows. Moments may stay Dates: JSON writes them in ISO 8601.
 * @param cursorOf the cursor that continues after a row.
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
