import { useQuery } from '@tanstack/react-query';
import type { ImportState } from '#core/imports/states.ts';
import type { Import } from '#console/api/links/imports.ts';
import { Chip } from '#console/ui/page/states.tsx';
import { findFile } from './result/kept-files.ts';
import { formatNames, useImportWords } from './words.ts';

/** @returns what an import is of, and its file's name where this browser has the file: the API keeps none. */
export function useImportName({ id, format, separator }: Import): { kind: string; file: string | undefined } {
  const words = useImportWords();
  const { data } = useQuery({ queryKey: ['imports', 'file', id], queryFn: async () => (await findFile(id)) ?? null });
  const other = separator === '\t' ? words.tsv : words.csv;
  return { kind: words.importOf(format === 'csv' ? other : formatNames[format]), file: data?.name };
}

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
