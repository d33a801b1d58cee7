import { useRef, useState } from 'react';
import type { ShortLinkItem } from '#console/api/types.ts';

/** The row that has the focus, and how it moves by keys. */
export function useRowFocus(rows: readonly ShortLinkItem[]) {
  const [focused, setFocused] = useState<string>();
  const list = useRef<HTMLUListElement>(null);
  const at = rows.findIndex(({ id }) => id === focused);
  const moveTo = (index: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (row === undefined) return;
    setFocused(row.id);
    list.current?.querySelector<HTMLElement>(`[data-link="${row.id}"] [data-row-link]`)?.focus();
  };
  /** Gives the focus back to its row, else to the first, where what had it is gone. */
  const restore = (): void => {
    // A heading has it where a row with the focus went away before.
    if (document.activeElement?.matches('body, h1, h2') !== true) return;
    const links = list.current?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [];
    const own = [...links].find((link) => link.closest('[data-link]')?.getAttribute('data-link') === focused);
    (own ?? links[0])?.focus();
  };
  return {
    list,
    restore,
    /** The row that has the focus; undefined: none of the page. */
    row: rows[at],
    /** Whether Tab leads to a row: the one that had the focus, else the first. */
    isFocused: (id: string) => id === (rows[at] ?? rows[0])?.id,
    onFocus: setFocused,
    next: () => moveTo(at + 1),
    previous: () => moveTo(at - 1),
  };
}
