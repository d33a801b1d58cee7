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
 * Keeps the rows of a page in place when newer rows push them to the next page: a row past the end of the fresh page stays as it
 * was last read, and a row that is missing before that end was deleted.
 */
export function holdRows<Row extends { id: string }>(held: readonly Row[], fresh: readonly Row[]): Row[] {
  const byId = new Map(fresh.map((row): [string, Row] => [row.id, row]));
  const lastKnown = held.findLastIndex(({ id }) => byId.has(id));
  return held.flatMap((row, index) => byId.get(row.id) ?? (index > lastKnown ? [row] : []));
}
