import { useQueryClient } from '@tanstack/react-query';
import { useLinkWords } from '#console/links/words.ts';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import type { UndoableChange } from './undo.ts';
import { useBulkWords } from './words.ts';

/** @returns what says how many of the links were changed, with a button that takes the change back. */
export function useSayChanged() {
  const words = useLinkWords();
  const bulk = useBulkWords();
  const queries = useQueryClient();
  async function undo(change: UndoableChange): Promise<void> {
    try {
      const { failed, reason } = await change.undo();
      if (failed > 0) sayFailed(bulk.failed(failed), reason);
      else sayDone(bulk.undone);
    } catch (error) {
      sayFailed(bulk.notUndone, error);
    } finally {
      void queries.invalidateQueries({ queryKey: ['links'] });
      void queries.invalidateQueries({ queryKey: ['tags'] });
    }
  }
  return (count: number, change: UndoableChange): void => {
    // What failed is said elsewhere.
    if (count === 0) return;
    const { changed } = change;
    if (changed === 0) sayDone(bulk.unchanged(count));
    else
      sayDone(changed === count ? bulk.done(count) : bulk.doneOf(changed, count), {
        label: words.undo,
        onPress: () => void undo(change),
      });
  };
}
