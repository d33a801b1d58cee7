import { exportLinks, type LinkFilters } from '#console/api/links/links.ts';
import { filterStates } from '#console/links/search.ts';
import { collectIds } from './run.ts';
import type { Selection } from '#console/links/list/selection.ts';

const atOnce = 100;

/** The selected links as CSV, one line each below the names of the columns. */
export async function exportSelected(
  selection: Selection,
  filters: LinkFilters,
  signal: AbortSignal,
  read = exportLinks,
): Promise<string> {
  const ids = await collectIds(selection, filters, signal);
  const parts: string[] = [];
  for (let start = 0; start < ids.length; start += atOnce) {
    const csv = await read({ ids: ids.slice(start, start + atOnce), states: filterStates }, signal);
    // Of all calls but the first without the names of the columns, which have no line breaks in them.
    parts.push(start === 0 ? csv : csv.slice(csv.indexOf('\n') + 1));
  }
  return parts.join('');
}
