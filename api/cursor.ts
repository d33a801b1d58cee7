import { invalid } from '#core/errors/errors.ts';
import { lastMs } from '#core/stats/stats.ts';
import type { Position } from '#db/connection/paging.ts';

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The `nextCursor` of a page: opaque to clients. */
export function toCursor({ atMs, id }: Position): string {
  return Buffer.from(`${atMs} ${id}`, 'latin1').toString('base64url');
}

/** @throws AppError VALIDATION_ERROR for a cursor that is not the `nextCursor` of a page. */
export function parseCursor(cursor: string): Position {
  const [time = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  const parsed = { atMs: Number(time), id };
  // Refuses spellings that base64url decodes to the same bytes.
  const isWhole = /^\d{1,15}$/.test(time) && parsed.atMs <= lastMs && uuid.test(id) && rest.length === 0;
  if (!isWhole || toCursor(parsed) !== cursor) throw invalid('cursor', 'must be the nextCursor of a page');
  return parsed;
}
