import { useCallback, useRef, useState } from 'react';
import type { ShortLinkItem } from '#console/api/types.ts';
import { addRange, nothing, type Selection, toggle } from './selection.ts';

/** The links that the person has selected, and how rows are selected: one, or all from the last one on. */
export function useSelection(rows: readonly ShortLinkItem[]) {
  const [selection, setSelection] = useState<Selection>(nothing);
  const last = useRef<string>(undefined);
  const select = useCallback(
    (id: string, isRange: boolean) => {
      const ids = rows.map((row) => row.id);
      const from = ids.indexOf(last.current ?? '');
      const to = ids.indexOf(id);
      last.current = id;
      setSelection((before) => {
        if (!isRange || from < 0) return toggle(before, id);
        return addRange(before, ids.slice(Math.min(from, to), Math.max(from, to) + 1));
      });
    },
    [rows],
  );
  return { selection, setSelection, select };
}
