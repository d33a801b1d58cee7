import { useMutation, useQueryClient } from '@tanstack/react-query';
import { change, type Tool, type ToolInput, type ToolOutput } from '#console/api/staff.ts';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useStaffWords } from './words.ts';

/** A change by staff; every list of the staff is read again after it. @param done what is said then. */
export function useChange<Path extends Tool>(path: Path, done: string, onSuccess?: (answer: ToolOutput<Path>) => void) {
  const words = useStaffWords();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: ToolInput<Path>) => change(path, input),
    onSuccess: (answer) => {
      sayDone(done);
      onSuccess?.(answer);
    },
    onError: (error) => sayFailed(words.notDone, error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['staff'] }),
  });
}
