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

/** The state of an import in words. */
export function StateChip({ state }: { state: ImportState }) {
  const words = useImportWords();
  return <Chip tone={tones[state]}>{words.states[state]}</Chip>;
}
