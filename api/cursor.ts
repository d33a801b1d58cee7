import { invalid } from '#core/errors/errors.ts';
import { lastMs } from '#core/stats/stats.ts';
import type { Position } from '#db/connection/paging.ts';

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The `nextCursor` of a page: opaque to clients. @param order the order of the list, where a call chooses it. */
export function toCursor({ atMs, id }: Position, order?: string): string {
  return Buffer.from(`${order === undefined ? '' : `${order} `}${atMs} ${id}`, 'latin1').toString('base64url');
}

/** @throws AppError VALIDATION_ERROR for a cursor that is not the `nextCursor` of a page in the same order. */
export function parseCursor(cursor: string, order?: string): Position {
  const parts = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  const [time = '', id = ''] = order === undefined ? parts : parts.slice(1);
  const parsed = { atMs: Number(time), id };
  const isWhole = /^\d{1,15}$/.test(time) && parsed.atMs <= lastMs && uuid.test(id);
  // The comparison also refuses another order, more parts, and spellings that base64url decodes to the same bytes.
  if (isWhole && toCursor(parsed, order) === cursor) return parsed;
  throw invalid('cursor', `must be the nextCursor of a page${order === undefined ? '' : ' in the same order'}`);
}
