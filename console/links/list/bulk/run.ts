import { type BulkRow, type LinkFilters, readLinkIds } from '#console/api/links/links.ts';
import { ApiError } from '#console/api/error.ts';
import type { Selection } from '#console/links/list/selection.ts';

/** How far a change of many links is. */
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

const hundred = 100;

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
  for (let start = 0; start < ids.length && !signal.aborted; start += hundred) {
    const part = ids.slice(start, start + hundred);
    failed.push(...(await changePart(part, change)));
    progress = { done: start + part.length, all: ids.length, failed };
    onProgress(progress);
  }
  return progress;
}

/** The ids of a selection, those of a selection of all page by page. */
export async function collectIds(selection: Selection, filters: LinkFilters, signal: AbortSignal): Promise<string[]> {
  if (selection.kind === 'rows') return [...selection.ids];
  const ids: string[] = [];
  for await (const page of readLinkIds(filters, signal)) ids.push(...page.filter((id) => !selection.except.has(id)));
  return ids;
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
