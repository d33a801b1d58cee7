import { useCallback, useRef, useState } from 'react';
import type { ShortLinkItem } from '#console/api/types.ts';

// Which links are selected: rows by their ids, or all that the filters find without those that were taken out.

export type Selection =
  | { kind: 'rows'; ids: ReadonlySet<string> }
  | { kind: 'all'; count: number; except: ReadonlySet<string> };

export const nothing: Selection = { kind: 'rows', ids: new Set() };

export function isSelected(selection: Selection, id: string): boolean {
  return selection.kind === 'rows' ? selection.ids.has(id) : !selection.except.has(id);
}

export function countSelected(selection: Selection): number {
  return selection.kind === 'rows' ? selection.ids.size : selection.count - selection.except.size;
}

/** The selection with a link added, or taken out. */
export function toggle(selection: Selection, id: string): Selection {
  const ids = new Set(selection.kind === 'rows' ? selection.ids : selection.except);
  if (!ids.delete(id)) ids.add(id);
  return selection.kind === 'rows' ? { kind: 'rows', ids } : { ...selection, except: ids };
}

/** The selection with a row of links added, as by Shift. */
export function addRange(selection: Selection, ids: readonly string[]): Selection {
  if (selection.kind === 'rows') return { kind: 'rows', ids: new Set([...selection.ids, ...ids]) };
  return { ...selection, except: new Set([...selection.except].filter((id) => !ids.includes(id))) };
}

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
