import { lastMs } from '#core/stats/stats.ts';
import type { Position } from '#db/connection/lists/paging.ts';

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The `nextCursor` of a page: opaque to clients. @param order the order of the list, where a call chooses it. */
export function toCursor({ atMs, id }: Position, order?: string): string {
  return Buffer.from(`${order === undefined ? '' : `${order} `}${atMs} ${id}`, 'latin1').toString('base64url');
}

/** The shown rows of a list, and its `nextCursor`. @param found one row more than `limit` where a page follows. */
export function pageOf<Row>(
  found: readonly Row[],
  limit: number,
  positionOf: (row: Row) => Position,
): { rows: Row[]; nextCursor: string | null } {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, nextCursor: last === undefined ? null : toCursor(positionOf(last)) };
}

/** Position of a row in a list that is ordered by `createdAt` and `id`. */
export const byCreation = ({ createdAt, id }: { createdAt: Date; id: string }): Position => ({
  atMs: createdAt.getTime(),
  id,
});

/** Position of a row in a list that is ordered by `at` and `id`. */
export const byMoment = ({ at, id }: { at: Date; id: string }): Position => ({ atMs: at.getTime(), id });

/** The position after which a page begins; undefined: the text is no cursor of a list in this order. */
export function readCursor(cursor: string, order?: string): Position | undefined {
  const parts = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  const [time = '', id = ''] = order === undefined ? parts : parts.slice(1);
  const parsed = { atMs: Number(time), id };
  const isWhole = /^\d{1,15}$/.test(time) && parsed.atMs <= lastMs && uuid.test(id);
  // The comparison also refuses another order, more parts, and spellings that base64url decodes to the same bytes.
  return isWhole && toCursor(parsed, order) === cursor ? parsed : undefined;
}
