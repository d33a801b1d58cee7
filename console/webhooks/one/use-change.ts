import { useMutation, useQueryClient } from '@tanstack/react-query';
import { updateWebhook } from '#console/api/webhooks.ts';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useActionWords } from './action-words.ts';

/** Changes a webhook at once: on or off, paused or not. */
export function useChange(id: string) {
  const words = useActionWords();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (patch: { isActive?: boolean; isPaused?: boolean }) => updateWebhook(id, patch),
    onSuccess: (_webhook, { isActive, isPaused }) =>
      sayDone(
        isPaused === undefined
          ? isActive === true
            ? words.turnedOn
            : words.turnedOff
          : isPaused
            ? words.paused
            : words.resumed,
      ),
    onError: (error) => sayFailed(words.notChanged, error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
}
