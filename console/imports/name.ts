import { useQuery } from '@tanstack/react-query';
import type { Import } from '#console/api/links/imports.ts';
import { findFile } from './result/kept-files.ts';
import { formatNames, useImportWords } from './words.ts';

/** @returns what an import is of, and its file's name where this browser has the file: the API keeps none. */
export function useImportName({ id, format, separator }: Import): { kind: string; file: string | undefined } {
  const words = useImportWords();
  const { data } = useQuery({ queryKey: ['imports', 'file', id], queryFn: async () => (await findFile(id)) ?? null });
  const other = separator === '\t' ? words.tsv : words.csv;
  return { kind: words.importOf(format === 'csv' ? other : formatNames[format]), file: data?.name };
}
