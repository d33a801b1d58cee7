import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteLinks, type LinkFilters, refreshAfterOwnChange } from '#console/api/links/links.ts';
import type { ShortLinkItem } from '#console/api/types.ts';
import { Confirm } from '#console/ui/form/form-dialog.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { runBulk } from './run.ts';
import { UndoableChange } from './undo.ts';
import { useSayChanged } from './use-bulk-undo.ts';
import { countSelected, type Selection } from '#console/links/list/selection.ts';
import { useBulkWords } from './words.ts';

interface DeleteDialogProps {
  /** The links that are known, whose clicks are counted. */
  links: readonly Pick<ShortLinkItem, 'id' | 'currentClicks'>[];
  /** A selection of more links than those. */
  selection: Selection | undefined;
  filters: LinkFilters;
  onClose: (isDone: boolean) => void;
}

/** Says what is lost with links, and offers to switch them off instead. */
export function DeleteDialog({ links, selection, filters, onClose }: DeleteDialogProps) {
  const bulk = useBulkWords();
  const queries = useQueryClient();
  const sayChanged = useSayChanged();
  const [isPending, setPending] = useState(false);
  const chosen: Selection = selection ?? { kind: 'rows', ids: new Set(links.map(({ id }) => id)) };
  const count = countSelected(chosen);
  const clicks = links.reduce((sum, { currentClicks }) => sum + currentClicks, 0);

  async function run(change: typeof deleteLinks, done: (count: number) => void): Promise<void> {
    setPending(true);
    try {
      const result = await runBulk({
        selection: chosen,
        filters,
        change,
        onProgress() {},
        signal: new AbortController().signal,
      });
      if (result.failed.length > 0) sayFailed(bulk.failed(result.failed.length), result.failed[0]!.reason);
      else done(result.done);
      onClose(result.failed.length < result.done);
    } catch (error) {
      sayFailed(bulk.failed(count), error);
      onClose(false);
    } finally {
      await refreshAfterOwnChange(queries);
    }
  }

  return (
    <Confirm
      title={bulk.deleteTitle(count)}
      onClose={() => onClose(false)}
      submitLabel={bulk.delete}
      isDanger
      isPending={isPending}
      onSubmit={() => void run(deleteLinks, (done) => sayDone(bulk.deleted(done)))}
      instead={{
        label: bulk.switchOffInstead,
        onPress: () => {
          const off = new UndoableChange({ isActive: false });
          void run(
            (ids) => off.send(ids),
            (done) => sayChanged(done, off),
          );
        },
      }}
    >
      <p>{bulk.deleteText(clicks)}</p>
    </Confirm>
  );
}
