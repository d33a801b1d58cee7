// Which links are selected: rows by their ids, or all that the filters find without those that were taken out.

/** A selection of links. */
export type Selection =
  | { kind: 'rows'; ids: ReadonlySet<string> }
  | { kind: 'all'; count: number; except: ReadonlySet<string> };

/** A selection of no link. */
export const nothing: Selection = { kind: 'rows', ids: new Set() };

/** Whether a link is selected. */
export function isSelected(selection: Selection, id: string): boolean {
  return selection.kind === 'rows' ? selection.ids.has(id) : !selection.except.has(id);
}

/** How many links are selected. */
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
