import { type BulkRow, type LinkFilters, readLinks } from '#console/api/links/links.ts';
import { ApiError } from '#console/api/error.ts';
import type { LinkPage } from '#console/api/types.ts';
import type { Selection } from '#console/links/list/selection.ts';
import { filterStates } from '#console/links/search.ts';

export interface BulkProgress {
  done: number;
  all: number;
  failed: readonly { id: string; reason: string }[];
}

interface BulkRun {
  selection: Selection;
  /** Filters of the list, for a selection of all. */
  filters: LinkFilters;
  /** Changes up to 100 links by one call. */
  change: (ids: readonly string[]) => Promise<readonly BulkRow[]>;
  onProgress: (progress: BulkProgress) => void;
  /** Stops after the hundred that is under way. */
  signal: AbortSignal;
}

/** The most that one call changes. */
export const hundred = 100;
// The most that the API lists at once.
const listed = 50;

/**
 * Changes the selected links in hundreds, one call after the other. Ids of a selection of all are read before the first change:
 * links that the change takes out of the filters would otherwise move the pages.
 * @returns the links that were not changed, with reasons.
 */
export async function runBulk({ selection, filters, change, onProgress, signal }: BulkRun): Promise<BulkProgress> {
  const ids = await collectIds(selection, filters, signal);
  const failed: { id: string; reason: string }[] = [];
  let progress: BulkProgress = { done: 0, all: ids.length, failed };
  onProgress(progress);
  for (const part of slicesOf(ids, hundred)) {
    if (signal.aborted) break;
    failed.push(...(await changePart(part, change)));
    progress = { done: progress.done + part.length, all: ids.length, failed };
    onProgress(progress);
  }
  return progress;
}

/** The ids of a selection, those of a selection of all page by page. */
export async function collectIds(selection: Selection, filters: LinkFilters, signal: AbortSignal): Promise<string[]> {
  if (selection.kind === 'rows') return [...selection.ids];
  const ids: string[] = [];
  for await (const page of readSelected(selection, filters, {}, signal)) ids.push(...page.map(({ id }) => id));
  return ids;
}

/** The links of a selection that still exist, page by page. @param extra what the rows have beside. */
export async function* readSelected(
  selection: Selection,
  filters: LinkFilters,
  extra: Parameters<typeof readLinks>[1],
  signal?: AbortSignal,
): AsyncGenerator<LinkPage['data']> {
  if (selection.kind === 'all') {
    for await (const page of readLinks(filters, extra, signal))
      yield page.filter(({ id }) => !selection.except.has(id));
    return;
  }
  // Under other filters too: the person may have changed them since.
  for (const ids of slicesOf([...selection.ids], listed))
    yield* readLinks({ ids, states: filterStates }, extra, signal);
}

/** Splits a list into parts of a size; the last may be smaller. */
export function slicesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_value, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

async function changePart(
  ids: readonly string[],
  change: BulkRun['change'],
): Promise<{ id: string; reason: string }[]> {
  try {
    const rows = await change(ids);
    return rows.flatMap((row, index) =>
      row.error === undefined ? [] : [{ id: ids[index]!, reason: new ApiError(row.status, row.error).message }],
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return ids.map((id) => ({ id, reason: error.message }));
  }
}
