import { useState } from 'react';
import type { LinkPage, ShortLinkItem } from '#console/api/types.ts';

interface Held {
  name: string;
  rows: readonly ShortLinkItem[];
  total: number;
}

/** Rows that hold still: links that were made meanwhile are offered, not pushed in. Counts tick in place. */
export function useHeldRows(data: LinkPage | undefined, key: readonly unknown[], isPlaceholder: boolean) {
  const name = JSON.stringify(key);
  const [held, setHeld] = useState<Held>();
  const fresh = data?.data ?? [];
  const now = { name, rows: fresh, total: data?.count ?? 0 };
  const isOther = data !== undefined && !isPlaceholder && held?.name !== name;
  if (isOther) setHeld(now);
  const current = isOther ? now : held;
  const added = current === undefined ? 0 : Math.max(0, now.total - current.total);
  const [first] = fresh;
  const isPushed =
    current !== undefined &&
    !isPlaceholder &&
    added > 0 &&
    first !== undefined &&
    !current.rows.some(({ id }) => id === first.id);
  return {
    rows: isPushed ? holdRows(current.rows, fresh) : fresh,
    newCount: isPushed ? added : 0,
    show: () => data !== undefined && setHeld(now),
  };
}

/**
 * The rows of a page that new ones push on, as they are now: those that were pushed off its end are shown as they were last, and
 * those that are missing between others were deleted.
 */
export function holdRows<Row extends { id: string }>(held: readonly Row[], fresh: readonly Row[]): Row[] {
  const byId = new Map(fresh.map((row): [string, Row] => [row.id, row]));
  const lastKnown = held.findLastIndex(({ id }) => byId.has(id));
  return held.flatMap((row, index) => byId.get(row.id) ?? (index > lastKnown ? [row] : []));
}
