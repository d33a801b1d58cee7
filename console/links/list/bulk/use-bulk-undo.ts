import { useQueryClient } from '@tanstack/react-query';
import { useLinkWords } from '#console/links/words.ts';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import type { UndoableChange } from './undo.ts';
import { useBulkWords } from './words.ts';

/** @returns what says that many links were changed, with a button that takes the change back. */
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
  return (count: number, change: UndoableChange): void =>
    sayDone(bulk.done(count), { label: words.undo, onPress: () => void undo(change) });
}
