import { exportLinks, type LinkFilters } from '#console/api/links/links.ts';
import { filterStates } from '#console/links/search.ts';
import { collectIds, hundred, slicesOf } from './run.ts';
import type { Selection } from '#console/links/list/selection.ts';

/** The selected links as CSV, one line each below the names of the columns. */
export async function exportSelected(
  selection: Selection,
  filters: LinkFilters,
  signal: AbortSignal,
  read = exportLinks,
): Promise<string> {
  const ids = await collectIds(selection, filters, signal);
  let csv = '';
  for (const part of slicesOf(ids, hundred)) {
    const more = await read({ ids: part, states: filterStates }, signal);
    // Of all calls but the first without the names of the columns, which have no line breaks in them.
    csv += csv === '' ? more : more.slice(more.indexOf('\n') + 1);
  }
  return csv;
}
