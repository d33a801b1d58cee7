import { change, type Tool, type ToolInput, type ToolOutput } from '#console/api/staff.ts';
import { useChange } from '#console/ui/form/use-change.ts';
import { useStaffWords } from './words.ts';

/**
 * A change by staff; every list of the staff is read again after it.
 * @param done what is said then. @param fields that show what is wrong with them.
 */
export function useTool<Path extends Tool>(
  path: Path,
  done: string,
  onDone: (answer: ToolOutput<Path>) => void = () => {},
  fields: readonly string[] = [],
) {
  const words = useStaffWords();
  return useChange({
    send: (input: ToolInput<Path>) => change(path, input),
    done,
    failed: words.notDone,
    fields,
    refresh: [['staff']],
    onDone,
  });
}
