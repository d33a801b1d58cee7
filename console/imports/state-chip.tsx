import type { ImportState } from '#core/imports/states.ts';
import { Chip } from '#console/ui/page/states.tsx';
import { useImportWords } from './words.ts';

const tones: Record<ImportState, 'good' | 'warn' | 'quiet' | 'accent'> = {
  pending: 'accent',
  running: 'accent',
  completed: 'good',
  failed: 'warn',
  cancelled: 'quiet',
  undoing: 'accent',
  undone: 'quiet',
};

/** The state of an import in words. @param failed how many of its rows failed. */
export function StateChip({ state, failed }: { state: ImportState; failed: number }) {
  const words = useImportWords();
  if (state === 'completed' && failed > 0) return <Chip tone="warn">{words.doneWithFailed(failed)}</Chip>;
  return <Chip tone={tones[state]}>{words.states[state]}</Chip>;
}
