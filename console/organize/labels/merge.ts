import { type BulkRow, type LinkFilters, type LinkPatch, readLinkIds, updateLinks } from '#console/api/links/links.ts';
import { deleteLabel, type LabelKind } from '#console/api/links/labels.ts';
import { type BulkProgress, runBulk } from '#console/links/list/bulk/run.ts';
import { filterStates } from '#console/links/search.ts';

/** What a merge does through the API. */
interface MergeCalls {
  readLinkIds: (filters: LinkFilters, signal?: AbortSignal) => AsyncGenerator<readonly string[]>;
  updateLinks: (ids: readonly string[], change: LinkPatch) => Promise<readonly BulkRow[]>;
  deleteLabel: (kind: LabelKind, id: string) => Promise<unknown>;
}

interface Merge {
  kind: LabelKind;
  /** Id of the label that goes. */
  from: string;
  /** Id of the label that its links get. */
  into: string;
  onProgress: (progress: Pick<BulkProgress, 'done' | 'all'>) => void;
  /** Stops after the hundred that is under way. */
  signal: AbortSignal;
}

type MergeResult =
  | { kind: 'merged' }
  | { kind: 'stopped' }
  /** The label stays, because some links still have it. */
  | { kind: 'failed'; failed: BulkProgress['failed'] };

/** Links of a folder or tag in all states: lists leave archived links out otherwise. */
export function linksOf(kind: LabelKind, id: string): LinkFilters {
  return kind === 'tag' ? { tagIds: [id], states: filterStates } : { folderIds: [id], states: filterStates };
}

// Links that get the label during the merge are found by another pass; more passes than this mean that a client keeps giving it.
const mostPasses = 5;

const api: MergeCalls = { readLinkIds, updateLinks, deleteLabel };

/**
 * Gives the links of a folder or tag another one in its place, in hundreds, and deletes the first once no link has it. A merge that
 * stops or fails loses nothing: each link has one of the two, and the next merge goes on.
 */
export async function mergeLabels({ kind, from, into, onProgress, signal }: Merge, calls = api): Promise<MergeResult> {
  const change = kind === 'tag' ? { addTagIds: [into], removeTagIds: [from] } : { folderId: into };
  let before = 0;
  for (let pass = 1; pass <= mostPasses; pass += 1) {
    const ids: string[] = [];
    for await (const page of calls.readLinkIds(linksOf(kind, from), signal)) ids.push(...page);
    if (ids.length === 0) {
      await calls.deleteLabel(kind, from);
      return { kind: 'merged' };
    }
    const done = before;
    const result = await runBulk({
      selection: { kind: 'rows', ids: new Set(ids) },
      filters: {},
      change: (part) => calls.updateLinks(part, change),
      onProgress: (progress) => onProgress({ done: done + progress.done, all: done + progress.all }),
      signal,
    });
    if (result.failed.length > 0) return { kind: 'failed', failed: result.failed };
    if (signal.aborted) return { kind: 'stopped' };
    before += result.all;
  }
  return { kind: 'stopped' };
}
