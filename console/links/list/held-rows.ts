import { useState } from 'react';
import type { LinkPage, ShortLinkItem } from '#console/api/types.ts';

/** Rows that hold still: links that were made meanwhile are offered, not pushed in. Counts tick in place. */
export function useHeldRows(data: LinkPage | undefined, key: readonly unknown[], isPlaceholder: boolean) {
  const name = JSON.stringify(key);
  const [held, setHeld] = useState<{ name: string; ids: readonly string[]; total: number }>();
  const isOther = data !== undefined && !isPlaceholder && held?.name !== name;
  const current = isOther ? { name, ids: data.data.map(({ id }) => id), total: data.count } : held;
  if (isOther) setHeld(current);
  const fresh = data?.data ?? [];
  const isSame =
    current === undefined ||
    (current.ids.length === fresh.length && current.ids.every((id, index) => fresh[index]?.id === id));
  const known = new Set(current?.ids);
  const added = data === undefined || current === undefined ? 0 : Math.max(0, data.count - current.total);
  const isFirstPage = fresh.length > 0 && !known.has(fresh[0]!.id) && added > 0;
  const byId = new Map(fresh.map((row): [string, ShortLinkItem] => [row.id, row]));
  const kept = isPlaceholder || isSame || !isFirstPage ? fresh : current.ids.flatMap((id) => byId.get(id) ?? []);
  return {
    rows: kept,
    newCount: isFirstPage && !isPlaceholder ? added : 0,
    show: () => data !== undefined && setHeld({ name, ids: data.data.map(({ id }) => id), total: data.count }),
  };
}
